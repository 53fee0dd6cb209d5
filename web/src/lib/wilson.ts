// The 95% interval of a rate (Wilson). Pure.

const Z = 1.959963984540054;

/** A rate in percent and its 95% interval. */
export interface Rate {
  rate: number;
  low: number;
  high: number;
}

/** Computes a rate and its interval from hits among trials; null without trials. */
export function wilson(hits: number, trials: number): Rate | null {
  if (trials <= 0) return null;
  const share = hits / trials;
  const scale = 1 + (Z * Z) / trials;
  const middle = (share + (Z * Z) / (2 * trials)) / scale;
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / trials + (Z * Z) / (4 * trials * trials));
  return { rate: 100 * share, low: 100 * Math.max(0, middle - half), high: 100 * Math.min(1, middle + half) };
}

/** Decides whether two rates differ: their intervals do not overlap. */
export function areApart(one: Rate, other: Rate): boolean {
  return one.high < other.low || other.high < one.low;
}
