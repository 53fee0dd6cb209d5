// Rules of columns and orders.
import { expect, test } from 'vitest';
import { ariaSort, nextOrder, shownColumns, type Column } from './table';

const COLUMNS: Column[] = [
  { id: 'path', label: 'Page', sort: 'path' },
  { id: 'size', label: 'Size', sort: 'htmlBytes', align: 'end' },
  { id: 'etag', label: 'Etag', isOptional: true },
];
const ids = (named: string[] | null, remembered: string[] | null) =>
  shownColumns(COLUMNS, named, remembered).map((column) => column.id);

test('the address goes before what was remembered', () => {
  expect(ids(null, null)).toEqual(['path', 'size']);
  expect(ids(null, ['etag', 'path'])).toEqual(['path', 'etag']);
  expect(ids(['size'], ['etag'])).toEqual(['size']);
});

test('columns that no longer exist hide nothing', () => {
  expect(ids(['gone'], null)).toEqual(['path', 'size']);
});

test('figures begin with the largest, texts with a', () => {
  const [path, size] = COLUMNS as [Column, Column];

  expect([nextOrder(path, 'createdAt', 'desc'), nextOrder(size, 'path', 'asc')]).toEqual(['asc', 'desc']);
  expect([nextOrder(path, 'path', 'asc'), nextOrder(path, 'path', 'desc')]).toEqual(['desc', 'asc']);
});

test('the sorted column says so', () => {
  expect(COLUMNS.map((column) => ariaSort(column, 'path', 'asc'))).toEqual(['ascending', 'none', undefined]);
});
