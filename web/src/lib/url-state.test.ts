// Rules of what the address says of tables and reports.
import { expect, test } from 'vitest';
import { changedSearch, rangeChanges, readRange, readTable, tableChanges } from './url-state';

const DEFAULTS = { sort: 'createdAt', order: 'desc' } as const;
const read = (query: string, prefix = '') => readTable(new URLSearchParams(query), DEFAULTS, prefix);

test('an empty address is the default', () => {
  expect(read('')).toEqual({ q: '', sort: 'createdAt', order: 'desc', filters: {}, cols: null, at: 0 });
});

test('search, order, filters, columns and row are read', () => {
  expect(read('q=%2Fdocs+api&sort=path&order=asc&f.state=stale&f.status=404&cols=path,age&at=1200')).toEqual({
    q: '/docs api',
    sort: 'path',
    order: 'asc',
    filters: { state: 'stale', status: '404' },
    cols: ['path', 'age'],
    at: 1200,
  });
});

test('nonsense in the address is the default', () => {
  expect(read('order=up&at=-5&cols=&f.state=')).toEqual(read('cols='));
  expect(read('at=1e9').at).toBe(0);
});

test('what is written is what is read', () => {
  const state = { q: '007', sort: 'path', order: 'asc', filters: { state: 'stale' }, cols: ['path'] } as const;

  const query = changedSearch(new URLSearchParams('range=7'), tableChanges({ ...state, cols: ['path'] }, DEFAULTS));

  expect(read(query)).toEqual({ ...state, at: 0 });
  expect(query).toContain('range=7');
});

test('the default order and an empty search are not written', () => {
  expect(tableChanges({ q: '', sort: 'createdAt', order: 'desc' }, DEFAULTS)).toEqual({
    q: null,
    sort: null,
    order: null,
    at: null,
  });
});

test('a change of the rows begins at the first one', () => {
  expect(tableChanges({ filters: { state: '' } }, DEFAULTS)).toEqual({ 'f.state': null, at: null });
  expect(tableChanges({ at: 40 }, DEFAULTS)).toEqual({ at: '40' });
});

test('two tables of a screen are kept apart', () => {
  const query = changedSearch(new URLSearchParams('q=a'), tableChanges({ q: 'b' }, DEFAULTS, 'sitemap.'));

  expect([read(query).q, read(query, 'sitemap.').q]).toEqual(['a', 'b']);
});

test('the window is 7, 30 or 90 days', () => {
  expect(['range=7', 'range=90', 'range=8', ''].map((query) => readRange(new URLSearchParams(query)))).toEqual([
    7, 90, 30, 30,
  ]);
  expect([rangeChanges(30), rangeChanges(7)]).toEqual([{ range: null }, { range: '7' }]);
});
