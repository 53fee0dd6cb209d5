// Rules of charts, costs, chips and competitors of AI mentions.
import { expect, test } from 'vitest';
import type { Schemas } from '../../api/client';
import { chipsOf } from './chips';
import { costOf, linesOf, restOfMonth } from './cost';
import { isTaken, rivalsOf, withStanding, withTracked } from './rivals';
import { ratesOf, trendChart } from './trend';

const entry = (date: string, point?: { responses: number; mentions: number }): Schemas['TrendEntry'] => ({
  date,
  responses: point?.responses ?? 0,
  mentions: point?.mentions ?? 0,
  visibilityPercent: point ? (100 * point.mentions) / point.responses : null,
  ci: point ? [10, 90] : null,
  byProvider: point
    ? {
        chatgpt: { ...point, visibilityPercent: (100 * point.mentions) / point.responses },
        gemini: { responses: 1, mentions: 0, visibilityPercent: 0 },
      }
    : {},
});
const days = [
  entry('2026-11-23', { responses: 4, mentions: 1 }),
  entry('2026-11-24'),
  entry('2026-11-25', { responses: 2, mentions: 2 }),
];
const now = new Date('2026-11-25T12:00:00Z');

test('a day without answers is a gap, and only all assistants together have a band', () => {
  const chart = trendChart(days, 'visibility', [], now);

  expect(chart.series.map(({ id, values }) => [id, values])).toEqual([
    ['all', [25, null, 100]],
    ['chatgpt', [25, null, 100]],
    ['gemini', [0, null, 0]],
  ]);
  expect(chart.series[0]?.low).toEqual([10, null, 10]);
  expect(chart.series[1]?.low).toBeUndefined();
  expect(chart.endsToday).toBe(true);
});

test('AI Overviews and AI Mode are two series with a colour each', () => {
  const point = { responses: 2, mentions: 1, visibilityPercent: 50 };
  const day = { ...entry('2026-11-25', point), byProvider: { google_ai_mode: point, google_ai_overview: point } };

  const [, overviews, mode] = trendChart([day], 'visibility', [], now).series;

  expect(overviews).toMatchObject({ name: 'AI Overviews', colour: 'google' });
  expect(mode).toMatchObject({ name: 'AI Mode', colour: 'google-mode' });
});

test('position by assistant is a trend of its own, and is missing until it is there', () => {
  const own = days.map((one) => ({ ...one, avgPosition: one.responses > 0 ? 2 : null }));

  const chart = trendChart(days, 'position', [{ id: 'chatgpt', entries: own }], now);

  expect(chart.series.find(({ id }) => id === 'chatgpt')?.values).toEqual([2, null, 2]);
  expect(chart.series.find(({ id }) => id === 'gemini')?.values).toEqual([null, null, null]);
});

test('rates by assistant are of all answers of the window', () => {
  const [chatgpt, gemini] = ratesOf(days);

  expect(chatgpt).toMatchObject({ id: 'chatgpt', rate: 50, sample: 6 });
  expect(chatgpt?.low).toBeCloseTo(18.8, 1);
  expect(gemini).toMatchObject({ id: 'gemini', rate: 0, sample: 2 });
});

test('prompts cost what the chosen assistants cost, at once and a month, and nothing while paused', () => {
  const prices = [
    { provider: 'chatgpt', usdPerRun: 0.02 },
    { provider: 'gemini', usdPerRun: 0.1 },
  ];

  expect(costOf(3, ['chatgpt'], 'monthly', false, prices)).toMatchObject({ now: 3, month: 3 });
  expect(costOf(3, ['chatgpt'], 'dynamic', false, prices).usdMonth).toBeCloseTo(1.8);
  expect(costOf(3, ['chatgpt', 'gemini'], 'dynamic', true, prices)).toEqual({
    now: 0,
    usdNow: 0,
    month: 0,
    usdMonth: 0,
  });
  expect(linesOf(' a \n\nb\na')).toEqual(['a', 'b']);
  expect(restOfMonth(new Date('2026-11-16T00:00:00Z'))).toBeCloseTo(0.5);
});

test('chips say what is unusual about an answer', () => {
  const run = { status: 'ok', finish: 'complete', retrieval: 'used', demo: false, provider: 'chatgpt' };
  const texts = (change: Partial<typeof run>, style = 'native') =>
    chipsOf({ ...run, ...change }, [{ provider: 'chatgpt', style }]).map(({ text }) => text);

  expect(texts({})).toEqual([]);
  expect(texts({ finish: 'absent_overview' })).toEqual(['No overview shown']);
  expect(texts({ finish: 'absent_overview', provider: 'google_ai_mode' })).toEqual(['No answer shown']);
  expect(texts({ retrieval: 'not_used' })).toEqual(['Answered without a search']);
  expect(texts({ retrieval: 'off' }, 'chat')).toEqual(['Search switched off', 'local model']);
  expect(texts({ status: 'answered' })).toEqual(['Being analysed']);
  expect(texts({ status: 'error', retrieval: 'unknown' })).toEqual(['Failed']);
  expect(texts({ demo: true }, 'chat')).toEqual(['Made up for the demo']);
});

test('competitors are those of the profile and those that answers name, each once', () => {
  const found = [
    { name: 'notchly', sharePct: 30 },
    { name: 'PaperTrail', sharePct: 10 },
  ] as Schemas['CompetitorShare'][];
  const profile = [{ name: 'Notchly', status: 'ignored' as const, domains: ['notchly.com'] }];

  expect(rivalsOf(profile, found).map(({ name, status, figures }) => [name, status, figures?.sharePct])).toEqual([
    ['Notchly', 'ignored', 30],
    ['PaperTrail', 'discovered', 10],
  ]);
  expect(withStanding(profile, 'NOTCHLY', 'tracked')).toEqual([{ ...profile[0], status: 'tracked' }]);
  expect(withStanding(profile, 'PaperTrail', 'tracked')).toHaveLength(2);
  expect(withTracked(profile, 'notchly', ['notchly.io'])).toEqual([
    { name: 'Notchly', status: 'tracked', domains: ['notchly.com', 'notchly.io'] },
  ]);
  expect(isTaken({ name: 'LumaDocs', competitors: profile }, 'Notchly')).toBe(false);
  expect(isTaken({ name: 'LumaDocs', competitors: profile }, ' lumadocs ')).toBe(true);
});
