// The sentences that open the overview: is anything wrong today? Made of what the service says, and of nothing else. Pure.
import type { OverviewReport } from '../../api/answers';
import * as m from '../../messages/overview';

/** A sentence; the middle of its words is a link when it has an address. */
export interface Statement {
  words: m.Sentence;
  href: string | null;
}

/** Addresses that sentences lead to. */
export interface Places {
  attention: string;
  setup: string;
  crawlers: string;
  audit: (runId: string) => string;
  mentions: string;
}

/** Entries of attention that the service sends at most. */
const MOST = 5;
/** Answers below which a rate is no news. */
export const ENOUGH_ANSWERS = 10;

/** Returns the verdict, the most urgent sentence first. */
export function verdictOf(report: OverviewReport, places: Places): Statement[] {
  const isPending = report.status === 'pending';
  return [
    isPending ? { words: m.notConnected(report.domain), href: places.setup } : attentionOf(report, places),
    isPending && (report.visits?.total ?? 0) === 0 ? null : visitsOf(report, places),
    healthOf(report, places),
    visibilityOf(report, places),
  ].filter((statement) => statement !== null);
}

function attentionOf({ attention }: OverviewReport, places: Places): Statement | null {
  if (attention === null) return null;
  if (attention.length === 0) return { words: m.calm(), href: null };
  return { words: m.needing(attention.length, attention.length < MOST), href: places.attention };
}

function visitsOf({ visits, served, days }: OverviewReport, places: Places): Statement | null {
  if (visits === null) return null;
  if (visits.total === 0) return { words: m.noVisits(days), href: null };
  return { words: m.cameTimes(visits.total, days, served?.cachePercent ?? null), href: places.crawlers };
}

function healthOf({ health }: OverviewReport, places: Places): Statement | null {
  if (health === null) return null;
  const words = health.delta === null ? m.healthFirst(health.score) : m.healthMoved(health.score, health.delta);
  return { words, href: places.audit(health.runId) };
}

function visibilityOf({ visibility, days }: OverviewReport, places: Places): Statement | null {
  if (visibility === null || visibility.rate === null || visibility.answers < ENOUGH_ANSWERS) return null;
  const { rate, previousRate, isSignificant } = visibility;
  const isNews = isSignificant && previousRate !== null;
  return {
    words: isNews ? m.namedChanged(rate, previousRate, days) : m.named(rate),
    href: places.mentions,
  };
}
