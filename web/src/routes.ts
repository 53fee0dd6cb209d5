// The routes of the dashboard: which screen a path shows, loaded when it is wanted. The one file that knows the router, and what a
// router for links leaves open: modified clicks, encoded parameters, focus and scroll after a change, files that are gone.
// See docs/decisions/0370.
import { blockNavigation, createRouter, Router, searchParams } from 'sv-router';
import { tick } from 'svelte';
import NotFound from './features/shell/not-found.svelte';
import Shell from './features/shell/shell.svelte';
import { arrival } from './lib/arrival';
import { createUrlState, type UrlState } from './lib/url-state';
import { version } from './lib/version.svelte';

const routes = {
  layout: Shell,
  hooks: { beforeLoad: begin, afterLoad: arrive },
  '/': () => import('./features/start/start.svelte'),
  '/(sign-in)': () => import('./features/session/sign-in.svelte'),
  '/(invitation)': () => import('./features/session/invitation.svelte'),
  '/(reset)': () => import('./features/session/reset.svelte'),
  // domains, set-up, overview
  '/first-run': () => import('./features/domains/first-run.svelte'),
  '/domains': () => import('./features/domains/domains.svelte'),
  '/domains/new': () => import('./features/domains/new.svelte'),
  '/d/:domain': () => import('./features/overview/overview.svelte'),
  '/d/:domain/setup': () => import('./features/setup/setup.svelte'),
  // rendering
  '/d/:domain/rendering': () => import('./features/rendering/rendering.svelte'),
  '/d/:domain/rendering/page': () => import('./features/rendering/page.svelte'),
  '/d/:domain/rendering/batches/:id': () => import('./features/rendering/batch.svelte'),
  // audits
  '/d/:domain/audits': () => import('./features/audits/audits.svelte'),
  '/d/:domain/audits/:runId': () => import('./features/audits/overview/overview.svelte'),
  '/d/:domain/audits/:runId/issues': () => import('./features/audits/issues/issues.svelte'),
  '/d/:domain/audits/:runId/issues/:issueId': () => import('./features/audits/issues/issue.svelte'),
  '/d/:domain/audits/:runId/pages': () => import('./features/audits/pages/pages.svelte'),
  '/d/:domain/audits/:runId/pages/:pageId': () => import('./features/audits/pages/page-route.svelte'),
  '/d/:domain/audits/:runId/links': () => import('./features/audits/links/links.svelte'),
  '/d/:domain/audits/:runId/robots': () => import('./features/audits/site/robots.svelte'),
  '/d/:domain/audits/:runId/ai-access': () => import('./features/audits/site/ai-access.svelte'),
  '/d/:domain/audits/:runId/compare': () => import('./features/audits/compare/compare.svelte'),
  // AI mentions
  '/d/:domain/mentions': () => import('./features/mentions/overview.svelte'),
  '/d/:domain/mentions/prompts': () => import('./features/mentions/prompts.svelte'),
  '/d/:domain/mentions/prompts/:promptId': () => import('./features/mentions/prompt.svelte'),
  '/d/:domain/mentions/answers': () => import('./features/mentions/answers.svelte'),
  '/d/:domain/mentions/answers/:runId': () => import('./features/mentions/answer.svelte'),
  '/d/:domain/mentions/sources': () => import('./features/mentions/sources.svelte'),
  '/d/:domain/mentions/competitors': () => import('./features/mentions/competitors.svelte'),
  '/d/:domain/mentions/reports': () => import('./features/mentions/reports.svelte'),
  '/d/:domain/mentions/reports/:reportId': () => import('./features/mentions/report.svelte'),
  // crawlers
  '/d/:domain/crawlers': () => import('./features/crawlers/overview.svelte'),
  '/d/:domain/crawlers/pages': () => import('./features/crawlers/pages.svelte'),
  '/d/:domain/crawlers/errors': () => import('./features/crawlers/errors.svelte'),
  '/d/:domain/crawlers/people': () => import('./features/crawlers/people.svelte'),
  '/d/:domain/crawlers/live': () => import('./features/crawlers/live.svelte'),
  '/d/:domain/crawlers/spoofed': () => import('./features/crawlers/spoofed.svelte'),
  '/share/(:domain)': () => import('./features/share/share.svelte'),
  // settings
  '/d/:domain/settings/general': () => import('./features/settings/general.svelte'),
  '/d/:domain/settings/redirects': () => import('./features/settings/redirects.svelte'),
  '/d/:domain/settings/crawler-policy': () => import('./features/settings/crawler-policy.svelte'),
  '/d/:domain/settings/headers': () => import('./features/settings/headers.svelte'),
  '/d/:domain/settings/ignored': () => import('./features/settings/ignored.svelte'),
  '/d/:domain/settings/sitemap': () => import('./features/settings/sitemap.svelte'),
  '/d/:domain/settings/root-files': () => import('./features/settings/root-files.svelte'),
  '/d/:domain/settings/indexnow': () => import('./features/settings/indexnow.svelte'),
  '/d/:domain/settings/rendering': () => import('./features/settings/rendering.svelte'),
  '/d/:domain/settings/audits': () => import('./features/settings/audits.svelte'),
  '/d/:domain/settings/brand': () => import('./features/settings/brand.svelte'),
  '/d/:domain/settings/install': () => import('./features/settings/install.svelte'),
  '/d/:domain/settings/remove': () => import('./features/settings/remove.svelte'),
  // account
  '/account/profile': () => import('./features/account/profile.svelte'),
  '/account/security': () => import('./features/account/security.svelte'),
  '/account/people': () => import('./features/account/people.svelte'),
  '/account/keys': () => import('./features/account/keys.svelte'),
  '/account/webhooks': () => import('./features/account/webhooks.svelte'),
  '/account/webhooks/:id': () => import('./features/account/webhook-deliveries.svelte'),
  '/account/usage': () => import('./features/account/usage.svelte'),
  '*': NotFound,
};

