// Words of tables.
import { count } from '../lib/numbers';

export const search = (what: string) => `Search ${what}`;
export const filter = () => 'Filter';
export const columns = () => 'Columns';
export const downloadCsv = () => 'Download CSV';
export const csv = () => 'CSV';
export const select = (row: string) => `Select ${row}`;
export const selectAll = () => 'Select all shown';
export const selection = () => 'Selection';
export const selected = (number: number) => `${count(number)} selected`;
export const clear = () => 'Clear';
export const removeFilter = (name: string) => `Remove filter ${name}`;
export const filterChip = (name: string, value: string) => `${name}: ${value}`;
/** Describes the visible rows, of those that match, of all: 1 to 40 of 38, from 50,000. */
export const shownRows = (first: number, last: number, total: number) =>
  `${count(first)} to ${count(last)} of ${count(total)}`;
export const fromAll = (all: number) => `from ${count(all)}`;
export const noRows = (what: string) => `No ${what}`;
export const noMatch = (what: string, query: string) => `No ${what} match “${query}”`;
export const noMatchFiltered = (what: string) => `No ${what} match these filters`;
export const clearSearch = () => 'Clear search';
export const clearFilters = () => 'Clear filters';
export const any = () => 'Any';
export const loadingRow = () => 'Loading';
export const nextRow = () => 'Next row';
export const previousRow = () => 'Previous row';
export const markRow = () => 'Select the row';
export const focusSearch = () => 'Search in this table';
