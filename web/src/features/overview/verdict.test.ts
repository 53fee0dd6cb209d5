// Rules of the sentence that opens the overview: calm, pending, figures as the service gives them.
import { expect, test } from 'vitest';
import type { OverviewReport } from '../../api/answers';
import { verdictOf } from './verdict';

const empty: OverviewReport = {
  domain: 'shop.test',
  status: 'connected',
  demo: false,
  days: 30,
  visits: { total: 0, previous: 0, dates: [], ai: [], search: [], other: [] },
  people: { total: 0, previous: 0 },
  served: { cachePercent: 0, cacheHits: 0, minutesSaved: 0 },
  health: null,
  visibility: null,
  snapshots: { total: 0, fresh: 0, stale: 0, failing: 0 },
  citedPages: [],
  attention: [],
  changes: [],
  unavailable: [],
};
const places = { attention: '#a', setup: '/s', crawlers: '/c', audit: (id: string) => `/r/${id}`, mentions: '/m' };
const health = { runId: '7', completedAt: '', errors: 0, warnings: 0, notices: 0, points: [] };
const visibility = { answers: 200, mentions: 80, rate: 40, low: 33, high: 47, providers: [], points: [] };
const said = (report: Partial<OverviewReport>) =>
  verdictOf({ ...empty, ...report }, places).map(({ words }) => words.join(''));
const thing = (id: string) => ({
  id,
  kind: 'crawl_errors' as const,
  severity: 'error' as const,
  count: 1,
  subject: null,
  before: null,
  after: null,
  since: null,
  href: '/',
});

test('a calm site is said to be calm', () => {
  expect(said({})).toEqual(['Nothing needs you.', 'No crawler visited in 30 days.']);
});

test('a pending site is told to go on before anything else', () => {
  expect(said({ status: 'pending' })).toEqual(['shop.test is not connected yet: continue the set-up.']);
});

test('figures are those of the service', () => {
  const visits = { ...empty.visits, total: 11303 } as OverviewReport['visits'];

  expect(
    said({
      attention: [thing('a')],
      visits,
      served: { cachePercent: 94.2, cacheHits: 1, minutesSaved: 1 },
      health: { ...health, score: 87.4, delta: 2.1 },
      visibility: { ...visibility, previousRate: 55, isSignificant: true },
    }),
  ).toEqual([
    '1 thing needs your attention.',
    'Crawlers came 11,303 times in 30 days; 94.2% of the snapshots they got came from the cache.',
    'Health rose to 87.4.',
    'Assistants name you less often than in the 30 days before.',
  ]);
});

test('a change that may be chance is no news', () => {
  expect(said({ visibility: { ...visibility, previousRate: 43, isSignificant: false } }).at(-1)).toBe(
    'Assistants name you in 40.0% of their answers.',
  );
  expect(said({ visibility: { ...visibility, answers: 9, previousRate: null, isSignificant: false } })).toHaveLength(2);
});

test('parts that could not be read are not talked about', () => {
  const unavailable = ['attention', 'visits', 'health', 'visibility'];

  expect(said({ attention: null, visits: null, unavailable })).toEqual([]);
});

test('five things may be more', () => {
  expect(said({ attention: ['a', 'b', 'c', 'd', 'e'].map(thing) })[0]).toBe('5 things or more need your attention.');
});
