// Scales, gaps and stacks of charts.
import { expect, test } from 'vitest';
import {
  barsPath,
  bandPath,
  foldSeries,
  labelled,
  linePath,
  lonely,
  scaleFor,
  spread,
  stack,
  sumAt,
  type Series,
} from './model';

const series = (values: (number | null)[], id = 'a'): Series => ({ id, name: id, colour: 's1', values });

test('counts start at zero and have round ticks', () => {
  expect(scaleFor([470])).toEqual({ min: 0, max: 500, ticks: [0, 100, 200, 300, 400, 500] });
  expect(scaleFor([3]).ticks.every(Number.isInteger)).toBe(true);
  expect(scaleFor([])).toEqual({ min: 0, max: 1, ticks: [0, 1] });
});

test('scores may start higher, when all of them are high', () => {
  expect(scaleFor([81.2, 87.4], true).min).toBeGreaterThan(70);
  expect(scaleFor([12, 87.4], true).min).toBe(0);
  expect(scaleFor([39.3], true)).toEqual({ min: 0, max: 40, ticks: [0, 10, 20, 30, 40] });
});

test('there are four to six gridlines', () => {
  for (const highest of [7, 11, 42, 99, 123, 470, 1001, 18_300]) {
    const { ticks } = scaleFor([highest]);
    expect(ticks.length, String(highest)).toBeGreaterThanOrEqual(4);
    expect(ticks.length, String(highest)).toBeLessThanOrEqual(7);
  }
});

test('days are labelled from today backwards', () => {
  expect(labelled(7)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(labelled(30)).toEqual([1, 8, 15, 22, 29]);
  expect(labelled(90)).toEqual([5, 19, 33, 47, 61, 75, 89]);
  expect(labelled(180).at(-1)).toBe(179);
});

test('a missing value is a gap in the line and never zero', () => {
  const path = linePath([1, 2, null, 4, 5], scaleFor([5]));

  expect(path.match(/M/g)).toHaveLength(2);
  expect(linePath([null, null], scaleFor([]))).toBe('');
});

test('a value between two gaps is a point', () => {
  expect(lonely([null, 3, null, 4, 5, null, 6])).toEqual([1, 6]);
});

test('an interval has the gaps of its line', () => {
  const path = bandPath([1, 1, null, 2], [3, 3, null, 4], scaleFor([4]));

  expect(path.match(/M/g)).toHaveLength(2);
});

test('series stand on each other, and nothing has no bar', () => {
  const [first, second] = stack([series([2, null, 0]), series([1, 4, 5], 'b')]);

  expect(first).toEqual([{ index: 0, from: 0, to: 2 }]);
  expect(second).toEqual([
    { index: 0, from: 2, to: 3 },
    { index: 1, from: 0, to: 4 },
    { index: 2, from: 0, to: 5 },
  ]);
  expect(barsPath(second ?? [], 3, scaleFor([5])).match(/z/g)).toHaveLength(3);
});

test('more series than six are six and one of the rest', () => {
  const many = Array.from({ length: 9 }, (_, index) => series([index, null], String(index)));

  const folded = foldSeries(many, 6, 'Other');

  expect(folded.map((one) => one.name)).toEqual(['0', '1', '2', '3', '4', '5', 'Other']);
  expect(folded.at(-1)?.values).toEqual([21, null]);
  expect(foldSeries(many.slice(0, 7), 6, 'Other')).toHaveLength(7);
});

test('a point without any value has no sum', () => {
  expect([sumAt([series([1, null]), series([2, null])], 0), sumAt([series([1, null])], 1)]).toEqual([3, null]);
});

test('labels at the ends of lines do not overlap', () => {
  const places = spread([50, 51, 52, 90], 7);

  expect(
    Math.min(
      ...places.toSorted((a, b) => a - b).map((place, index, all) => (index ? place - (all[index - 1] ?? 0) : 99)),
    ),
  ).toBeGreaterThan(6.9);
  expect(places[3]).toBe(90);
});

test('labels that are pushed apart stay inside the drawing', () => {
  expect(spread([0, 0, 0, 60], 8)).toEqual([0, 8, 16, 60]);
  expect(spread([100, 100], 8)).toEqual([92, 100]);
});
