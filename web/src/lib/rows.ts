// Rows as a table wants them: a number of rows of which some are there. Pure.

/** Rows of a table; those that are not there yet are undefined. */
export interface Rows<Row> {
  readonly total: number;
  row(index: number): Row | undefined;
  /** Is told which rows are shown, so that those near them can be read. */
  show(first: number, last: number): void;
}

/** Returns rows that are all there, in the given order. */
export function allRows<Row>(rows: readonly Row[]): Rows<Row> {
  return { total: rows.length, row: (index) => rows[index], show: () => undefined };
}

/** Returns the windows that the rows from `first` to `last` are in, and those that come near them. */
export function windowsOf(first: number, last: number, total: number, size: number): number[] {
  const ahead = size / 4;
  const low = Math.floor(Math.max(0, first - ahead) / size);
  const high = Math.floor(Math.min(Math.max(total - 1, 0), last + ahead) / size);
  return Array.from({ length: Math.max(0, high - low) + 1 }, (_, index) => low + index);
}

/** Sorts rows by a text or a number; rows without one stand last in either order. The order of equal rows is kept. */
export function sorted<Row>(
  rows: readonly Row[],
  value: (row: Row) => string | number | null,
  order: 'asc' | 'desc',
): Row[] {
  const factor = order === 'asc' ? 1 : -1;
  return rows.toSorted((left, right) => {
    const [one, other] = [value(left), value(right)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (typeof one === 'number' && typeof other === 'number') return factor * (one - other);
    return factor * String(one).localeCompare(String(other), 'en', { numeric: true });
  });
}
