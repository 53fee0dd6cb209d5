// Crawler visits of UTC days as a chart: series in the colours of their companies, what has no colour of its own folded into Other.
// Pure. Used by every screen that draws visits per day.
import { count } from '../../lib/numbers';
import { day, weekday } from '../../lib/times';
import { providerColour } from '../provider.svelte';
import { sumAt, totalOf, type ChartModel, type Series } from './model';

/** Counts of one company, kind or way of answering, one for each day. */
export interface VisitSeries {
  id: string;
  name: string;
  counts: readonly number[];
}

/** Colours of the series that are no companies. */
const COLOURS: Record<string, string> = {
  ai: 's1',
  search: 's2',
  cache: 's1',
  render: 's2',
  origin: 'other',
  spoofed: 'error-c',
};

/** Returns the colour of a series of visits. */
export function visitColour(id: string): string {
  return COLOURS[id] ?? providerColour(id);
}

/** Returns the series to draw: one for each colour, in the given order, and the rest as one series behind them. */
export function visitSeries(series: readonly VisitSeries[], otherName: string): Series[] {
  const byColour = new Map<string, Series[]>();
  for (const { id, name, counts } of series) {
    const colour = visitColour(id);
    byColour.set(colour, [...(byColour.get(colour) ?? []), { id, name, colour, values: counts }]);
  }
  const merged = [...byColour].map(([colour, parts]) => {
    const [first] = parts;
    const isOther = colour === 'other' && parts.length > 1;
    const values = (first?.values ?? []).map((_, index) => sumAt(parts, index));
    return {
      id: isOther ? 'other' : (first?.id ?? colour),
      name: isOther ? otherName : (first?.name ?? ''),
      colour,
      values,
    };
  });
  return [...merged.filter(({ colour }) => colour !== 'other'), ...merged.filter(({ colour }) => colour === 'other')];
}

/** Returns the chart of visits per day. `sentence` is given the sum and the name of the largest series. */
export function visitsModel(
  dates: readonly string[],
  series: readonly VisitSeries[],
  words: { other: string; sentence: (all: number, most: string) => string },
  now: Date,
): ChartModel {
  const drawn = visitSeries(series, words.other);
  const totals = drawn.map(totalOf);
  const all = totals.reduce((sum, total) => sum + total, 0);
  const most = all === 0 || drawn.length < 2 ? '' : (drawn[totals.indexOf(Math.max(...totals))]?.name ?? '');
  return {
    labels: dates.map((date) => day(date, now)),
    names: dates.map((date) => weekday(date)),
    series: drawn,
    sentence: words.sentence(all, most),
    format: count,
    endsToday: true,
  };
}