const router = createRouter(routes);
export { Router };

/** Paths that have a screen. */
export type RoutePath = Parameters<typeof router.p>[0];

/** Decides whether a path of the map has a screen. */
export function hasScreen(path: string): boolean {
  return path in routes;
}

type ParamNames<P> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;
type Search = Record<string, string>;
type LinkArgs<P> = [ParamNames<P>] extends [never]
  ? [params?: undefined, search?: Search]
  : [params: Record<ParamNames<P>, string>, search?: Search];

/** Builds the address of a screen: `link('/d/:domain/audits/:runId', { domain, runId })`. Parameters are encoded. */
export function link<P extends RoutePath>(path: P, ...[params, search]: LinkArgs<P>): string {
  const values: Record<string, string | undefined> = params ?? {};
  const filled = path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = new URLSearchParams(search).toString();
  return query === '' ? filled : `${filled}?${query}`;
}

/** Sections of a domain, as the navigation shows them. */
export type Section = 'overview' | 'rendering' | 'audits' | 'mentions' | 'crawlers' | 'settings';
const SECTION_PATHS: Record<Section, string> = {
  overview: '',
  rendering: '/rendering',
  audits: '/audits',
  mentions: '/mentions',
  crawlers: '/crawlers',
  settings: '/settings/general',
};

/** Builds the address of a domain's section. */
export function sectionLink(domain: string, section: Section): string {
  return `/d/${encodeURIComponent(domain)}${SECTION_PATHS[section]}`;
}

/** Builds the address of a first step of a domain. */
export function stepLink(domain: string, to: 'sitemap' | 'rendering' | 'audits' | 'prompts' | 'crawlers'): string {
  if (to === 'sitemap') return link('/d/:domain/settings/sitemap', { domain });
  return to === 'prompts' ? link('/d/:domain/mentions/prompts', { domain }) : sectionLink(domain, to);
}

/** Builds the address of the settings that a fix changes. */
export function fixSettings(domain: string, kind: 'redirect' | 'ignore' | 'rule'): string {
  const name = { redirect: 'redirects', ignore: 'ignored', rule: 'crawler-policy' }[kind];
  return `/d/${encodeURIComponent(domain)}/settings/${name}`;
}

/** Current route of the reader. Reactive. */
export const here = {
  get path(): string {
    return router.route.pathname;
  },
  /** Returns a parameter of the current path; empty when it has none of this name. */
  param(name: string): string {
    return (router.route.params as Record<string, string | undefined>)[name] ?? '';
  },
  /** Domain that the path names, whether or not it has a screen. */
  get domain(): string | null {
    const found = /^\/d\/([^/]+)/.exec(router.route.pathname)?.[1];
    return found === undefined ? null : decoded(found);
  },
  /** Section of the domain that the path is in. */
  get section(): Section | null {
    const found = /^\/d\/[^/]+(?:\/([a-z]+))?/.exec(router.route.pathname);
    if (found === null) return null;
    return found[1] === undefined ? 'overview' : found[1] in SECTION_PATHS ? (found[1] as Section) : null;
  },
};

