// Rules of figures.
import { expect, test } from 'vitest';
import {
  bytes,
  changeInPercent,
  count,
  counted,
  delta,
  deltaPercent,
  list,
  money,
  percent,
  score,
  tone,
} from './numbers';

test('counts have separators of thousands', () => {
  expect([count(0), count(11303), count(1_000_000)]).toEqual(['0', '11,303', '1,000,000']);
});

test('rates have one decimal, or none in tables', () => {
  expect([percent(43.61), percent(94), percent(55.4, 0)]).toEqual(['43.6%', '94.0%', '55%']);
});

test('changes have a sign, and a minus that is as wide as the plus', () => {
  expect([delta(2.1), delta(-3.9), delta(0), delta(-0.04), deltaPercent(18.34)]).toEqual([
    '+2.1',
    '−3.9',
    '0.0',
    '0.0',
    '+18.3%',
  ]);
  expect([deltaPercent(999.94), deltaPercent(5800)]).toEqual(['+999.9%', '+5,800%']);
});

test('a tone has two decimals', () => {
  expect([tone(0.417), tone(-1), tone(0)]).toEqual(['+0.42', '−1.00', '0.00']);
});

test('a health score has one decimal', () => {
  expect([score(87.44), score(100)]).toEqual(['87.4', '100.0']);
});

test('a kilobyte has 1,000 bytes', () => {
  expect([bytes(0), bytes(999), bytes(1000), bytes(38_240), bytes(999_960), bytes(4_100_000)]).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '38.2 kB',
    '1.0 MB',
    '4.1 MB',
  ]);
});

test('there is no change in percent from nothing', () => {
  expect([changeInPercent(12, 10), changeInPercent(5, 0)]).toEqual([20, null]);
});

test('amounts below a cent show what they are', () => {
  expect([money(1.2), money(0), money(0.0031)]).toEqual(['$1.20', '$0.00', '$0.0031']);
});

test('words are joined and follow their count', () => {
  expect(list(['a', 'b', 'c'])).toBe('a, b and c');
  expect([counted(1, 'page', 'pages'), counted(1204, 'page', 'pages')]).toEqual(['1 page', '1,204 pages']);
});
