// Where the page itself sends its visitors: navigations, metas, routers that have gone to another path.

import { attribute, baseURI, query } from './intrinsics/dom.js';
import { KeptWeakSet, asText, decodeUri, exec, getter, parseInt, replaceAll, test, trim } from './intrinsics/language.js';
import { listen, quietly, deactivation, watchMethod } from './hooks.js';
import { listened } from './listeners.js';
import { eventOf, native, parseUrl } from './native.js';
import { report } from './options.js';
import { state } from './state.js';
import { hold } from './work.js';

const REFRESH_SECONDS = 5; // a person is gone by then

const requested = location.href;
/** The address when we began to scroll: a feed that names the article in view has not sent anybody anywhere. */
let beforeScrolling = '';

/** The address of what the page shows. */
export const pageAddress = () => beforeScrolling || location.href;

/** From here on a change of the address is our own doing. */
export function keepAddress() {
  beforeScrolling ||= location.href;
}

const withoutFragment = (address) => asText(exec(/^[^#]*/, address));

/** A path for comparison: the same page with or without a final slash, an index file, or another spelling of its escapes. */
function comparablePath(address) {
  const path = parseUrl(address)?.pathname || '';
  const decoded = quietly(() => decodeUri(path)) || path;
  const withoutIndex = replaceAll(replaceAll(decoded, /\/index\.html?$/gi, '/'), /\/{2,}/g, '/');
  return replaceAll(withoutIndex, /(?<=.)\/$/g, '');
}

const of = (type, names) => {
  /** @type {{ [name: string]: (self: any) => any }} */
  const read = {};
  for (let place = 0; place < names.length; place += 1) read[names[place]] = getter(type?.prototype, names[place]);
  return read;
};
const navigate = of(window.NavigateEvent, ['destination', 'hashChange', 'downloadRequest', 'navigationType', 'formData']);
const destinationOf = of(window.NavigationDestination, ['url', 'sameDocument']);

/** A navigation to another document that a script has begun. */
export function watchNavigation() {
  if (!window.navigation) return;
  const taken = new KeptWeakSet(); // by a router of the page, even when it has not gone there yet
  watchMethod(window.NavigateEvent?.prototype, 'intercept', (_, event) => taken.add(event));
  listen(window.navigation, 'navigate', (event) => {
    if (deactivation.isDone) return eventOf.prevent(event);
    const destination = navigate.destination(event);
    const url = destinationOf.url(destination);
    if (destinationOf.sameDocument(destination) || navigate.hashChange(event) || navigate.downloadRequest(event) !== null) return;
    if (state.done || !test(/^(https?|blob):/i, url)) return;
    const isPlace = !test(/^blob:/i, url);
    // To the same address again: the document is asked for anew, and what stands here is not it.
    const isReload = navigate.navigationType(event) === 'reload' || location.href === url;
    const decide = () => {
      // A router may have taken the navigation over, or the page may have stopped it.
      if (taken.has(event) || eventOf.isPrevented(event) || (location.href === url && !isReload) || state.done) return;
      const away = withoutFragment(url) !== withoutFragment(location.href);
      if (isPlace && away && !isReload && !navigate.formData(event)) {
        state.leaving = true;
        report({ k: 'navigation', location: url, status: redirectStatus() });
      } else {
        hold('network', RULES.navigationResponse.ms); // the next document replaces this one
      }
    };
    // At once when nobody else listens: a fast navigation leaves no time for another task.
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

/**
 * Where the page itself sends its visitors, or null.
 * @returns {{ location: string, via: 'declared' | 'refresh' | 'router' } | null}
 */
export function redirectTarget() {
  const status = pageStatus();
  const isRedirect = status >= 300 && status <= 399;
  const header = exec(/^location:\s*(\S+)/i, metaContent('meta[name="prerender-header" i]'));
  if (header && isRedirect) {
    const declared = parseUrl(header[1], baseURI(document))?.href;
    return declared ? { location: declared, via: 'declared' } : null;
  }
  if (state.stays) return null;
  const refreshed = refreshTarget();
  if (refreshed) return { location: refreshed, via: 'refresh' };

  // A status that the page declares for what it shows wins over the address that its router gave it.
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
