// Reads of the service as queries: keys, lifetimes and retries in one place. A key is the path and its parameters, so that no
// feature invents one. Reads are repeated twice, with jitter; writes never are.
import { QueryClient, queryOptions, type CreateQueryResult } from '@tanstack/svelte-query';
import type { Load } from '../lib/refusal';
import { get, type Answer, type Init, type PathsWith } from './client';
import { isPassing, refusalOf } from './refusals';

/** Time in which data counts as fresh, in milliseconds. After it, old data is shown while new data loads. */
export const LIFETIMES = {
  /** Data that a reader waits for. */
  live: 0,
  /** Reports and lists. */
  screen: 30_000,
  /** Settings and catalogues, which change by what is done here. */
  settings: 5 * 60_000,
} as const;
export type Lifetime = keyof typeof LIFETIMES;

/** Repetitions of a read. */
const REPEATS = 2;

/** Returns the pause before a repetition, in milliseconds: half to one and a half times 0.6 s, then 1.2 s. */
export function pauseBefore(attempt: number, random: () => number = Math.random): number {
  return 600 * 2 ** attempt * (0.5 + random());
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: LIFETIMES.screen,
      gcTime: 10 * 60_000,
      // Every change counts: an answer that comes before anybody has read `data` would be passed over, and its panel load for ever.
      // See docs/decisions/0370.
      notifyOnChangeProps: 'all',
      retry: (failures, error) => failures < REPEATS && isPassing(error),
      retryDelay: (attempt) => pauseBefore(attempt),
    },
    mutations: { retry: false },
  },
});

type Rest<I> = object extends I ? [init?: I, lifetime?: Lifetime] : [init: I, lifetime?: Lifetime];

/** Returns the options of a query that reads a path: `createQuery(() => read('/api/usage'))`. */
export function read<P extends PathsWith<'get'>>(path: P, ...[init, lifetime]: Rest<Init<P, 'get'>>) {
  const params = (init as { params?: unknown } | undefined)?.params ?? {};
  return queryOptions({
    queryKey: [path, params] as const,
    queryFn: ({ signal }): Promise<Answer<P, 'get'>> =>
      (get as (path: P, init: unknown) => Promise<Answer<P, 'get'>>)(path, { ...(init as object | undefined), signal }),
    staleTime: LIFETIMES[lifetime ?? 'screen'],
  });
}

/** Has everything that was read from a path read again where it is shown. */
export function forget(path: PathsWith<'get'>): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [path] });
}

/**
 * Returns a query as the state of a panel. Its fields follow the query. Rows of another filter stand in while new ones load, not when
 * these are refused: they would be shown as what was asked for.
 */
export function loadOf<T>(query: CreateQueryResult<T>): Load<T> {
  const refusal = () => {
    if (query.error !== null) return refusalOf(query.error);
    return query.fetchStatus === 'paused' ? { kind: 'offline' as const } : null;
  };
  return {
    get data() {
      return query.isPlaceholderData && refusal() !== null ? undefined : query.data;
    },
    get refusal() {
      return refusal();
    },
    get isFetching() {
      return query.isFetching;
    },
    get updatedAt() {
      return query.dataUpdatedAt;
    },
    retry() {
      void query.refetch();
    },
  };
}
