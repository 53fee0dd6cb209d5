// Things done to many domains, one after another: the limits of the account count each of them.
import { patch, post } from '../../api/client';
import { forget } from '../../api/queries';
import { refusalOf } from '../../api/refusals';
import { startAudit } from '../../api/starting';
import type { SiteRow } from '../../api/answers';
import type { Refusal } from '../../lib/refusal';

export type BulkKind = 'audit' | 'refresh' | 'tag' | 'untag';

/** Outcome of an action on many domains. */
export interface BulkOutcome {
  done: string[];
  failed: string[];
  /** Reason of the first failure. */
  refusal: Refusal | null;
}

/** Decides whether a text can be the tag of a domain. */
export const isTag = (text: string): boolean => /^[a-z0-9-]{1,64}$/.test(text);

/** Returns the tags of a domain with or without one of them, in order. */
export function changedTags(tags: readonly string[], tag: string, kind: 'tag' | 'untag'): string[] {
  const others = tags.filter((other) => other !== tag);
  return kind === 'tag' ? [...others, tag].toSorted() : others;
}

/** Runs an action for each domain. A refusal that stands for all of them, such as a limit, ends it. */
export async function runForEach(
  names: readonly string[],
  act: (name: string) => Promise<Refusal | null>,
  onprogress: (done: number) => void,
): Promise<BulkOutcome> {
  const outcome: BulkOutcome = { done: [], failed: [], refusal: null };
  for (const [index, name] of names.entries()) {
    const refusal = await act(name).catch(refusalOf);
    if (refusal === null) outcome.done.push(name);
    else {
      outcome.failed.push(name);
      outcome.refusal ??= refusal;
      if (['limit', 'wait', 'inactive', 'offline', 'plan'].includes(refusal.kind)) {
        outcome.failed.push(...names.slice(index + 1));
        break;
      }
    }
    onprogress(index + 1);
  }
  return outcome;
}

/** Returns what is done to one domain; a resolved refusal says why not. */
export function actionOf(
  kind: BulkKind,
  sites: readonly SiteRow[],
  tag: string,
): (name: string) => Promise<Refusal | null> {
  switch (kind) {
    case 'audit':
      return async (domain) => {
        const outcome = await startAudit({ domain, urls: [`https://${domain}/`], mode: 'follow' });
        if (outcome.kind === 'refused') return outcome.refusal;
        return outcome.kind === 'started' || outcome.kind === 'running'
          ? null
          : { kind: 'conflict', code: 'no_sitemap', details: {} };
      };
    case 'refresh':
      return async (domain) => {
        const reply = await post('/api/dashboard/cache/invalidate-site-cache', { body: { domain } });
        void forget('/api/prerender/batches');
        return reply.ok ? null : { kind: 'conflict', code: 'no_sitemap', details: {} };
      };
    case 'tag':
    case 'untag':
      return async (domain) => {
        const tags = sites.find((site) => site.domain === domain)?.tags ?? [];
        await patch('/api/dashboard/domains/{domain}/settings', {
          params: { path: { domain } },
          body: { tags: changedTags(tags, tag, kind) },
        });
        return null;
      };
  }
}
