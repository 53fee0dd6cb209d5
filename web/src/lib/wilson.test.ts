// The interval against values of Wilson's formula.
import { expect, test } from 'vitest';
import { areApart, wilson } from './wilson';

test('the interval is that of Wilson', () => {
  const { rate, low, high } = wilson(1052, 2412) ?? { rate: 0, low: 0, high: 0 };

  expect([rate, low, high].map((value) => value.toFixed(1))).toEqual(['43.6', '41.6', '45.6']);
});

test('nothing and everything stay within the possible', () => {
  expect(wilson(0, 10)).toEqual({ rate: 0, low: 0, high: expect.closeTo(27.75, 1) });
  expect(wilson(10, 10)).toEqual({ rate: 100, low: expect.closeTo(72.25, 1), high: expect.closeTo(100, 9) });
  expect(wilson(0, 0)).toBeNull();
});

test('rates differ when their intervals are apart', () => {
  const [low, high, near] = [wilson(20, 100), wilson(60, 100), wilson(25, 100)];

  expect(low && high && areApart(low, high)).toBe(true);
  expect(low && near && areApart(low, near)).toBe(false);
});
