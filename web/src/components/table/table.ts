// Parts of a table: columns, filters, and which of them a reader wants to see. Pure.
// See docs/decisions/0370.
import type { Order } from '../../lib/url-state';

export interface Column {
  id: string;
  label: string;
  /** Figures stand at the end. */
  align?: 'end';
  /** The service sorts by this name. */
  sort?: string;
  /** Order of the first press on the header. */
  firstOrder?: Order;
  /** 1 shows on every width, 2 from 560 px of the table, 3 from 860 px. */
  priority?: 1 | 2 | 3;
  /** Off until somebody switches it on. */
  isOptional?: boolean;
  /** True for the one column that fills the remaining width. */
  isWide?: boolean;
}

export interface Filter {
  id: string;
  label: string;
  options: readonly { value: string; label: string }[];
}

/** Returns the columns to show: those that the address names, those that were remembered, else those that are not optional. */
export function shownColumns<C extends Column>(
  columns: readonly C[],
  named: readonly string[] | null,
  remembered: readonly string[] | null,
): C[] {
  const wanted = named ?? remembered;
  const found = wanted === null ? [] : columns.filter((column) => wanted.includes(column.id));
  return found.length > 0 ? found : columns.filter((column) => column.isOptional !== true);
}

/** Returns the order after a press on a header: its own first order, then the other one. */
export function nextOrder(column: Column, sort: string, order: Order): Order {
  if (column.sort !== sort) return column.firstOrder ?? (column.align === 'end' ? 'desc' : 'asc');
  return order === 'asc' ? 'desc' : 'asc';
}

/** Returns the value of `aria-sort`; none for a column that cannot be sorted. */
export function ariaSort(column: Column, sort: string, order: Order): 'ascending' | 'descending' | 'none' | undefined {
  if (column.sort === undefined) return undefined;
  if (column.sort !== sort) return 'none';
  return order === 'asc' ? 'ascending' : 'descending';
}
