// Times as the dashboard shows them: instants in the reader's zone, days as UTC days, ages and durations. Pure.
// "Now" is always an argument, so that a test can choose it.
import { LOCALE } from './numbers';

const DAY_MS = 86_400_000;

/** Formatters by their options: making one takes a hundred times as long as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  let found = formatters.get(key);
  if (found === undefined) formatters.set(key, (found = new Intl.DateTimeFormat(LOCALE, options)));
  return found;
}

const UTC = { timeZone: 'UTC' } as const;
const SHORT_DAY = { day: 'numeric', month: 'short' } as const;
const MINUTE = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto', style: 'short' });

/** A day as the API writes it, `2026-11-15`: a UTC day. */
export type Day = string;

/** Returns the UTC day of an instant. */
export function dayOf(time: Date): Day {
  return time.toISOString().slice(0, 10);
}

/** Returns the `length` UTC days that end with the day of `now`, oldest first. */
export function lastDays(length: number, now: Date): Day[] {
  const end = Date.parse(dayOf(now));
  return Array.from({ length }, (_, index) => dayOf(new Date(end - (length - 1 - index) * DAY_MS)));
}

/** Formats a UTC day: 15 Nov, with the year only when it is another than today's. */
export function day(value: Day, now: Date): string {
  const date = new Date(value);
  const year = date.getUTCFullYear() === now.getUTCFullYear() ? {} : ({ year: 'numeric' } as const);
  return formatter({ ...SHORT_DAY, ...year, ...UTC }).format(date);
}

/** Formats a UTC day with its weekday, as tooltips of charts do: Sun 15 Nov. */
export function weekday(value: Day): string {
  return formatter({ weekday: 'short', ...SHORT_DAY, ...UTC })
    .format(new Date(value))
    .replace(',', '');
}

/** Formats how long ago a UTC day was: today, yesterday, 12 days ago. */
export function daysAgo(value: Day, now: Date): string {
  const days = Math.round((Date.parse(dayOf(now)) - Date.parse(value)) / DAY_MS);
  return days < 0 ? day(value, now) : relative.format(-days, 'day');
}

/** Formats an instant: 9 min ago for a day, then 21 Nov, 06:12 in the reader's zone, the year only if another. */
export function ago(time: Date, now: Date): string {
  const seconds = Math.round((now.getTime() - time.getTime()) / 1000);
  if (seconds < 0) return moment(time, now);
  if (seconds < 60) return relative.format(0, 'second');
  if (seconds < 3600) return relative.format(-Math.floor(seconds / 60), 'minute');
  if (seconds < 86_400) return relative.format(-Math.floor(seconds / 3600), 'hour').replace('hr', 'h');
  return moment(time, now);
}

/** Formats an instant in the reader's zone: 21 Nov, 06:12, the year only if another. */
export function moment(time: Date, now: Date): string {
  const year = time.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const);
  return `${formatter({ ...SHORT_DAY, ...year }).format(time)}, ${formatter(MINUTE).format(time)}`;
}

/** Formats the day of an instant in the reader's zone, for a heading: 21 November, the year only if another. */
export function longDay(time: Date, now: Date): string {
  const year = time.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const);
  return formatter({ day: 'numeric', month: 'long', ...year }).format(time);
}

/** Formats the clock time of an instant in the reader's zone: 07:14:52. */
export function clock(time: Date): string {
  return formatter({ ...MINUTE, second: '2-digit' }).format(time);
}

/** Formats an instant in UTC, for the hint of a local time: 21 Nov 2026, 06:12:09 UTC. */
export function utc(time: Date): string {
  const date = formatter({ ...SHORT_DAY, year: 'numeric', ...UTC }).format(time);
  return `${date}, ${formatter({ ...MINUTE, second: '2-digit', ...UTC }).format(time)} UTC`;
}

/** Formats the name of a UTC month that is given as `2026-11`: November. */
export function month(value: string): string {
  return formatter({ month: 'long', ...UTC }).format(new Date(`${value}-01`));
}

const days = new Intl.NumberFormat(LOCALE, { style: 'unit', unit: 'day', unitDisplay: 'long' });
const oneDecimal = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });
const decimals = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 });

/** Formats a duration in milliseconds: 0.4 ms, 850 ms, 1.79 s, 2 min, 9 h 12 min, 3 days. */
export function duration(ms: number): string {
  if (ms < 10) return `${oneDecimal.format(ms)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_995) return `${decimals.format(ms / 1000)} s`;
  return age(ms / 1000);
}

/** Formats an age or a length in seconds, rounded down to its largest unit: 12 min, 3 h, 2 days. Hours keep their minutes. */
export function age(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) {
    const minutes = Math.floor((seconds % 3600) / 60);
    return `${Math.floor(seconds / 3600)} h${minutes === 0 ? '' : ` ${minutes} min`}`;
  }
  return days.format(Math.floor(seconds / 86_400));
}

/** Formats what is left of a wait: 45 s, 1:30. */
export function countdown(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds));
  return left < 60 ? `${left} s` : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
}
