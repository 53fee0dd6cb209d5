// The state of a list or a report in the query of the address: search, order, filters, columns, row, range. Pure.
// Values that are the default are left out, so that an address is as short as what it changes.

/** The query of the current address, and the way to change it. `routes.ts` has the only one. */
export interface UrlState {
  readonly search: URLSearchParams;
  /** Changes parameters; null removes one. `replace` keeps the Back button from stepping through each letter of a search. */
  set(changes: Record<string, string | null>, options?: { replace?: boolean }): void;
}

export type Order = 'asc' | 'desc';

/** State of a table. `at` is the row that the reader was at. */
export interface TableState {
  q: string;
  sort: string;
  order: Order;
  filters: Record<string, string>;
  /** Ids of the columns that are shown; null: those that are shown by default. */
  cols: string[] | null;
  at: number;
}

/** Order of a table of which the address says nothing. */
export interface TableDefaults {
  sort: string;
  order: Order;
}

const FILTER = 'f.';

/** Reads the state of a table. `prefix` keeps the tables of one screen apart. */
export function readTable(search: URLSearchParams, defaults: TableDefaults, prefix = ''): TableState {
  const get = (name: string) => search.get(prefix + name);
  const order = get('order');
  const filters: Record<string, string> = {};
  for (const [name, value] of search) {
    if (name.startsWith(prefix + FILTER) && value !== '') filters[name.slice(prefix.length + FILTER.length)] = value;
  }
  const sort = get('sort') ?? defaults.sort;
  return {
    q: get('q') ?? '',
    sort,
    order: order === 'asc' || order === 'desc' ? order : sort === defaults.sort ? defaults.order : 'desc',
    filters,
    cols: get('cols')?.split(',').filter(Boolean) ?? null,
    at: wholeNumber(get('at')),
  };
}

/** Returns the parameters that change a table's state, for `UrlState.set`. Whatever changes the rows begins at the first one. */
export function tableChanges(
  change: Partial<TableState>,
  defaults: TableDefaults,
  prefix = '',
): Record<string, string | null> {
  const changes: Record<string, string | null> = {};
  const put = (name: string, value: string | null) => (changes[prefix + name] = value === '' ? null : value);
  if (change.q !== undefined) put('q', change.q);
  if (change.sort !== undefined || change.order !== undefined) {
    const isDefault = change.sort === defaults.sort && change.order === defaults.order;
    put('sort', isDefault ? null : (change.sort ?? null));
    put('order', isDefault ? null : (change.order ?? null));
  }
  for (const [name, value] of Object.entries(change.filters ?? {})) put(FILTER + name, value);
  if (change.cols !== undefined) put('cols', change.cols?.join(',') ?? null);
  const keepsRows = Object.keys(change).every((name) => name === 'cols' || name === 'at');
  put('at', keepsRows && change.at !== undefined && change.at > 0 ? String(change.at) : null);
  return changes;
}

/** Lengths of the reports' windows, in days. */
export const RANGES = [7, 30, 90] as const;
export type Range = (typeof RANGES)[number];

/** Reads the length of the window, in days. */
export function readRange(search: URLSearchParams): Range {
  return RANGES.find((range) => String(range) === search.get('range')) ?? 30;
}

/** Returns the parameters that change the window. */
export function rangeChanges(range: Range): Record<string, string | null> {
  return { range: range === 30 ? null : String(range) };
}

/** Applies changes to a query and returns its text, without the question mark. */
export function changedSearch(search: URLSearchParams, changes: Record<string, string | null>): string {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  return next.toString();
}

/** Makes the state of the address from a way to read its query and a way to go to another one, which ends when it is there. */
export function createUrlState(
  read: () => URLSearchParams,
  navigate: (search: string, replace: boolean) => Promise<void>,
): UrlState {
  /** Query that the address will have; null when it has it. A change builds on it: the router takes a moment. */
  let wanted: { search: string; replace: boolean } | null = null;
  return {
    get search() {
      return read();
    },
    set(changes, { replace = false } = {}) {
      const before = wanted === null ? read() : new URLSearchParams(wanted.search);
      const search = changedSearch(before, changes);
      if (search === before.toString()) return;
      // The router drops the change before this one, and with it the step that Back would undo.
      const next = { search, replace: replace && (wanted?.replace ?? true) };
      wanted = next;
      void navigate(next.search, next.replace).finally(() => {
        if (wanted === next) wanted = null;
      });
    },
  };
}

function wholeNumber(text: string | null): number {
  return text !== null && /^\d{1,7}$/.test(text) ? Number(text) : 0;
}
