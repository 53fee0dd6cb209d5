// The views of one page: the newest one, and a new one when somebody looks again. Made while a component starts.
import { createQuery } from '@tanstack/svelte-query';
import { untrack } from 'svelte';
import type { PageView } from './answers';
import { post } from './client';
import { forget, loadOf, read } from './queries';
import { refusalOf } from './refusals';
import type { Load, Refusal } from '../lib/refusal';
import { standing } from '../lib/standing.svelte';

/** Pause between two looks at a view that is under way, in milliseconds. */
const PAUSE_MS = 1000;

export interface PageViews {
  /** The view to show: the newest that has ended, else the one under way; null when there is none yet. */
  readonly shown: PageView | null;
  readonly isRunning: boolean;
  /** Reason why the newest view failed; null when it did not. */
  readonly error: string | null;
  /** Reason why a new view was refused. */
  readonly refusal: Refusal | null;
  readonly load: Load<unknown>;
  look(width: number): Promise<void>;
}

/** Reads the views of a page. A page that nobody has looked at in the last day is looked at once, without being asked, unless the domain is suspended. */
export function createPageViews(page: () => { domain: string; path: string; width: number }): PageViews {
  let started = $state.raw<{ id: string; of: string } | null>(null);
  let isAsking = $state(false);
  let refusal = $state.raw<Refusal | null>(null);
  let firstFor = '';

  const key = $derived(`${page().domain} ${page().path}`);
  const newest = createQuery(() => {
    const { domain, path } = page();
    return { ...read('/api/dashboard/views', { params: { query: { domain, path } } }, 'live'), enabled: path !== '' };
  });
  const id = $derived(started?.of === key ? started.id : (newest.data?.view?.id ?? null));
  const followed = createQuery(() => ({
    ...read('/api/dashboard/views/{id}', { params: { path: { id: id ?? '' } } }),
    enabled: id !== null && (started?.of === key || newest.data?.view?.state === 'running'),
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === 'running' ? PAUSE_MS : false),
  }));

  const known = $derived(newest.data?.view ?? null);
  const current = $derived(followed.data?.id === id ? (followed.data ?? null) : known);
  const isRunning = $derived(
    isAsking ||
      (started?.of === key && followed.data === undefined && !followed.isError) ||
      current?.state === 'running',
  );
  // While a new view is under way, and when it fails, the one before it stays.
  const shown = $derived(current?.state === 'done' ? current : known?.state === 'done' ? known : current);

  async function look(width: number): Promise<void> {
    if (isRunning) return;
    const { domain, path } = page();
    [isAsking, refusal] = [true, null];
    try {
      const { id: fresh } = await post('/api/dashboard/views', { body: { domain, path, width } });
      started = { id: fresh, of: key };
    } catch (error) {
      refusal = refusalOf(error);
    } finally {
      isAsking = false;
    }
  }

  $effect(() => {
    const isNeverSeen = newest.isSuccess && newest.data.view === null;
    if (!isNeverSeen || firstFor === key || standing.isSuspended !== false) return;
    firstFor = key;
    untrack(() => void look(page().width));
  });
  $effect(() => {
    // A page that a view has rendered and stored is in the list.
    if (followed.data?.state === 'done') void forget('/api/prerender/snapshots');
  });

  return {
    get shown() {
      return shown;
    },
    get isRunning() {
      return isRunning;
    },
    get error() {
      return current?.state === 'failed' ? (current.error ?? '') : null;
    },
    get refusal() {
      return refusal;
    },
    load: loadOf(newest),
    look,
  };
}
