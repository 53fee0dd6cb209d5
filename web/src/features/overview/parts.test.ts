// Rules of the parts of the overview: what a part that failed leaves alone, and what is new since the last visit.
import { expect, test } from 'vitest';
import type { OverviewReport } from '../../api/answers';
import type { Load } from '../../lib/refusal';
import { byDay, lookAgain, partOf, visitsModel, VISIT_MS } from './parts';

const load = (unavailable: string[]): Load<OverviewReport> => ({
  data: { unavailable, snapshots: null, health: null } as unknown as OverviewReport,
  refusal: null,
  isFetching: false,
  updatedAt: 1,
  retry: () => undefined,
});
const change = (date: string) => ({
  date,
  kind: 'connected' as const,
  count: null,
  subject: null,
  before: null,
  after: null,
  href: '/',
});

test('a part that could not be read is refused alone', () => {
  const missing = partOf(load(['snapshots']), 'snapshots', ({ snapshots }) => snapshots);
  const there = partOf(load(['snapshots']), 'health', ({ health }) => health);

  expect([missing.data, missing.refusal?.kind]).toEqual([undefined, 'unavailable']);
  expect([there.data, there.refusal]).toEqual([null, null]);
});

test('a window without a visit has no bars', () => {
  const visits = {
    total: 0,
    previous: 0,
    dates: ['2026-11-20', '2026-11-21'],
    ai: [0, 0],
    search: [0, 0],
    other: [0, 0],
  };

  const { series } = visitsModel(visits, new Date('2026-11-21T12:00:00Z'));

  expect(series.map(({ values }) => values)).toEqual([
    [null, null],
    [null, null],
    [null, null],
  ]);
});

test('changes are grouped by day, and those since the last visit are new', () => {
  const days = byDay(
    [change('2026-11-21'), change('2026-11-21'), change('2026-11-19')],
    new Date('2026-11-20T08:00:00Z'),
  );

  expect(days.map(({ date, changes }) => [date, changes.map(({ isNew }) => isNew)])).toEqual([
    ['2026-11-21', [true, true]],
    ['2026-11-19', [false]],
  ]);
  expect(byDay([change('2026-11-21')], null)[0]?.changes[0]?.isNew).toBe(false);
});

test('of the reports that come every day only the newest is a change', () => {
  const report = (date: string) => ({ ...change(date), kind: 'report_ready' as const });

  const days = byDay([report('2026-11-21'), change('2026-11-20'), report('2026-11-20'), report('2026-11-19')], null);

  expect(days.map(({ date, changes }) => [date, changes.map(({ kind }) => kind)])).toEqual([
    ['2026-11-21', ['report_ready']],
    ['2026-11-20', ['connected']],
  ]);
});

test('a reload goes on with a visit, half an hour later another one begins', () => {
  const first = lookAgain(null, 1000);
  const reload = lookAgain('1000 ', 2000);
  const later = lookAgain('2000 ', 2000 + VISIT_MS);

  expect(first).toEqual({ last: 1000, before: null });
  expect(reload).toEqual({ last: 2000, before: null });
  expect(later).toEqual({ last: 2000 + VISIT_MS, before: 2000 });
  expect(lookAgain('broken', 5)).toEqual({ last: 5, before: null });
});
