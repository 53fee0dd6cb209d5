// Rules of the sentence that opens the overview: calm, pending, figures as the service gives them.
import { expect, test } from 'vitest';
import type { OverviewReport } from '../../api/answers';
import type { Sentence } from '../../messages/overview';
import { verdictOf } from './verdict';

const empty: OverviewReport = {
  domain: 'shop.test',
  status: 'connected',
  demo: false,
  days: 30,
  visits: { total: 0, crawlers: 0, pages: 0, previous: 0, dates: [], ai: [], search: [], other: [] },
  people: { total: 0, previous: 0 },
  served: { cachePercent: 0, cacheHits: 0, minutesSaved: 0 },
  health: null,
  words: null,
  visibility: null,
  snapshots: { total: 0, fresh: 0, stale: 0, failing: 0 },
  citedPages: [],
  attention: [],
  changes: [],
  unavailable: [],
};
const health = { runId: '7', completedAt: '', errors: 0, warnings: 0, notices: 0, points: [] };
const visibility = { answers: 200, mentions: 80, rate: 40, low: 33, high: 47, providers: [], points: [] };
const textOf = (words: Sentence) => words.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('');
const said = (report: Partial<OverviewReport>) => verdictOf({ ...empty, ...report }).map(({ words }) => textOf(words));
const read = { ...empty.visits, total: 4866, crawlers: 20, pages: 24 } as NonNullable<OverviewReport['visits']>;
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
  expect(said({})).toEqual(['No crawler visited in 30 days.', 'Nothing needs you.']);
});

test('a pending site is told to go on before anything else', () => {
  expect(said({ status: 'pending' })).toEqual(['shop.test is not connected yet: continue the set-up.']);
});

test('a pending site is shown what crawlers see of it today', () => {
  expect(said({ status: 'pending', words: { raw: 4, rendered: 144 } })).toEqual([
    'Crawlers see 4 words of the 144 on your start page today.',
    'shop.test is not connected yet: continue the set-up.',
  ]);
});

test('figures are those of the service', () => {
  expect(
    said({
      attention: [thing('a')],
      visits: read,
      words: { raw: 4, rendered: 144 },
      health: { ...health, score: 87.4, delta: 2.1 },
      visibility: { ...visibility, previousRate: 55, isSignificant: true },
    }),
  ).toEqual([
    '20 crawlers read 24 of your pages 4,866 times in 30 days; without Glasshouse they would have seen 4 words of the 144 on your start page.',
    '1 thing needs your attention: 1 visit of a crawler was answered with errors.',
    'Health rose to 87.4.',
    'Assistants name you less often than in the 30 days before.',
  ]);
});

test('words that the site sends without JavaScript too are not claimed', () => {
  const sentence = '20 crawlers read 24 of your pages 4,866 times in 30 days.';

  expect(said({ visits: read })[0]).toBe(sentence);
  expect(said({ visits: read, words: { raw: 144, rendered: 144 } })[0]).toBe(sentence);
  expect(said({ visits: read, words: { raw: 0, rendered: 9 } })[0]).toContain('seen not one word of the 9');
});

test('errors and falls are red, and each clause leads to its list', () => {
  const statements = verdictOf({
    ...empty,
    visits: read,
    words: { raw: 4, rendered: 144 },
    attention: [thing('a')],
    health: { ...health, score: 70, delta: -1 },
  });

  expect(statements.map(({ isBad }) => isBad)).toEqual([false, true, true]);
  const targets = statements.map(({ words }) =>
    words.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.to])),
  );
  expect(targets).toEqual([['crawlers', 'pages', 'visits', 'raw'], ['attention', 'urgent'], ['audit']]);
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
  expect(said({ attention: ['a', 'b', 'c', 'd', 'e'].map(thing) })[1]).toBe(
    '5 things or more need your attention, first of all: 1 visit of a crawler was answered with errors.',
  );
});
