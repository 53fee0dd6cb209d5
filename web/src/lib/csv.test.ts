// Rules of pasted CSV.
import { expect, test } from 'vitest';
import { parseCsv } from './csv';

test('rows and cells are taken apart', () => {
  expect(parseCsv('/old/*,/new/$1,301\r\n/a,/b,307\n')).toEqual([
    ['/old/*', '/new/$1', '301'],
    ['/a', '/b', '307'],
  ]);
});

test('quotes keep separators, quotes and line ends', () => {
  expect(parseCsv('"a,b","say ""hi""","two\nlines"')).toEqual([['a,b', 'say "hi"', 'two\nlines']]);
});

test('a spreadsheet may separate by tabs or semicolons', () => {
  expect(parseCsv('/a\t/b,c\n')).toEqual([['/a', '/b,c']]);
  expect(parseCsv('/a;/b\n/c;/d')).toEqual([
    ['/a', '/b'],
    ['/c', '/d'],
  ]);
});

test('empty lines, a byte order mark and blanks are left out', () => {
  expect(parseCsv('\ufeff /a , /b \n\n   \n')).toEqual([['/a', '/b']]);
  expect(parseCsv('')).toEqual([]);
});

test('a quote that never ends takes the rest', () => {
  expect(parseCsv('"a,b\nc')).toEqual([['a,b\nc']]);
});
