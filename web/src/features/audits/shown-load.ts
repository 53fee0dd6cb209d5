// Data that is there already, as tables and charts want it. Pure.
import type { Load } from '../../lib/refusal';

/** Returns a load that has its data. */
export function shownLoad<T>(data: T): Load<T> {
  return { data, refusal: null, isFetching: false, updatedAt: 0, retry: () => undefined };
}
