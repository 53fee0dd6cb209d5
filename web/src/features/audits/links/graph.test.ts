// Places of pages in the picture of links.
import { expect, test } from 'vitest';
import type { LinkGraph } from '../types';
import { nodeAt, placeNodes } from './graph';

function graphOf(depths: (number | null)[], edges: [number, number][] = []): LinkGraph {
  const nodes = depths.map((depth, index) => ({
    id: String(index),
    path: `/${index}`,
    statusCode: 200,
    healthScore: 90,
    depth,
    inlinkCount: index,
  }));
  return { nodes, edges, edgeTotal: 0, pageTotal: nodes.length };
}

const radius = ({ x, y }: { x: number; y: number }) => Math.hypot(x, y);

test('the start page is in the middle, and more clicks are further out; pages without a way to them are outermost', () => {
  const placed = placeNodes(graphOf([0, 1, 2, null]));

  const radii = placed.map(radius);
  expect(radii[0]).toBe(0);
  expect(radii).toEqual(radii.toSorted((one, other) => one - other));
  expect(Math.max(...radii)).toBeLessThanOrEqual(1);
});

test('the same graph gives the same picture, and no two pages stand at one place', () => {
  const graph = graphOf(
    [0, 1, 1, 1, 2, 2, 2, 2],
    [
      [0, 1],
      [0, 2],
      [0, 3],
      [3, 4],
      [2, 5],
      [1, 6],
      [1, 7],
    ],
  );

  const placed = placeNodes(graph);

  expect(placeNodes(graph)).toEqual(placed);
  expect(new Set(placed.map(({ x, y }) => `${x.toFixed(4)} ${y.toFixed(4)}`)).size).toBe(8);
});

test('several pages to begin at stand on a ring of their own', () => {
  const placed = placeNodes(graphOf([0, 0, 1]));

  expect(radius(placed[0] ?? { x: 0, y: 0 })).toBeGreaterThan(0);
});

test('the pointer means the nearest page within its reach', () => {
  const placed = placeNodes(graphOf([0, 1]));
  const scale = { x: 100, y: 100, left: 100, top: 100 };

  expect(nodeAt(placed, { x: 104, y: 100 }, scale, 10)).toBe(0);
  expect(nodeAt(placed, { x: 100, y: 50 }, scale, 10)).toBe(-1);
});

test('a graph without pages is empty', () => {
  expect(placeNodes(graphOf([]))).toEqual([]);
});
