// Rules of rows and windows.
import { expect, test } from 'vitest';
import { allRows, sorted, windowsOf } from './rows';

test('windows that come near are read ahead', () => {
  expect(windowsOf(0, 40, 50_000, 200)).toEqual([0]);
  expect(windowsOf(120, 160, 50_000, 200)).toEqual([0, 1]);
  expect(windowsOf(1000, 1040, 50_000, 200)).toEqual([4, 5]);
  expect(windowsOf(49_960, 49_999, 50_000, 200)).toEqual([249]);
  expect(windowsOf(0, 0, 0, 200)).toEqual([0]);
});

test('rows without a value stand last in either order', () => {
  const value = (row: number | null) => row;

  expect(sorted([3, null, 1], value, 'asc')).toEqual([1, 3, null]);
  expect(sorted([3, null, 1], value, 'desc')).toEqual([3, 1, null]);
});

test('texts are sorted as people do', () => {
  expect(sorted(['/page10', '/Page2', '/a'], (row) => row, 'asc')).toEqual(['/a', '/Page2', '/page10']);
});

test('rows that are all there are rows', () => {
  const rows = allRows(['a', 'b']);

  expect([rows.total, rows.row(1), rows.row(2)]).toEqual([2, 'b', undefined]);
});
