// Rules of the first steps: what ticks each of them.
import { expect, test } from 'vitest';
import type { OverviewReport } from './answers';
import { checklistOf } from './checklist.svelte';

const report = (stored: number, health: unknown = null) =>
  ({
    snapshots: { total: stored, fresh: stored, stale: 0, failing: 0 },
    health,
    unavailable: [],
  }) as unknown as OverviewReport;
const nothing = { sitemapUrl: '', sitemapPages: 0, prompts: 0, isShared: false };
const done = (...args: Parameters<typeof checklistOf>) =>
  checklistOf(...args)
    .filter(({ isDone }) => isDone)
    .map(({ id }) => id);

test('a new domain has four open steps, and the first one is its sitemap', () => {
  const steps = checklistOf(report(0), nothing);

  expect(steps.map(({ id, isDone }) => [id, isDone])).toEqual([
    ['rendered', false],
    ['audited', false],
    ['prompted', false],
    ['shared', false],
  ]);
  expect(steps[0]?.to).toBe('sitemap');
});

test('the sitemap is rendered when as many pages are stored as it names', () => {
  const facts = { ...nothing, sitemapUrl: 'https://a.test/sitemap.xml', sitemapPages: 20 };

  expect(done(report(19), facts)).toEqual([]);
  expect(checklistOf(report(19), facts)[0]?.text).toBe('19 of 20 pages stored.');
  expect(done(report(20), facts)).toEqual(['rendered']);
  expect(done(report(3), nothing)).toEqual([]);
});

test('a plan without prompts has no step for them', () => {
  expect(checklistOf(report(0), { ...nothing, prompts: null }).map(({ id }) => id)).toEqual([
    'rendered',
    'audited',
    'shared',
  ]);
});

test('an audit, a prompt and a public link tick theirs', () => {
  expect(done(report(0, { score: 1 }), { ...nothing, prompts: 1, isShared: true })).toEqual([
    'audited',
    'prompted',
    'shared',
  ]);
});
