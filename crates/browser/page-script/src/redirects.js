// Redirects by the page itself: navigations, metas, and routers that have changed the path.

import { attribute, baseURI, query } from './intrinsics/dom.js';
import { SafeWeakSet, asText, decodeUri, exec, getters, parseInt, replaceAll, test, trim } from './intrinsics/language.js';
import { listen, attempt, deactivation, watchMethod } from './hooks.js';
import { listened } from './listeners.js';
import { eventOf, native, parseUrl } from './native.js';
import { report } from './options.js';
import { state } from './state.js';
import { hold } from './work.js';

const REFRESH_SECONDS = 5; // a visitor has left by then

const requested = location.href;
/** Address before our scrolling: a feed that sets the address of the article in view is no redirect. */
let beforeScrolling = '';

/** Returns the address of the page. */
export const pageAddress = () => beforeScrolling || location.href;

/** Keeps the address, since later changes are caused by our scrolling. */
export function keepAddress() {
  beforeScrolling ||= location.href;
}

const withoutFragment = (address) => asText(exec(/^[^#]*/, address));

/** Returns a path for comparison, without a final slash and an index file, with escapes decoded. */
function comparablePath(address) {
  const path = parseUrl(address)?.pathname || '';
  const decoded = attempt(() => decodeUri(path)) || path;
  const withoutIndex = replaceAll(replaceAll(decoded, /\/index\.html?$/gi, '/'), /\/{2,}/g, '/');
  return replaceAll(withoutIndex, /(?<=.)\/$/g, '');
}

const { destination, hashChange, downloadRequest, navigationType, formData } = getters(window.NavigateEvent?.prototype);
const { url: urlOf, sameDocument } = getters(window.NavigationDestination?.prototype);

/** Watches navigations to other documents that scripts begin. */
export function watchNavigation() {
  if (!window.navigation) return;
  const taken = new SafeWeakSet(); // navigations that a router of the page has intercepted
  watchMethod(window.NavigateEvent?.prototype, 'intercept', (_, event) => taken.add(event));
  listen(window.navigation, 'navigate', (event) => {
    if (deactivation.isDone) return eventOf.prevent(event);
    const url = urlOf(destination(event));
    if (sameDocument(destination(event)) || hashChange(event) || downloadRequest(event) !== null) return;
    if (state.done || !test(/^(https?|blob):/i, url)) return;
    const isPlace = !test(/^blob:/i, url);
    // To the same address: the document is requested again and replaces this one.
    const isReload = navigationType(event) === 'reload' || location.href === url;
    const decide = () => {
      // A router may have intercepted the navigation, or the page may have cancelled it.
      if (taken.has(event) || eventOf.isPrevented(event) || (location.href === url && !isReload) || state.done) return;
      const away = withoutFragment(url) !== withoutFragment(location.href);
      if (isPlace && away && !isReload && !formData(event)) {
        state.leaving = true;
        report({ k: 'navigation', location: url, status: redirectStatus() });
      } else {
        hold('network', RULES.navigationResponse.ms); // the next document replaces this one
      }
    };
    // Synchronously when no other listener can intervene: a fast navigation leaves no time for another task.
    if (listened.navigation) native.setTimeout(decide, 0);
    else decide();
  });
}

function metaContent(selector) {
  const meta = query(document, selector);
  return trim((meta && attribute(meta, 'content')) || '');
}

export function pageStatus() {
  const status = parseInt(metaContent('meta[name="prerender-status-code" i]'), 10);
  return status >= 100 && status <= 599 ? status : 0;
}

export function redirectStatus() {
  const status = pageStatus();
  return status >= 300 && status <= 399 ? status : 302;
}

/** Returns the redirect of the page and its source (`declared`, `refresh` or `router`), or null. */
export function redirectTarget() {
  const status = pageStatus();
  const isRedirect = status >= 300 && status <= 399;
  const header = exec(/^location:\s*(\S+)/i, metaContent('meta[name="prerender-header" i]'));
  if (header && isRedirect) {
    const declared = parseUrl(header[1], baseURI(document))?.href;
    return declared ? { location: declared, via: 'declared' } : null;
  }
  if (state.ignoresRedirect) return null;
  const refreshed = refreshTarget();
  if (refreshed) return { location: refreshed, via: 'refresh' };

  // A declared status of the page takes precedence over an address set by its router.
  if (status !== 0 && !isRedirect) return null;
  if (location.origin !== parseUrl(requested)?.origin) return null;
  return comparablePath(pageAddress()) === comparablePath(requested) ? null : { location: pageAddress(), via: 'router' };
}

function refreshTarget() {
  const refresh = metaContent('meta[http-equiv="refresh" i]');
  const found = exec(/^\s*(\d+(?:\.\d*)?)\s*[;,]?\s*(?:url\s*=\s*)?["']?([^"']*?)["']?\s*$/i, refresh);
  if (!found || !found[2] || +found[1] > REFRESH_SECONDS) return null;
  const url = parseUrl(found[2], baseURI(document));
  if (!url || !test(/^https?:$/, url.protocol)) return null;
  return withoutFragment(url.href) === withoutFragment(location.href) ? null : url.href;
}
