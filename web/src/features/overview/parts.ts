// Parts of the overview as panels and charts want them. Pure.
import type { OverviewReport } from '../../api/answers';
import type { ChartModel } from '../../components/charts/model';
import { count } from '../../lib/numbers';
import type { Load } from '../../lib/refusal';
import { day, dayOf, weekday } from '../../lib/times';
import * as m from '../../messages/overview';

type PartName =
  'visits' | 'people' | 'served' | 'health' | 'visibility' | 'snapshots' | 'citedPages' | 'attention' | 'changes';

/** Returns a part with the states of its panel: what the service could not read is an error there alone. */
export function partOf<T>(
  load: Load<OverviewReport>,
  name: PartName,
  pick: (report: OverviewReport) => T | null,
): Load<T | null> {
  return {
    get data() {
      return load.data === undefined || load.data.unavailable.includes(name) ? undefined : pick(load.data);
    },
    get refusal() {
      const isMissing = load.data?.unavailable.includes(name) === true;
      return isMissing ? { kind: 'unavailable' as const, status: 503, requestId: null } : load.refusal;
    },
    get isFetching() {
      return load.isFetching;
    },
    get updatedAt() {
      return load.updatedAt;
    },
    retry: load.retry,
  };
}

/** Returns visits a day as a chart. Without a single visit nothing is drawn. */
export function visitsModel(
  visits: Omit<NonNullable<OverviewReport['visits']>, 'crawlers' | 'pages'>,
  now: Date,
): ChartModel {
  const sums = visits.dates.map(
    (_, index) => (visits.ai[index] ?? 0) + (visits.search[index] ?? 0) + (visits.other[index] ?? 0),
  );
  const shown = (values: number[]) => (visits.total === 0 ? values.map(() => null) : values);
  return {
    labels: visits.dates.map((date) => day(date, now)),
    names: visits.dates.map(weekday),
    series: [
      { id: 'ai', name: m.ai(), colour: 's1', values: shown(visits.ai) },
      { id: 'search', name: m.search(), colour: 's2', values: shown(visits.search) },
      { id: 'other', name: m.other(), colour: 'other', values: shown(visits.other) },
    ],
    sentence: m.perDaySentence(visits.dates.length, visits.total, Math.max(0, ...sums)),
    format: count,
    endsToday: true,
  };
}

type Change = NonNullable<OverviewReport['changes']>[number];

/** Changes of one day. */
export interface ChangeDay {
  date: string;
  changes: (Change & { isNew: boolean })[];
}

/**
 * Groups changes by day, newest first, and marks those since the last visit. Of a change only the day is known: one of the day of the last visit
 * may have come after it, and counts as new. `lastVisit` null: the first visit, when nothing is marked. Of reports, which come every
 * day, only the newest is left: it stands for those before it.
 */
export function byDay(changes: readonly Change[], lastVisit: Date | null): ChangeDay[] {
  const days: ChangeDay[] = [];
  const report = changes.find(({ kind }) => kind === 'report_ready');
  for (const change of changes) {
    if (change.kind === 'report_ready' && change !== report) continue;
    const isNew = lastVisit !== null && change.date >= dayOf(lastVisit);
    if (days.at(-1)?.date !== change.date) days.push({ date: change.date, changes: [] });
    days.at(-1)?.changes.push({ ...change, isNew });
  }
  return days;
}

/** Time without a look after which a new visit begins, in milliseconds. */
export const VISIT_MS = 30 * 60_000;

/** Times at which this browser looked at a domain: the last one, and the last one of the visit before. */
export interface Looks {
  last: number;
  before: number | null;
}

/** Returns what is remembered after a look. A reload, or a look within half an hour, belongs to the same visit. */
export function lookAgain(remembered: string | null, now: number): Looks {
  const [last, before] = (remembered ?? '').split(' ').map(Number);
  if (last === undefined || !Number.isFinite(last) || last <= 0) return { last: now, before: null };
  const isSame = now - last < VISIT_MS;
  const kept = before !== undefined && Number.isFinite(before) && before > 0 ? before : null;
  return { last: now, before: isSame ? kept : last };
}
