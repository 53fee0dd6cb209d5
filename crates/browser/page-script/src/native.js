// The platform as before page code: timers, frames, events, observers, addresses and style sheets. `intrinsics/` has the language and the DOM.
// Must never look anything up after its own start.

import { HTML_NAMESPACE, localName, namespaceURI } from './intrinsics/dom.js';
import { asText, exec, getters, methods, plain, startsWith } from './intrinsics/language.js';

const { scheduler, URL, Event, MouseEvent, CustomEvent } = window;
const { dispatchEvent } = methods(EventTarget.prototype);

export const native = {
  setTimeout: window.setTimeout.bind(window),
  clearTimeout: window.clearTimeout.bind(window),
  requestAnimationFrame: window.requestAnimationFrame.bind(window),
  cancelAnimationFrame: window.cancelAnimationFrame.bind(window),
  postTask: scheduler?.postTask?.bind(scheduler),
  now: performance.now.bind(performance),
  getComputedStyle: window.getComputedStyle.bind(window),
  matchMedia: window.matchMedia.bind(window),
  escapeCss: window.CSS.escape.bind(window.CSS),
  reportError: window.reportError.bind(window),
  stop: window.stop.bind(window),
  messageTop: (text) => window.top?.postMessage(text, '*'),
  addEventListener: EventTarget.prototype.addEventListener,
  dispatchEvent,
  createEvent: (type, init) => new (startsWith(type, 'mouse') ? MouseEvent : Event)(type, plain({ ...init })),
  createOrder: (type, detail) => new CustomEvent(type, plain({ detail })),
  MutationObserver: window.MutationObserver,
  IntersectionObserver: window.IntersectionObserver,
  CSSStyleSheet: window.CSSStyleSheet,
  DOMException: window.DOMException,
};

const { target, defaultPrevented: isPrevented } = getters(/** @type {any} */ (Event.prototype));
const { preventDefault: prevent, stopImmediatePropagation: stop } = methods(Event.prototype);
const { detail } = getters(CustomEvent.prototype);
const { data, source } = getters(MessageEvent.prototype);
export const eventOf = { target, detail, data, source, isPrevented, prevent, stop };

const { observe, takeRecords: take, disconnect } = methods(MutationObserver.prototype);
export const mutations = { observe, take, disconnect };

// ---- documents from text ----

const { DOMParser, trustedTypes } = window;
const { parseFromString } = methods(DOMParser.prototype);
const { createPolicy } = methods(window.TrustedTypePolicyFactory?.prototype);
const { createHTML } = methods(window.TrustedTypePolicy?.prototype);

/** Parses HTML with a trusted-types policy of our own, where the page permits one. The result is a copy in which nothing runs. */
function parseTrusted(html) {
  try {
    const policy = createPolicy(trustedTypes, 'glasshouse', plain({ createHTML: (text) => text }));
    return parseFromString(new DOMParser(), createHTML(policy, html), 'text/html');
  } catch {
    return undefined;
  }
}

// The alternative under trusted types. It drops scripts and frames.
const parseSafely = /** @type {any} */ (Document).parseHTML?.bind(Document);

/** Parses HTML into a document without a window. */
export function parseDocument(html) {
  try {
    return parseFromString(new DOMParser(), html, 'text/html');
  } catch {
    return parseTrusted(html) ?? parseSafely(html, plain({ sanitizer: plain({ comments: true }) }));
  }
}

// ---- addresses ----

const { href: hrefOf, protocol, origin, hostname, pathname } = getters(URL.prototype);

/** Parses an address. Returns undefined for an invalid one. */
export function parseUrl(address, base) {
  try {
    const url = new URL(address, base);
    return { href: hrefOf(url), protocol: protocol(url), origin: origin(url), hostname: hostname(url), pathname: pathname(url) };
  } catch {
    return undefined;
  }
}

/** Returns the last two labels of a host name. */
const siteOf = (host) => asText(exec(/[^.]*\.?[^.]*$/, host));

/** Returns true for an address of another site. */
export const isOtherSite = (address) => siteOf(parseUrl(address)?.hostname ?? '') !== siteOf(location.hostname);

// ---- style sheets ----

const { cssRules: rules } = getters(CSSStyleSheet.prototype);
const { replaceSync } = methods(CSSStyleSheet.prototype);
const { parentStyleSheet: importer, ownerNode, href, disabled: isDisabled, media } = getters(StyleSheet.prototype);
const { cssText: ruleText, parentStyleSheet: sheetOfRule } = getters(CSSRule.prototype);
const { selectorText: selector } = getters(CSSStyleRule.prototype);
const { cssRules: innerRules } = getters(CSSGroupingRule.prototype);
const { mediaText } = getters(MediaList.prototype);
const { media: queryText } = getters(MediaQueryList.prototype);
const { getPropertyValue: property, setProperty } = methods(CSSStyleDeclaration.prototype);
export const css = {
  rules, replaceSync, importer, ownerNode, href, isDisabled, media, ruleText, sheetOfRule, selector, innerRules, mediaText, queryText, property, setProperty,
};

const sheetOf = plain({
  style: getters(HTMLStyleElement.prototype).sheet,
  link: getters(HTMLLinkElement.prototype).sheet,
  'svg style': getters(SVGStyleElement.prototype).sheet,
});
/** @type {(element: any) => CSSStyleSheet | null} */
export const sheetOfElement = (element) => sheetOf[(namespaceURI(element) === HTML_NAMESPACE ? '' : 'svg ') + localName(element)]?.(element) ?? null;
