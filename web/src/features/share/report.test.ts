// Rules of the public page.
import { expect, test } from 'vitest';
import { pagesOf, seriesOf, tokenOf } from './report';

test('only a whole token of a fragment is one', () => {
  expect(tokenOf('#gh_stats_abcDEF123')).toBe('gh_stats_abcDEF123');
  expect(['', '#', '#gh_live_abc', '#gh_stats_', '#gh_stats_a b', '#gh_stats_a\r\nx: y'].map(tokenOf)).toEqual(
    Array.from({ length: 6 }, () => null),
  );
});

test('a company without visits on a day counts none there; most visits are first', () => {
  const day = (date: string, ...providers: { provider: string; count: number }[]) => ({ date, total: 0, providers });
  const series = seriesOf({
    daily: [
      day('2026-11-24', { provider: 'google', count: 2 }),
      day('2026-11-25', { provider: 'openai', count: 5 }, { provider: 'google', count: 1 }),
    ],
  });

  expect(series).toEqual([
    { id: 'openai', name: 'OpenAI', counts: [0, 5] },
    { id: 'google', name: 'Google', counts: [2, 1] },
  ]);
});

test('visits of a page are added up over companies', () => {
  const pages = pagesOf({
    byProvider: [
      { path: '/', provider: 'google', count: 3 },
      { path: '/a', provider: 'google', count: 1 },
      { path: '/', provider: 'openai', count: 2 },
    ],
    byServedBy: [
      { path: '/', servedBy: 'cache', count: 4 },
      { path: '/', servedBy: 'origin', count: 1 },
    ],
  });

  expect(pages).toEqual([
    { path: '/', visits: 5, fromCache: 4, providers: ['google', 'openai'] },
    { path: '/a', visits: 1, fromCache: 0, providers: ['google'] },
  ]);
});
