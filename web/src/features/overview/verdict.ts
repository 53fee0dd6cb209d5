// The sentences that open the overview: who read the site, and is anything wrong today? Made of what the service says, and of
// nothing else. Pure.
import type { OverviewReport } from '../../api/answers';
import * as m from '../../messages/overview';

/** A sentence with clauses that lead to lists. Those of a bad one are red. */
export interface Statement {
  words: m.Sentence;
  isBad: boolean;
}

/** Entries of attention that the service sends at most. */
const MOST = 5;
/** Answers below which a rate is no news. */
export const ENOUGH_ANSWERS = 10;
/** Change of health that a decimal shows. */
const LEAST_CHANGE = 0.05;

/** Returns the verdict: what crawlers read first, then what needs somebody. A figure that is not known is not talked about. */
export function verdictOf(report: OverviewReport): Statement[] {
  const isPending = report.status === 'pending';
  return [
    isPending ? seenOf(report) : visitsOf(report),
    isPending ? said(m.notConnected(report.domain)) : attentionOf(report),
    isPending && (report.visits?.total ?? 0) > 0 ? visitsOf(report) : null,
    healthOf(report),
    visibilityOf(report),
  ].filter((statement) => statement !== null);
}

const said = (words: m.Sentence, isBad = false): Statement => ({ words, isBad });

function seenOf({ words }: OverviewReport): Statement | null {
  return words === null || words.raw >= words.rendered ? null : said(m.seenToday(words.raw, words.rendered));
}

function visitsOf({ visits, words, days, status }: OverviewReport): Statement | null {
  if (visits === null) return null;
  if (visits.total === 0) return said(m.noVisits(days));
  const read = m.crawlersRead({ ...visits, visits: visits.total }, days);
  const isSaved = words !== null && words.raw < words.rendered && status !== 'pending';
  return said([...read, ...(isSaved ? ['; ', ...m.withoutUs(words.raw, words.rendered)] : []), '.']);
}

function attentionOf({ attention }: OverviewReport): Statement | null {
  if (attention === null) return null;
  const [first] = attention;
  if (first === undefined) return said(m.calm());
  const isBad = attention.some(({ severity }) => severity === 'error');
  return said(m.needing(attention.length, attention.length < MOST, m.attentionTitle(first)), isBad);
}

function healthOf({ health }: OverviewReport): Statement | null {
  if (health === null) return null;
  if (health.delta === null) return said(m.healthFirst(health.score));
  return said(m.healthMoved(health.score, health.delta), health.delta <= -LEAST_CHANGE);
}

function visibilityOf({ visibility, days }: OverviewReport): Statement | null {
  if (visibility === null || visibility.rate === null || visibility.answers < ENOUGH_ANSWERS) return null;
  const { rate, previousRate, isSignificant } = visibility;
  if (!isSignificant || previousRate === null) return said(m.named(rate));
  return said(m.namedChanged(rate, previousRate, days), rate < previousRate);
}
