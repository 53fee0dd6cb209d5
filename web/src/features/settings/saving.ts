// Shared by the forms of the settings: what saving came to, and the stored values of a domain, read once and kept.
import type { Schemas } from '../../api/client';
import { queryClient, read } from '../../api/queries';
import type { FieldIssue } from '../../lib/refusal';

/** Outcome of saving. Fields that were not saved keep the typed values. */
export interface Saved<V> {
  values: V;
  /** Problems of fields, saved or not. */
  issues?: FieldIssue[];
  unsaved?: (keyof V)[];
}

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

/** Returns the lines of a text that are not empty. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
