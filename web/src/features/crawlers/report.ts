// Figures that the screens make of the reports: windows, sums, shares, names. Pure.
import type { Schemas } from '../../api/client';
import type { VisitSeries } from '../../components/charts/visits';
import { lastDays } from '../../lib/times';
import * as m from '../../messages/crawlers';
import { providerName } from '../../messages/providers';

type Crawler = Schemas['CrawlerCount'];
type Timeline = Schemas['Timeline'];

/** Returns the first and the last day of the window of `days` UTC days that ends today. */
export function windowOf(days: number, now: Date): { from: string; to: string } {
  const all = lastDays(days, now);
  return { from: all[0] ?? '', to: all.at(-1) ?? '' };
}

/** Returns the query that carries a window along; empty for the usual one. */
export function searchOf(range: number): Record<string, string> {
  return range === 30 ? {} : { range: String(range) };
}

/** Returns the last `days` days of a timeline, with names for people; series without a visit are left out. */
export function lastOf(
  timeline: Timeline,
  days: number,
): { dates: string[]; series: VisitSeries[]; spoofed: number[] } {
  const series = timeline.series
    .map(({ id, name, counts }) => ({ id, name: m.seriesNames[id]?.() ?? name, counts: counts.slice(-days) }))
    .filter(({ counts }) => sum(counts) > 0);
  return { dates: timeline.dates.slice(-days), series, spoofed: timeline.spoofed.slice(-days) };
}

/** Visits of a window, and of as many days before it. */
export interface VisitsBeside {
  now: number;
  before: number;
}

/** Returns the visits of the last `days` days of a timeline, and of as many before them. */
export function visitsOf(timeline: Timeline, days: number): VisitsBeside {
  const perDay = timeline.dates.map((_, index) => sum(timeline.series.map(({ counts }) => counts[index] ?? 0)));
  return { now: sum(perDay.slice(-days)), before: sum(perDay.slice(-2 * days, -days)) };
}

/** Sums over all crawlers of a window. */
export interface CrawlerSums {
  /** Crawlers that came; those that were only pretended are left out. */
  crawlers: number;
  visits: number;
  fromCache: number;
  verified: number;
  /** Visits that nobody could check. */
  unverified: number;
  spoofed: number;
}

/** Adds the visits of all crawlers up. */
export function sumsOf(crawlers: readonly Crawler[]): CrawlerSums {
  const of = (value: (crawler: Crawler) => number) => sum(crawlers.map(value));
  const [visits, verified] = [of(({ visits }) => visits), of(({ verified }) => verified)];
  return {
    crawlers: crawlers.filter(({ visits }) => visits > 0).length,
    visits,
    fromCache: of(({ fromCache }) => fromCache),
    verified,
    unverified: Math.max(0, visits - verified),
    spoofed: of(({ spoofed }) => spoofed),
  };
}

/** Returns a share in percent; null without a whole. */
export function share(part: number, whole: number): number | null {
  return whole === 0 ? null : (100 * part) / whole;
}

/** Returns the value that a table of crawlers is sorted by. */
export function sortValue(crawler: Crawler, sort: string): string | number | null {
  switch (sort) {
    case 'kind':
      return m.purposeName(crawler.purpose);
    case 'provider':
      return providerName(crawler.provider);
    case 'fromCache':
      return share(crawler.fromCache, crawler.visits);
    case 'verified':
      return share(crawler.verified, crawler.visits);
    case 'failed':
      return crawler.clientErrors + crawler.serverErrors;
    case 'share':
      return share(crawler.spoofed, crawler.spoofed + crawler.visits);
    default: {
      const value = crawler[sort as keyof Crawler];
      return typeof value === 'string' || typeof value === 'number' ? value : null;
    }
  }
}

/** Counts people by assistant, most first. */
export function byAssistant(referrals: readonly Schemas['ReferralCount'][]): { assistant: string; people: number }[] {
  const found = new Map<string, number>();
  for (const { assistant, count } of referrals) found.set(assistant, (found.get(assistant) ?? 0) + count);
  return [...found]
    .map(([assistant, people]) => ({ assistant, people }))
    .toSorted((one, other) => other.people - one.people);
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
