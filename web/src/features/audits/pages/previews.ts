// Previews of a page where it is listed or shared: what crawlers find today, and what its tags would give. Pure.
import { siteAddress } from '../../../lib/links';
import type { AuditedPage } from '../types';

/** A preview; null where there is nothing to show. */
export interface SharedView {
  host: string;
  /** Address as people read it: https://shop.example › blog. */
  trail: string;
  address: string;
  title: string | null;
  description: string | null;
  /** Title and description of a search result, which tags play no part in. */
  searchTitle: string | null;
  searchDescription: string | null;
  picture: string | null;
  isLarge: boolean;
}

export type PreviewSide = 'today' | 'tags';

/** Finding that says that the social tags are there only after scripts have run. */
const ONLY_AFTER_SCRIPTS = 'OG_ONLY_AFTER_JS';

/**
 * Returns the preview of a page. `today` is what the server sends to crawlers without scripts; `tags` is what the tags give once
 * scripts have run.
 */
export function sharedView(details: AuditedPage, domain: string, side: PreviewSide): SharedView {
  const { page } = details;
  const address = siteAddress(domain, page.path);
  const facts = side === 'today' ? details.raw : (details.rendered ?? details.raw);
  const hasTags = side === 'tags' || !details.findings.some(({ issueId }) => issueId === ONLY_AFTER_SCRIPTS);
  const tags = hasTags ? (page.socialTags ?? {}) : {};
  const [title, description] = [filled(facts.title), filled(facts.metaDesc)];
  const segments = page.path.split(/[?#]/)[0]?.split('/').filter(Boolean) ?? [];
  return {
    host: domain,
    trail: [`https://${domain}`, ...segments.slice(0, -1)].join(' › '),
    address,
    title: filled(tags['og:title']) ?? filled(tags['twitter:title']) ?? title,
    description: filled(tags['og:description']) ?? filled(tags['twitter:description']) ?? description,
    searchTitle: title,
    searchDescription: description,
    picture: pictureOf(tags, address),
    isLarge: tags['twitter:card'] === 'summary_large_image',
  };
}

function pictureOf(tags: Record<string, string | undefined>, address: string): string | null {
  const named = filled(tags['og:image']) ?? filled(tags['twitter:image']);
  if (named === null || !URL.canParse(named, address)) return null;
  const url = new URL(named, address);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
}

function filled(text: string | null | undefined): string | null {
  return text === null || text === undefined || text.trim() === '' ? null : text;
}
