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
  expect(visitsOf(TIMELINE, 2)).toEqual({ now: 7, before: 8 });
  expect(lastOf(TIMELINE, 2)).toEqual({
    dates: ['2026-11-24', '2026-11-25'],
    series: [{ id: 'ai', name: 'AI crawlers', counts: [3, 4] }],
    spoofed: [7, 1],
  });
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
