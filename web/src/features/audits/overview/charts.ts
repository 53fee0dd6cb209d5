// The charts of a run as data: health over runs, pages by clicks from the start. Pure.
import type { ChartModel } from '../../../components/charts/model';
import { count, score } from '../../../lib/numbers';
import { dayOf, day, moment } from '../../../lib/times';
import * as m from '../../../messages/audits/overview';
import { hasResults } from '../model';
import type { Run } from '../types';

/** Runs that the chart shows. */
const MOST_RUNS = 12;

/** Makes the chart of the health of a run and of those before it, oldest first. */
export function healthChart(run: Run, runs: readonly Run[]): ChartModel {
  const now = new Date();
  const shown = runs
    .filter((other) => hasResults(other.status) && other.startedAt <= run.startedAt)
    .slice(0, MOST_RUNS)
    .toReversed();
  const points = shown.length > 0 ? shown : [run];
  const [first, last] = [points[0] ?? run, points.at(-1) ?? run];
  return {
    labels: points.map((point) => day(dayOf(new Date(point.startedAt)), now)),
    names: points.map((point) => moment(new Date(point.startedAt), now)),
    series: [{ id: 'health', name: m.health(), colour: 's1', values: points.map((point) => point.healthScore) }],
    sentence: m.healthSentence(points.length, score(first.healthScore), score(last.healthScore)),
    format: score,
    mayStartHigher: true,
  };
}

/** Makes the chart of pages by clicks from the start page. */
export function depthChart(run: Run): ChartModel {
  const { depth } = run.crawlStats;
  return {
    labels: depth.map((_, clicks) => count(clicks)),
    names: depth.map((_, clicks) => m.clicks(clicks)),
    series: [{ id: 'pages', name: m.pages(), colour: 's1', values: depth }],
    sentence: m.depthSentence(depth.length - 1, run.crawlStats.orphans),
    format: count,
  };
}
