// Stored settings of a domain, read once and kept. Used by the settings and where a fault is fixed.
import type { Schemas } from './client';
import { queryClient, read } from './queries';

/** Returns the query of a domain's own settings. The Domains API allows few calls, so that they are read once and kept. */
export function readDetail(domain: string) {
  return read('/api/dashboard/domains/{domain}', { params: { path: { domain } } }, 'settings');
}

/** Keeps the settings that a change has answered with. */
export function keepDetail(domain: string, answer: Schemas['DomainDetail']): void {
  const detail: Partial<Schemas['UpdatedDomain']> = { ...answer };
  delete detail.invalidFields;
  queryClient.setQueryData(readDetail(domain).queryKey, detail as Schemas['DomainDetail']);
}
