// The data of a chart, and what follows from it: scales, ticks, stacks, paths, sentences. Pure; the components only draw.
// Everything is in the units of the drawing: 1,000 wide and 200 high, stretched to the place it has.
import { nice, ticks } from 'd3-array';
import { area, line } from 'd3-shape';

export const WIDTH = 1000;
export const HEIGHT = 200;

/** One series. A value that is missing is null, and drawn as a gap. */
export interface Series {
  id: string;
  name: string;
  /** A class of styles/base.css that has --c. */
  colour: string;
  values: readonly (number | null)[];
  /** 95% interval of each value. */
  low?: readonly (number | null)[];
  high?: readonly (number | null)[];
}

/** A chart over days, or over whatever its labels name. */
export interface ChartModel {
  /** Short label of each point: 15 Nov. */
  labels: readonly string[];
  /** Long label of each point, for the tooltip: Sun 15 Nov. */
  names: readonly string[];
  series: readonly Series[];
  /** Text alternative of the chart. */
  sentence: string;
  format: (value: number) => string;
  /** The last point is today, which is not over. */
  endsToday?: boolean;
  /** Scores may begin above zero; counts never do. */
  mayStartHigher?: boolean;
}

/** A vertical scale: its ends and its ticks. */
export interface Scale {
  min: number;
  max: number;
  ticks: number[];
}

/** Returns a scale with 4 to 6 round ticks for values up to `max`. */
export function scaleFor(values: readonly number[], mayStartHigher = false): Scale {
  const highest = Math.max(0, ...values);
  if (highest === 0) return { min: 0, max: 1, ticks: [0, 1] };
  const lowest = mayStartHigher ? Math.min(...values) : 0;
  // A single value has no height of its own: its scale begins at zero.
  const start = mayStartHigher && lowest > highest / 2 && lowest < highest ? lowest : 0;
  const tried = [5, 4, 3].map((wanted) => {
    const [min, max] = nice(start, highest, wanted);
    return { min, max, ticks: ticks(min, max, wanted) };
  });
  const found = tried.find((scale) => scale.ticks.length <= 6) ?? { min: start, max: highest, ticks: [start, highest] };
  // Counts of a few have no half ticks.
  const isWhole = values.every(Number.isInteger) && highest <= 5;
  return isWhole ? { ...found, ticks: found.ticks.filter(Number.isInteger) } : found;
}

/** Returns the height of a value in the drawing, from its top. */
export function yOf(value: number, scale: Scale): number {
  return HEIGHT - ((value - scale.min) / (scale.max - scale.min)) * HEIGHT;
}

/** Returns the middle of a point's band. */
export function xOf(index: number, points: number): number {
  return ((index + 0.5) / points) * WIDTH;
}

/** Returns the points that get a label: the last one and every so many before it, at most seven. */
export function labelled(points: number): number[] {
  const step = [1, 2, 7, 14, 30].find((step) => points / step <= 7) ?? Math.ceil(points / 6);
  const found: number[] = [];
  for (let index = points - 1; index >= 0; index -= step) found.unshift(index);
  return found;
}

/** Folds all but the largest series into one, so that at most `most` and it are left. */
export function foldSeries(series: readonly Series[], most: number, otherName: string): Series[] {
  const kept = series.slice(0, series.length > most + 1 ? most : series.length);
  const rest = series.slice(kept.length);
  if (rest.length === 0) return [...kept];
  const points = rest[0]?.values.length ?? 0;
  const values = Array.from({ length: points }, (_, index) => sumAt(rest, index));
  return [...kept, { id: 'other', name: otherName, colour: 'other', values }];
}

/** Returns the sum of all series at a point; null when none has a value there. */
export function sumAt(series: readonly Series[], index: number): number | null {
  const values = series.map((one) => one.values[index]).filter((value) => typeof value === 'number');
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

/** Returns the sum of a series. */
export function totalOf(series: Series): number {
  return series.values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

/** A bar of a stack. */
export interface Bar {
  index: number;
  from: number;
  to: number;
}

/** Stacks series on each other; bars without a height are left out. */
export function stack(series: readonly Series[]): Bar[][] {
  const heights: number[] = [];
  return series.map((one) =>
    one.values.flatMap((value, index) => {
      const from = heights[index] ?? 0;
      if (value === null || value <= 0) return [];
      heights[index] = from + value;
      return [{ index, from, to: from + value }];
    }),
  );
}

/** Returns the path of bars, each with a hair of space below it. */
export function barsPath(bars: readonly Bar[], points: number, scale: Scale): string {
  const band = WIDTH / points;
  const width = Math.max(1, band * 0.74);
  return bars
    .map((bar) => {
      const [top, bottom] = [yOf(bar.to, scale), yOf(bar.from, scale)];
      const height = Math.max(0.4, bottom - top - 0.8);
      const left = bar.index * band + (band - width) / 2;
      return `M${left.toFixed(1)} ${top.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h-${width.toFixed(1)}z`;
    })
    .join('');
}

interface Point {
  index: number;
  value: number | null;
}

function pointsOf(values: readonly (number | null)[]): Point[] {
  return values.map((value, index) => ({ index, value }));
}

/** Returns the path of a line, with gaps where values are missing. */
export function linePath(values: readonly (number | null)[], scale: Scale): string {
  const draw = line<Point>()
    .defined((point) => point.value !== null)
    .x((point) => xOf(point.index, values.length))
    .y((point) => yOf(point.value ?? 0, scale));
  return draw(pointsOf(values)) ?? '';
}

/** Returns the path of an interval around a line. */
export function bandPath(low: readonly (number | null)[], high: readonly (number | null)[], scale: Scale): string {
  const draw = area<Point>()
    .defined((point) => point.value !== null && typeof high[point.index] === 'number')
    .x((point) => xOf(point.index, low.length))
    .y0((point) => yOf(point.value ?? 0, scale))
    .y1((point) => yOf(high[point.index] ?? 0, scale));
  return draw(pointsOf(low)) ?? '';
}

/** Returns the points that stand alone between gaps: a line through one point would not be seen. */
export function lonely(values: readonly (number | null)[]): number[] {
  const has = (index: number) => typeof values[index] === 'number';
  return values.flatMap((_, index) => (has(index) && !has(index - 1) && !has(index + 1) ? [index] : []));
}

/** Moves labels apart until they are `gap` apart, in percent of the height, inside it, and keeps their order. */
export function spread(places: readonly number[], gap: number): number[] {
  const order = places.map((place, index) => ({ place, index })).toSorted((one, other) => one.place - other.place);
  for (let round = 0; round < 50; round += 1) {
    let moved = false;
    for (let next = 1; next < order.length; next += 1) {
      const [low, high] = [order[next - 1], order[next]];
      if (low === undefined || high === undefined || high.place - low.place >= gap - 0.01) continue;
      const push = (gap - (high.place - low.place)) / 2;
      [low.place, high.place, moved] = [low.place - push, high.place + push, true];
    }
    if (!moved) break;
  }
  // Labels pushed over the top or the bottom go back inside, and the others make room.
  const shift = (from: number, by: 1 | -1, edge: number) => {
    for (let index = from, limit = edge; order[index] !== undefined; index += by, limit += by * gap) {
      const label = order[index] as (typeof order)[number];
      if (by * (limit - label.place) <= 0) break;
      label.place = limit;
    }
  };
  shift(0, 1, 0);
  shift(order.length - 1, -1, 100);
  const found: number[] = [];
  for (const { place, index } of order) found[index] = place;
  return found;
}
