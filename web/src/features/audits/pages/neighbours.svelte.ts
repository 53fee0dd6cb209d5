// The pages before and after an audited page, in the list that the reader came from; without one, in the order of paths.
import { createQuery } from '@tanstack/svelte-query';
import { readTable } from '../../../lib/url-state';
import { link, url } from '../../../routes';
import { readPages } from '../reads';
import { DEFAULTS } from './columns';

/** Pages that are read to find the place of one that was opened directly. */
const MOST = 500;

export interface Neighbours {
  readonly previous: string | null;
  readonly next: string | null;
}

/** Follows the address: `at` is the place in the list, the rest is the list. */
export function createNeighbours(place: () => { domain: string; runId: string; pageId: string }): Neighbours {
  const view = $derived(readTable(url.search, DEFAULTS));
  const issue = $derived(url.search.get('issue'));
  const isListed = $derived(url.search.has('at') || view.at > 0);
  const from = $derived(isListed ? Math.max(0, view.at - 1) : 0);
  const query = createQuery(() => {
    const list = { search: view.q, sort: view.sort, order: view.order, fields: 'id,path' };
    const range = { limit: isListed ? 3 : MOST, offset: from };
    return readPages(place().runId, issue === null ? list : { ...list, issueId: issue }, range);
  });
  const index = $derived((query.data?.rows ?? []).findIndex(({ id }) => id === place().pageId));
  const hrefOf = (step: 1 | -1): string | null => {
    const row = index < 0 ? undefined : query.data?.rows[index + step];
    if (row === undefined) return null;
    const { domain, runId } = place();
    const search = { ...Object.fromEntries(url.search), at: String(from + index + step) };
    return link('/d/:domain/audits/:runId/pages/:pageId', { domain, runId, pageId: row.id }, search);
  };
  return {
    get previous() {
      return hrefOf(-1);
    },
    get next() {
      return hrefOf(1);
    },
  };
}
