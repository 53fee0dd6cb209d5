// Numbers as the dashboard shows them: counts, rates, scores, changes, sizes, money. Pure.
// Every figure on a screen goes through one of these functions, so that a figure looks the same everywhere.

/** Locale of numbers and dates: English, with the day before the month and 24 hours. */
export const LOCALE = 'en-GB';

const MINUS = '−';

function format(options: Intl.NumberFormatOptions): (value: number) => string {
  // Made when it is needed first: that takes longer than hundreds of its answers.
  let formatter: Intl.NumberFormat | undefined;
  return (value) => (formatter ??= new Intl.NumberFormat(LOCALE, options)).format(value);
}

/** Formats a count: 11,303. */
export const count = format({ maximumFractionDigits: 0 });

/** Formats a health score: 87.4. */
export const score = format({ minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Formats a mean position: 2.3. */
export const position = score;

const whole = format({ maximumFractionDigits: 0 });
const decimal = format({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
const twoDecimals = format({ minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Formats a rate that is given in percent: 43.6%. */
export function percent(value: number, digits: 0 | 1 = 1): string {
  return `${digits === 0 ? whole(value) : decimal(value)}%`;
}

/** Formats a change with its sign: +2.1, −3.9, 0. The sign of a value that rounds to zero is left out. */
export function delta(value: number, digits: 0 | 1 | 2 = 1): string {
  const text = [whole, decimal, twoDecimals][digits]?.(Math.abs(value)) ?? '';
  if (!/[1-9]/.test(text)) return text;
  return value < 0 ? MINUS + text : `+${text}`;
}

/** Formats a change in percent: +18.3%, and +5,800% without decimals from a thousand on. */
export function deltaPercent(value: number): string {
  return `${delta(value, Math.abs(value) < 999.95 ? 1 : 0)}%`;
}

/** Formats a tone from -1 to 1, with its sign and two decimals: +0.42. */
export function tone(value: number): string {
  return delta(value, 2);
}

/** Returns the change from `before` to `now` in percent; null when there was nothing before, or not all of it was counted. */
export function changeInPercent(now: number, before: number | null): number | null {
  return before === null || before === 0 ? null : ((now - before) / before) * 100;
}

/** Formats a size in bytes, in steps of 1,000: 29 B, 38.2 kB, 4.1 MB. */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [shown, unit] = [value, 0];
  // 999.95 would be shown as 1,000.0.
  while (shown >= 999.95 && unit < units.length - 1) [shown, unit] = [shown / 1000, unit + 1];
  return `${unit === 0 ? whole(shown) : decimal(shown)} ${units[unit]}`;
}

const DOLLARS = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
const dollars = format({ ...DOLLARS, minimumFractionDigits: 2 });
const fractions = format({ ...DOLLARS, minimumFractionDigits: 4 });

/** Formats an amount of US dollars: $1.20, and four decimals below a cent. */
export function money(value: number): string {
  return value !== 0 && Math.abs(value) < 0.01 ? fractions(value) : dollars(value);
}

const lists = new Intl.ListFormat(LOCALE, { type: 'conjunction' });

/** Joins words: a, b and c. */
export function list(items: readonly string[]): string {
  return lists.format(items);
}

const plurals = new Intl.PluralRules(LOCALE);

/** Returns the count with the form of the word that goes with it: 1 page, 2 pages. */
export function counted(value: number, one: string, other: string): string {
  return `${count(value)} ${plurals.select(value) === 'one' ? one : other}`;
}
