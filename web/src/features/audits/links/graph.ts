// Places of the pages of a link graph: on rings by clicks from the start page, beside the pages that lead to them. Pure.
import type { GraphNode, LinkGraph } from '../types';

/** A page at its place, from -1 to 1 in both directions. */
export interface Placed {
  node: GraphNode;
  x: number;
  y: number;
  /** Radius in pixels: by the logarithm of the pages that link to it. */
  size: number;
}

/** Rounds in which pages move towards those that link to them. */
const ROUNDS = 4;

/** Returns the pages at their places, in the order of `nodes`. The same graph gives the same picture. */
export function placeNodes(graph: LinkGraph): Placed[] {
  const { nodes, edges } = graph;
  const rings = ringsOf(nodes);
  const angles = nodes.map(() => 0);
  for (const ring of rings) spreadOver(ring, angles);
  const towards = nodes.map((): number[] => []);
  for (const [from, to] of edges) towards[to]?.push(from);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const ring of rings.slice(1)) {
      const wanted = new Map(
        ring.map((index) => [index, meanAngle(towards[index] ?? [], angles) ?? angles[index] ?? 0]),
      );
      ring.sort((one, other) => (wanted.get(one) ?? 0) - (wanted.get(other) ?? 0) || one - other);
      spreadOver(ring, angles);
    }
  }
  const widest = Math.max(1, rings.length - 1);
  const ringOf = new Map(rings.flatMap((ring, at) => ring.map((index) => [index, at] as const)));
  return nodes.map((node, index) => {
    const isAlone = (rings[0]?.length ?? 0) === 1 && ringOf.get(index) === 0;
    const radius = isAlone ? 0 : Math.max(0.12, (ringOf.get(index) ?? 0) / widest) * 0.94;
    const angle = angles[index] ?? 0;
    return {
      node,
      x: radius * Math.cos(angle),
      y: radius * Math.sin(angle),
      size: Math.min(9, 2.5 + Math.log2(1 + node.inlinkCount) * 0.8),
    };
  });
}

/** Returns the page nearest to a point, within `reach` pixels of its edge; -1 when none is. */
export function nodeAt(
  placed: readonly Placed[],
  point: { x: number; y: number },
  scale: Scale,
  reach: number,
): number {
  let [best, distance] = [-1, reach];
  placed.forEach((one, index) => {
    const away = Math.hypot(one.x * scale.x + scale.left - point.x, one.y * scale.y + scale.top - point.y) - one.size;
    if (away < distance) [best, distance] = [index, away];
  });
  return best;
}

/** Conversion of places to pixels of the picture. */
export interface Scale {
  x: number;
  y: number;
  left: number;
  top: number;
}

/** Positions of nodes by clicks from the start, the nearest first; pages that nothing leads to come last. */
function ringsOf(nodes: readonly GraphNode[]): number[][] {
  const rings = new Map<number, number[]>();
  nodes.forEach(({ depth }, index) => {
    const ring = depth ?? Number.MAX_SAFE_INTEGER;
    rings.set(ring, [...(rings.get(ring) ?? []), index]);
  });
  return [...rings.entries()].toSorted(([one], [other]) => one - other).map(([, ring]) => ring);
}

function spreadOver(ring: readonly number[], angles: number[]): void {
  ring.forEach((index, at) => (angles[index] = (2 * Math.PI * at) / ring.length - Math.PI / 2));
}

function meanAngle(sources: readonly number[], angles: readonly number[]): number | null {
  if (sources.length === 0) return null;
  const [x, y] = sources.reduce(
    ([x, y], source) => [x + Math.cos(angles[source] ?? 0), y + Math.sin(angles[source] ?? 0)],
    [0, 0],
  );
  const angle = Math.atan2(y, x) + Math.PI / 2;
  return (angle < 0 ? angle + 2 * Math.PI : angle) - Math.PI / 2;
}
