// Asking the service to render pages again, and the sentence of what came of it. Used by the screens of rendering and where a fault is shown.
import { post } from './client';
import { forget } from './queries';
import { refusalOf } from './refusals';
import type { Refusal } from '../lib/refusal';
import { countdown } from '../lib/times';
import * as m from '../messages/rendering';
import * as refusals from '../messages/refusals';

/** Number of pages from which a refresh is asked about. */
export const ASKED_ABOVE = 100;
/** Number of pages that may be refreshed at once. */
export const MOST_PAGES = 10_000;

/** Outcome of a refresh: the queued renders, or the reason why there are none. */
export type Outcome = { done: string } | { problem: string };

/** Refreshes pages of a domain. */
export function refreshPaths(domain: string, paths: string[]): Promise<Outcome> {
  return outcomeOf(async () => {
    const reply = await post('/api/dashboard/cache/invalidate-paths-cache', { body: { domain, paths } });
    return reply.ok ? { done: m.queuedPages(reply.prewarmed) } : { problem: m.cause(reply.error ?? '') };
  });
}

/** Refreshes one page. */
export function refreshPage(domain: string, path: string): Promise<Outcome> {
  return outcomeOf(async () => {
    const reply = await post('/api/dashboard/cache/invalidate-page-cache', { body: { domain, path } });
    return reply.ok ? { done: m.pageQueued() } : { problem: m.cause(reply.error ?? '') };
  });
}

/** Refreshes all pages of the sitemap, or those that it says have changed. */
export function refreshSite(domain: string, selection: 'every' | 'updated'): Promise<Outcome> {
  return outcomeOf(async () => {
    const path =
      selection === 'every'
        ? ('/api/dashboard/cache/invalidate-site-cache' as const)
        : ('/api/dashboard/cache/invalidate-updated-paths' as const);
    const reply = await post(path, { body: { domain } });
    void forget('/api/prerender/batches');
    return reply.ok ? { done: m.refreshStarted() } : { problem: m.cause(reply.error ?? '') };
  });
}

async function outcomeOf(ask: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await ask();
  } catch (error) {
    return { problem: sentenceOf(refusalOf(error)) };
  } finally {
    void forget('/api/prerender/snapshots');
  }
}

/** Returns the sentence of a refusal for a notice. */
export function sentenceOf(refusal: Refusal): string {
  if (refusal.kind === 'wait') return m.waitFor(countdown(refusal.seconds));
  if (refusal.kind === 'limit') return refusals.limitTitle(refusal.current, refusal.limit, refusal.code);
  if (refusal.kind === 'inactive') return refusals.inactiveBanner();
  if (refusal.kind === 'suspended') return refusals.suspendedTitle();
  if (refusal.kind === 'offline') return refusals.offlineTitle();
  if (refusal.kind === 'not_found') return refusals.notFoundPart();
  if (refusal.kind === 'unavailable') return refusals.unavailable(refusal.status);
  return m.notRendered();
}
