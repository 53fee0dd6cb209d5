// Figures of the public page, from the reports that its token opens. Pure.
import type { Schemas } from '../../api/client';
import type { VisitSeries } from '../../components/charts/visits';
import { providerName } from '../../messages/providers';

/** A page with its visits. */
export interface ReadPage {
  path: string;
  visits: number;
  fromCache: number;
  /** Companies that read it, most visits first. */
  providers: string[];
}

/** Returns the token of a fragment; null when it is none. */
export function tokenOf(hash: string): string | null {
  const token = hash.replace(/^#/, '');
  return /^gh_stats_[\w-]+$/.test(token) ? token : null;
}

/** Returns the series of each company, most visits first. */
export function seriesOf({ daily }: Schemas['Daily']): VisitSeries[] {
  const byProvider = new Map<string, number[]>();
  for (const [index, { providers }] of daily.entries()) {
    for (const { provider, count } of providers) {
      const counts = byProvider.get(provider) ?? daily.map(() => 0);
      counts[index] = count;
      byProvider.set(provider, counts);
    }
  }
  const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0);
  return [...byProvider]
    .toSorted(([, one], [, other]) => sum(other) - sum(one))
    .map(([id, counts]) => ({ id, name: providerName(id), counts }));
}

/** Returns the pages with all their visits added up. */
export function pagesOf({ byProvider, byServedBy }: Schemas['Bots']): ReadPage[] {
  const pages = new Map<string, ReadPage>();
  for (const { path, provider, count } of byProvider) {
    const page = pages.get(path) ?? { path, visits: 0, fromCache: 0, providers: [] };
    page.visits += count;
    page.providers.push(provider);
    pages.set(path, page);
  }
  for (const { path, servedBy, count } of byServedBy) {
    const page = pages.get(path);
    if (page !== undefined && servedBy === 'cache') page.fromCache = count;
  }
  return [...pages.values()];
}
