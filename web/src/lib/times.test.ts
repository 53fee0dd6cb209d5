// Rules of times. The zone of the process is UTC unless TZ says otherwise; rules about local times set it.
import { beforeAll, expect, test } from 'vitest';
import {
  age,
  ago,
  clock,
  countdown,
  day,
  dayOf,
  daysAgo,
  duration,
  lastDays,
  longDay,
  moment,
  month,
  utc,
  weekday,
} from './times';

const NOW = new Date('2026-11-22T12:00:00Z');
const before = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

beforeAll(() => {
  process.env.TZ = 'Europe/Berlin';
});

test('days are UTC days', () => {
  expect(dayOf(new Date('2026-11-15T23:59:59-05:00'))).toBe('2026-11-16');
  expect(lastDays(3, NOW)).toEqual(['2026-11-20', '2026-11-21', '2026-11-22']);
  expect([day('2026-11-15', NOW), day('2025-12-31', NOW)]).toEqual(['15 Nov', '31 Dec 2025']);
  expect(weekday('2026-11-15')).toBe('Sun 15 Nov');
});

test('of a past day the distance is said', () => {
  expect(['2026-11-22', '2026-11-21', '2026-11-10'].map((value) => daysAgo(value, NOW))).toEqual([
    'today',
    'yesterday',
    '12 days ago',
  ]);
});

test('an instant is relative for a day and local after it', () => {
  expect(ago(before(20), NOW)).toBe('now');
  expect(ago(before(9 * 60), NOW)).toBe('9 min ago');
  expect(ago(before(3 * 3600), NOW)).toBe('3 h ago');
  expect(ago(new Date('2026-11-21T05:12:00Z'), NOW)).toBe('21 Nov, 06:12');
  expect(ago(new Date('2025-11-21T05:12:00Z'), NOW)).toBe('21 Nov 2025, 06:12');
});

test('an instant in the future is not ago', () => {
  expect(ago(new Date('2026-11-22T12:30:00Z'), NOW)).toBe(moment(new Date('2026-11-22T12:30:00Z'), NOW));
});

test('clock times are local and UTC is at hand', () => {
  const time = new Date('2026-07-01T05:14:52Z');

  expect([clock(time), utc(time)]).toEqual(['07:14:52', '1 Jul 2026, 05:14:52 UTC']);
});

test('a month has its name', () => {
  expect(month('2026-11')).toBe('November');
});

test('durations are milliseconds below a second', () => {
  expect([0.42, 28, 999, 1790, 60_000, 33_120_000, 180_000_000].map(duration)).toEqual([
    '0.4 ms',
    '28 ms',
    '999 ms',
    '1.79 s',
    '1 min',
    '9 h 12 min',
    '2 days',
  ]);
});

test('ages are rounded down', () => {
  expect([59, 60, 3599, 3600, 86_399, 86_400, 172_800].map(age)).toEqual([
    '59 s',
    '1 min',
    '59 min',
    '1 h',
    '23 h 59 min',
    '1 day',
    '2 days',
  ]);
});

test('a countdown has minutes when it is long', () => {
  expect([0, 0.2, 45, 90, 600].map(countdown)).toEqual(['0 s', '1 s', '45 s', '1:30', '10:00']);
});

test('the day of a heading is that of the reader, with the year only if another', () => {
  expect(longDay(new Date(2026, 10, 21, 3), new Date(2026, 10, 25))).toBe('21 November');
  expect(longDay(new Date(2025, 0, 2), new Date(2026, 10, 25))).toBe('2 January 2025');
});
