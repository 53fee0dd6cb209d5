// Reads of the reports that a domain shares in public: with the token of the link in a header, and without the session's cookie.
// Must never put the token into an address.
import { queryOptions } from '@tanstack/svelte-query';
import { get, STATS_TOKEN, type Answer, type Init } from './client';
import { LIFETIMES } from './queries';

/** Reports that a public token opens. */
export type SharedPath = '/api/analytics/bots' | '/api/analytics/bots/daily' | '/api/analytics/bots/summary';

type Query<P extends SharedPath> = Init<P, 'get'> extends { params?: { query?: infer Q } } ? NonNullable<Q> : never;

/** Returns the options of a query that reads a shared report. */
export function readShared<P extends SharedPath>(path: P, query: Query<P>, token: string) {
  const init = { params: { query }, headers: { [STATS_TOKEN]: token }, credentials: 'omit' as const };
  return queryOptions({
    queryKey: [path, query, 'shared', token] as const,
    queryFn: ({ signal }): Promise<Answer<P, 'get'>> =>
      (get as (path: P, init: unknown) => Promise<Answer<P, 'get'>>)(path, { ...init, signal }),
    staleTime: LIFETIMES.screen,
    // An empty token asks nothing.
    enabled: token !== '',
  });
}
