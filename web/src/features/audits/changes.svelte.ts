// Changes since the run before: which run that is, and the comparison with it. Used by the screens of a run.
import { createQuery } from '@tanstack/svelte-query';
import { changesByIssue, hasResults, previousRun } from './model';
import { readComparison, readRuns } from './reads';
import type { IssueChange, Run, RunComparison } from './types';

export interface RunChanges {
  /** Runs of the domain, newest first; undefined while they load. */
  readonly runs: readonly Run[] | undefined;
  /** null: there is none, or it is not known yet. */
  readonly previous: Run | null;
  readonly comparison: RunComparison | undefined;
  /** The comparison is on its way. */
  readonly isComing: boolean;
  /** null: there is nothing to compare with, or only a part is named. */
  readonly byIssue: ReadonlyMap<string, IssueChange> | null;
}

/** Follows a run, which is undefined while it loads. */
export function createChanges(domain: () => string, run: () => Run | undefined): RunChanges {
  const runs = createQuery(() => readRuns(domain()));
  const previous = $derived.by(() => {
    const current = run();
    return current === undefined || runs.data === undefined ? null : previousRun(current, runs.data);
  });
  const isReady = $derived(previous !== null && hasResults(run()?.status ?? 'queued'));
  const comparison = createQuery(() => ({ ...readComparison(run()?.id ?? '', previous?.id ?? ''), enabled: isReady }));
  const byIssue = $derived(comparison.data === undefined || !isReady ? null : changesByIssue(comparison.data));
  return {
    get runs() {
      return runs.data;
    },
    get previous() {
      return previous;
    },
    get comparison() {
      return isReady ? comparison.data : undefined;
    },
    get isComing() {
      return run() === undefined || runs.isPending || (isReady && comparison.isPending);
    },
    get byIssue() {
      return byIssue;
    },
  };
}
