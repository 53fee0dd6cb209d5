// Rules of the figures of crawlers.
import { expect, test } from 'vitest';
import type { Schemas } from '../../api/client';
import { byAssistant, lastOf, share, sortValue, sumsOf, visitsOf, windowOf } from './report';

const TIMELINE: Schemas['Timeline'] = {
  dates: ['2026-11-22', '2026-11-23', '2026-11-24', '2026-11-25'],
  series: [
    { id: 'ai', name: 'AI', counts: [1, 2, 3, 4] },
    { id: 'search', name: 'Search', counts: [5, 0, 0, 0] },
  ],
  spoofed: [0, 0, 7, 1],
  since: '2026-11-22',
};

const crawler = (more: Partial<Schemas['CrawlerCount']>): Schemas['CrawlerCount'] => ({
  id: 'gptbot',
  name: 'GPTBot',
  provider: 'openai',
  purpose: 'llm-training',
  visits: 0,
  verified: 0,
  spoofed: 0,
  fromCache: 0,
  pages: 0,
  clientErrors: 0,
  serverErrors: 0,
  firstSeen: null,
  lastSeen: null,
  daily: null,
  ...more,
});

test('a window of days ends today and has whole UTC days', () => {
  expect(windowOf(7, new Date('2026-11-25T00:10:00+02:00'))).toEqual({ from: '2026-11-18', to: '2026-11-24' });
});

test('a timeline of two windows gives this one and the one before', () => {
  expect(visitsOf(TIMELINE, 2)).toEqual({ now: 7, before: 8, begun: null });
  expect(lastOf(TIMELINE, 2)).toEqual({
    dates: ['2026-11-24', '2026-11-25'],
    series: [{ id: 'ai', name: 'AI crawlers', counts: [3, 4] }],
    spoofed: [7, 1],
  });
});

/** A timeline of 60 days, each with one visit from day `first` on. */
function begunOn(first: number): Schemas['Timeline'] {
  const dates = Array.from({ length: 60 }, (_, index) =>
    new Date(Date.UTC(2026, 9, 1 + index)).toISOString().slice(0, 10),
  );
  const counts = dates.map((_, index) => (index < first ? 0 : 1));
  return {
    dates,
    series: [{ id: 'ai', name: 'AI', counts }],
    spoofed: dates.map(() => 0),
    since: dates[first] ?? null,
  };
}

test('an earlier window that was counted in part only says from which day on', () => {
  expect(visitsOf(begunOn(15), 30)).toEqual({ now: 30, before: 15, begun: '2026-10-16' });
  expect(visitsOf(begunOn(1), 30).begun).toBe('2026-10-02');
  expect(visitsOf(begunOn(30), 30)).toEqual({ now: 30, before: 0, begun: '2026-10-31' });
});

test('an earlier window that was counted from its first day on is compared with', () => {
  expect(visitsOf(begunOn(0), 30).begun).toBeNull();
  expect(visitsOf({ ...begunOn(20), since: '2026-08-01' }, 30).begun).toBeNull();
});

test('a crawler that was only pretended is none that came', () => {
  const sums = sumsOf([crawler({ visits: 10, verified: 8, fromCache: 5 }), crawler({ spoofed: 4 })]);

  expect(sums).toEqual({ crawlers: 1, visits: 10, fromCache: 5, verified: 8, unverified: 2, spoofed: 4 });
});

test('a share of nothing is unknown and stands last in either order', () => {
  expect(share(0, 0)).toBeNull();
  expect(sortValue(crawler({ visits: 4, fromCache: 1 }), 'fromCache')).toBe(25);
  expect(sortValue(crawler({}), 'verified')).toBeNull();
});

test('people are added up by assistant', () => {
  const referral = (assistant: string, path: string, count: number) => ({ assistant, path, count });

  expect(
    byAssistant([referral('openai', '/', 2), referral('perplexity', '/', 4), referral('openai', '/a', 3)]),
  ).toEqual([
    { assistant: 'openai', people: 5 },
    { assistant: 'perplexity', people: 4 },
  ]);
});
