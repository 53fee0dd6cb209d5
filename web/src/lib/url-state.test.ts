// Rules of what the address says of tables and reports.
import { expect, test } from 'vitest';
import { createUrlState, changedSearch, rangeChanges, readRange, readTable, tableChanges } from './url-state';

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

/** Makes an address whose changes arrive when the test lets them; one that another has followed is dropped, as by the router. */
function slowAddress(start = '') {
  let search = new URLSearchParams(start);
  const asked: { text: string; replace: boolean; arrive: () => void }[] = [];
  const state = createUrlState(
    () => search,
    (text, replace) => new Promise((resolve) => asked.push({ text, replace, arrive: resolve })),
  );
  async function arrive(): Promise<void> {
    search = new URLSearchParams(asked.at(-1)?.text);
    for (const { arrive: end } of asked.splice(0)) end();
    await Promise.resolve();
    await Promise.resolve();
  }
  return { state, asked, arrive };
}

test('a change that comes before the one before it has arrived keeps both', () => {
  const { state, asked } = slowAddress('only=new');

  state.set({ provider: 'openai' });
  state.set({ q: 'brand' });

  expect(asked.at(-1)?.text).toBe('only=new&provider=openai&q=brand');
});

test('a change that is taken back before it has arrived is taken back', () => {
  const { state, asked } = slowAddress();

  state.set({ provider: 'openai' });
  state.set({ provider: null });

  expect(asked.at(-1)?.text).toBe('');
});

test('Back undoes a filter although a search came before the filter had arrived', () => {
  const { state, asked } = slowAddress();

  state.set({ provider: 'openai' });
  state.set({ q: 'brand' }, { replace: true });

  expect(asked.at(-1)?.replace).toBe(false);
});

test('a change builds on the address once the change before it has arrived', async () => {
  const { state, asked, arrive } = slowAddress();
  state.set({ q: 'brand' }, { replace: true });
  await arrive();

  state.set({ at: '4' }, { replace: true });

  expect(asked).toMatchObject([{ text: 'q=brand&at=4', replace: true }]);
});
