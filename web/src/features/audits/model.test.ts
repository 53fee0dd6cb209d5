// Rules of what is worked out from a run: bands, the run before, what to fix first, changes by issue.
import { expect, test } from 'vitest';
import {
  bandOf,
  changesByIssue,
  inFixOrder,
  isArchived,
  issueRows,
  linesOf,
  previousRun,
  sumBySeverity,
} from './model';
import type { CrawlStats, Issue, Run, RunComparison } from './types';

function run(id: string, startedAt: number, changes: Partial<Run> = {}, mode = 'follow', enabled = true): Run {
  const crawlStats = { mode, sampling: { enabled }, issuesBySeverity: { error: 3, warning: 0, notice: 0 } };
  return { id, startedAt, status: 'success', ...changes, crawlStats: crawlStats as unknown as CrawlStats } as Run;
}

function issue(id: string, severity: Issue['severity'], weight: number): [string, Issue] {
  return [id, { id, severity, weight, title: id, category: 'title', scope: 'page' } as Issue];
}

const list = (items: { issueId: string; path: string }[], total = items.length) => ({ total, items });

test('a score belongs to the band whose end it is', () => {
  expect([0, 30, 30.1, 70, 71, 90, 90.1, 100].map(bandOf)).toEqual([
    'weak',
    'weak',
    'fair',
    'fair',
    'good',
    'good',
    'excellent',
    'excellent',
  ]);
});

test('a run is compared with the newest earlier one that looked in the same way, else with the newest', () => {
  const current = run('now', 9);
  const runs = [run('later', 10), current, run('failed', 8, { status: 'error' }), run('other', 7, {}, 'sitemap')];

  expect(previousRun(current, [...runs, run('alike', 5)])?.id).toBe('alike');
  expect(previousRun(current, runs)?.id).toBe('other');
  expect(previousRun(current, [current])).toBeNull();
});

test('issues stand by severity, then by weight times pages', () => {
  const catalogue = new Map([issue('A', 'warning', 5), issue('B', 'error', 1), issue('C', 'error', 12)]);

  const rows = issueRows({ A: 100, B: 20, C: 2, UNKNOWN: 1 }, catalogue, null);

  expect(rows.map(({ id }) => id)).toEqual(['C', 'B', 'A', 'UNKNOWN']);
  expect(rows[0]).toMatchObject({ impact: 24, added: null, fixed: null });
});

test('issues to fix are ordered by impact, by what is new, or with their category', () => {
  const catalogue = new Map([
    ...[issue('A', 'warning', 5), issue('B', 'error', 1)].map(
      ([id, one]) => [id, { ...one, category: 'links' }] as const,
    ),
    ...[issue('C', 'error', 12)],
  ]);
  const changes = new Map([
    ['A', { issueId: 'A', new: 3, fixed: 0, remaining: 0 }],
    ['C', { issueId: 'C', new: 1, fixed: 0, remaining: 0 }],
  ]);
  const rows = issueRows({ A: 100, B: 20, C: 2 }, catalogue, changes);
  const ids = (order: 'impact' | 'new' | 'category') => inFixOrder(rows, order).map(({ id }) => id);

  expect(ids('impact')).toEqual(['C', 'B', 'A']);
  expect(ids('new')).toEqual(['A', 'C']);
  expect(ids('category')).toEqual(['C', 'B', 'A']);
  expect(inFixOrder([...rows].reverse(), 'category').map(({ id }) => id)).toEqual(['A', 'B', 'C']);
});

test('changes by issue are those of the service, else counted, unless only a part is named', () => {
  const [one, other] = [
    { issueId: 'A', path: '/' },
    { issueId: 'A', path: '/b' },
  ];
  const found = { newFindings: list([one, other]), fixedFindings: list([]), remainingFindings: list([one], 5000) };

  const counted = changesByIssue(found as unknown as RunComparison);
  const told = changesByIssue({ ...found, byIssue: [{ issueId: 'Z', new: 7, fixed: 0, remaining: 0 }] } as never);
  const partly = changesByIssue({ ...found, newFindings: list([one], 2000) } as unknown as RunComparison);

  expect(counted?.get('A')?.new).toBe(2);
  expect([...(told?.keys() ?? [])]).toEqual(['Z']);
  expect(partly).toBeNull();
});

test('a fixed issue counts in the changes of its severity although no page has it any more', () => {
  const catalogue = new Map([issue('GONE', 'error', 12)]);
  const changes = new Map([['GONE', { issueId: 'GONE', new: 0, fixed: 4, remaining: 0 }]]);

  const [errors] = sumBySeverity(run('now', 1), catalogue, changes);

  expect(errors).toEqual({ severity: 'error', total: 3, added: 0, fixed: 4 });
});

test('a run is in the archive seven days after its end', () => {
  const day = 86_400_000;

  expect(isArchived(run('old', 0, { completedAt: 0 }), 7 * day + 1)).toBe(true);
  expect(isArchived(run('new', 0, { completedAt: 0 }), 7 * day)).toBe(false);
  expect(isArchived(run('going', 0, { completedAt: null }), 9 * day)).toBe(false);
});

test('addresses are read line by line, each once', () => {
  expect(linesOf(' https://a.test/ \n\nhttps://b.test/\r\nhttps://a.test/\n')).toEqual([
    'https://a.test/',
    'https://b.test/',
  ]);
});