// ---- going somewhere

/** Leaving is not asked about: a change of the query, or an ended session. */
let isFree = false;
/** Path that the Back or the Forward button went to. */
let poppedTo: string | null = null;
/** Path of a change of route, until its screen is loaded. */
let pending: string | null = null;
let lastPath = location.pathname;
let place = 0;
const scrolls = new Map<number, number>();

/** Goes to an address of the dashboard. `isForced`: without asking whether unsaved changes may be lost. */
export async function go(href: string, { replace = false, isForced = false } = {}): Promise<void> {
  const target = new URL(href, location.origin);
  isFree ||= isForced;
  try {
    await router.navigate(target.pathname as '/', { search: target.search, hash: target.hash, replace });
  } finally {
    isFree = false;
  }
}

/** The query of the current address, which lists and reports keep their state in. */
export const url: UrlState = createUrlState(
  () => searchParams.toURLSearchParams(),
  async (search, replace) => {
    isFree = true;
    try {
      const { pathname, hash } = location;
      await router.navigate(pathname as '/', { search, hash, replace, scrollToTop: false });
    } finally {
      isFree = false;
    }
  },
);

/** Asks before a screen with unsaved changes is left; returns the function that stops asking: for `$effect`. */
export function guardLeaving(mayLeave: () => boolean, ask: () => Promise<boolean>): () => void {
  return blockNavigation({
    beforeUnload: mayLeave,
    onNavigate: async () => isFree || poppedTo === lastPath || mayLeave() || (await ask()),
  });
}

function begin({ pathname }: { pathname: string }): void {
  scrolls.set(place, window.scrollY);
  pending = pathname;
  // Back and Forward go to a place in the screen, which must be there.
  arrival.isHeadingFirst = poppedTo === null && pathname !== lastPath && !document.hidden;
}

async function arrive(): Promise<void> {
  const [isPop, isSame] = [poppedTo !== null, location.pathname === lastPath];
  [pending, poppedTo, lastPath] = [null, null, location.pathname];
  place = (history.state as { _routerIndex?: number } | null)?._routerIndex ?? 0;
  await tick();
  if (!isSame) document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  if (isPop) window.scrollTo(0, scrolls.get(place) ?? 0);
}

// ---- once, when the application starts

/** Prepares the page for the router. */
export function startRouting(): void {
  history.scrollRestoration = 'manual';
  // An address that cannot be decoded is none: the router would fail at it.
  if (decoded(location.pathname) === null) history.replaceState(null, '', '/not-found');
  lastPath = location.pathname;
  window.addEventListener('popstate', () => (poppedTo = location.pathname), { capture: true });
  document.addEventListener('click', leaveToBrowser);
  document.addEventListener('pointerover', preload);
  document.addEventListener('focusin', preload);
  window.addEventListener('vite:preloadError', missChunk);
  window.addEventListener('unhandledrejection', (event) => {
    // The router waits for ever for a screen whose file is gone; missChunk has dealt with it.
    if (isChunkGone(event.reason)) event.preventDefault();
  });
}

/** Keeps clicks from the router that are the browser's: with a modifier, and to what is not the dashboard. */
function leaveToBrowser(event: MouseEvent): void {
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (anchor === null) return;
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (event.defaultPrevented || !isPlain || !isOurs(anchor)) event.stopPropagation();
}

function isOurs(anchor: HTMLAnchorElement): boolean {
  return anchor.origin === location.origin && !/^\/(api|assets|healthz|readyz)(\/|$)/.test(anchor.pathname);
}

let preloaded = '';

function preload(event: Event): void {
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (anchor === null || !isOurs(anchor) || anchor.pathname === preloaded) return;
  preloaded = anchor.pathname;
  void router.preload(anchor.pathname as '/').catch(() => undefined);
}

/** Handles missing files of this page after an upgrade: reloads once on navigation, and shows a bar where that did not help. */
function missChunk(event: Event): void {
  event.preventDefault();
  if (pending === null || !navigator.onLine) return;
  const mark = 'glasshouse.reloaded';
  if (sessionStorage.getItem(mark) === pending) return version.noteNewer();
  sessionStorage.setItem(mark, pending);
  location.assign(pending);
}

function isChunkGone(reason: unknown): boolean {
  return reason instanceof TypeError && /default|dynamically imported module|module script/i.test(reason.message);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
