// Rows of a long list, read in windows of 200 as they come near, and kept. Used by screens with a DataTable.
import { createQueries, createQuery, keepPreviousData, type CreateQueryOptions } from '@tanstack/svelte-query';
import type { Load } from '../lib/refusal';
import type { Rows } from '../lib/rows';
import { windowsOf } from '../lib/rows';
import { loadOf } from './queries';

/** Rows that are read at once. */
export const WINDOW = 200;

/** One answer of a list. */
export interface Page<Row> {
  rows: Row[];
  total: number;
}

/** Rows of a list, and the state of the first window, which is that of the table as a whole. */
export interface RowWindows<Row> extends Rows<Row> {
  readonly load: Load<Page<Row>>;
}

// Queries of different answers have no type in common; `select` gives each the type that counts.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type PageQuery<Row> = CreateQueryOptions<any, Error, Page<Row>, any>;

/**
 * Reads a list in windows. `page` returns the query of a window: `read(path, …)` with a `select` that makes a `Page` of the answer.
 * While a new order or filter loads, the rows of the old one are shown.
 */
export function createWindows<Row>(
  page: (range: { limit: number; offset: number }) => PageQuery<Row>,
): RowWindows<Row> {
  const windowQuery = (window: number) => page({ limit: WINDOW, offset: window * WINDOW });
  let later = $state.raw<number[]>([]);
  const first = createQuery(() => ({ ...windowQuery(0), placeholderData: keepPreviousData }));
  const others = createQueries(() => ({ queries: later.map(windowQuery) }));
  const total = $derived(first.data?.total ?? 0);
  const rowsOf = (window: number): Row[] | undefined => {
    const answer = window === 0 ? first.data : others[later.indexOf(window)]?.data;
    return (answer as Page<Row> | undefined)?.rows;
  };
  const load = loadOf(first);
  return {
    get total() {
      return total;
    },
    row: (index) => rowsOf(Math.floor(index / WINDOW))?.[index % WINDOW],
    show(from, to) {
      const next = windowsOf(from, to, total, WINDOW).filter((window) => window > 0);
      if (next.join() !== later.join()) later = next;
    },
    load,
  };
}
