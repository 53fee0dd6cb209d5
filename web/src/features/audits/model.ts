// Figures that the screens of audits work out from a run: bands, order of work, changes, the run before. Pure.
import type { ComparedFinding, FindingSeverity, Issue, IssueChange, Run, RunComparison, RunState } from './types';

export const SEVERITIES: readonly FindingSeverity[] = ['error', 'warning', 'notice'];
/** Age from which the service may have moved a run's pages to the archive. */
const ARCHIVE_AFTER_MS = 7 * 86_400_000;

export function isActive(status: RunState): boolean {
  return status === 'queued' || status === 'running';
}

export function hasResults(status: RunState): boolean {
  return status === 'success' || status === 'limit_reached' || status === 'partial';
}

/** Decides whether the pages of a run are in the archive, by its age. */
export function isArchived(run: Run, now: number): boolean {
  return run.completedAt !== null && run.completedAt !== undefined && now - run.completedAt > ARCHIVE_AFTER_MS;
}

export type Band = 'weak' | 'fair' | 'good' | 'excellent';

/** Returns the band of a health score. */
export function bandOf(score: number): Band {
  if (score > 90) return 'excellent';
  if (score > 70) return 'good';
  return score > 30 ? 'fair' : 'weak';
}

/** Returns the run that a run is compared with: the newest earlier one of the same mode and sampling, else the newest earlier one. */
export function previousRun(run: Run, runs: readonly Run[]): Run | null {
  const earlier = runs.filter((other) => other.startedAt < run.startedAt && hasResults(other.status));
  const isAlike = ({ crawlStats }: Run) =>
    crawlStats.mode === run.crawlStats.mode && crawlStats.sampling.enabled === run.crawlStats.sampling.enabled;
  return earlier.find(isAlike) ?? earlier[0] ?? null;
}

/** An issue of a run: what it is, how many pages carry it, and what changed since the run before. */
export interface IssueRow {
  id: string;
  title: string;
  severity: FindingSeverity;
  category: string;
  scope: Issue['scope'];
  /** Pages; 1 for an issue about the site. */
  pages: number;
  /** Weight times pages. */
  impact: number;
  /** null: there is nothing to compare with. */
  added: number | null;
  fixed: number | null;
}

/** Returns the issues of a run, those to fix first at the beginning: by severity, then by weight times pages. */
export function issueRows(
  breakdown: Record<string, number>,
  catalogue: ReadonlyMap<string, Issue>,
  changes: ReadonlyMap<string, IssueChange> | null,
): IssueRow[] {
  const rows = Object.entries(breakdown).map(([id, pages]): IssueRow => {
    const issue = catalogue.get(id);
    return {
      id,
      title: issue?.title ?? id,
      severity: issue?.severity ?? 'notice',
      category: issue?.category ?? '',
      scope: issue?.scope ?? 'page',
      pages,
      impact: (issue?.weight ?? 0) * pages,
      added: changes === null ? null : (changes.get(id)?.new ?? 0),
      fixed: changes === null ? null : (changes.get(id)?.fixed ?? 0),
    };
  });
  return rows.toSorted(
    (one, other) =>
      SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
      other.impact - one.impact ||
      one.id.localeCompare(other.id),
  );
}

/** Orders of the issues to fix: by impact, by what is new, by category. */
export const FIX_ORDERS = ['impact', 'new', 'category'] as const;
export type FixOrder = (typeof FIX_ORDERS)[number];

/**
 * Returns the issues in an order, of rows that stand by impact. New: only those with new pages, most of them first. Category: those of a
 * category together, the category with the first issue to fix at the beginning.
 */
export function inFixOrder(rows: readonly IssueRow[], order: FixOrder): IssueRow[] {
  if (order === 'new') {
    return rows.filter(({ added }) => (added ?? 0) > 0).toSorted((one, other) => (other.added ?? 0) - (one.added ?? 0));
  }
  if (order === 'impact') return [...rows];
  const categories = [...new Set(rows.map(({ category }) => category))];
  return categories.flatMap((category) => rows.filter((row) => row.category === category));
}

/** Returns the changes of a comparison by issue; null when it names only a part of them. */
export function changesByIssue(comparison: RunComparison): ReadonlyMap<string, IssueChange> | null {
  if (comparison.byIssue !== undefined) return new Map(comparison.byIssue.map((change) => [change.issueId, change]));
  const { newFindings, fixedFindings, remainingFindings } = comparison;
  const lists = [newFindings, fixedFindings];
  if (lists.some(({ total, items }) => total > items.length)) return null;
  const found = new Map<string, IssueChange>();
  const count = (items: readonly ComparedFinding[], field: 'new' | 'fixed' | 'remaining') => {
    for (const { issueId } of items) {
      const change = found.get(issueId) ?? { issueId, new: 0, fixed: 0, remaining: 0 };
      found.set(issueId, { ...change, [field]: change[field] + 1 });
    }
  };
  count(newFindings.items, 'new');
  count(fixedFindings.items, 'fixed');
  count(remainingFindings.items, 'remaining');
  return found;
}

/** Sums of a severity. */
export interface SeveritySum {
  severity: FindingSeverity;
  total: number;
  added: number | null;
  fixed: number | null;
}

/** Sums findings and changes by severity. A fixed issue is in no breakdown any more, so changes are summed apart. */
export function sumBySeverity(
  run: Run,
  catalogue: ReadonlyMap<string, Issue>,
  changes: ReadonlyMap<string, IssueChange> | null,
): SeveritySum[] {
  return SEVERITIES.map((severity) => {
    const own = [...(changes?.values() ?? [])].filter(({ issueId }) => catalogue.get(issueId)?.severity === severity);
    const sum = (field: 'new' | 'fixed') => own.reduce((total, change) => total + change[field], 0);
    return {
      severity,
      total: run.crawlStats.issuesBySeverity[severity],
      added: changes === null ? null : sum('new'),
      fixed: changes === null ? null : sum('fixed'),
    };
  });
}

/** Returns the values of a text with one address a line: no blanks, no empty lines, each once. */
export function linesOf(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((line) => line !== ''))];
}
