// The platform as before page code: timers, frames, events, observers. `intrinsics/` has the language and the DOM.
// Must never look anything up after its own start.

import { SVG_NAMESPACE, namespaceURI } from './intrinsics/dom.js';
import { asText, each, exec, getter, method, plain, startsWith } from './intrinsics/language.js';

const { scheduler, URL, Event, MouseEvent, CustomEvent, ContentVisibilityAutoStateChangeEvent } = window;

export const native = {
  setTimeout: window.setTimeout.bind(window),
  setInterval: window.setInterval.bind(window),
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
  dispatchEvent: method(EventTarget.prototype, 'dispatchEvent'),
  createEvent: (type, init) => new Event(type, plain({ ...init })),
  createMovement: (type, init) => (startsWith(type, 'mouse') ? new MouseEvent(type, plain({ ...init })) : new Event(type, plain({ ...init }))),
  createVisibilityEvent: (skipped) =>
    new ContentVisibilityAutoStateChangeEvent('contentvisibilityautostatechange', plain({ skipped, bubbles: true })),
  createOrder: (type, detail) => new CustomEvent(type, plain({ detail })),
  MutationObserver: window.MutationObserver,
  IntersectionObserver: window.IntersectionObserver,
  CSSStyleSheet: window.CSSStyleSheet,
  DOMException: window.DOMException,
};

export const eventOf = {
  target: getter(/** @type {any} */ (Event.prototype), 'target'),
  detail: getter(CustomEvent.prototype, 'detail'),
  isPrevented: getter(Event.prototype, 'defaultPrevented'),
  prevent: method(Event.prototype, 'preventDefault'),
  stop: method(Event.prototype, 'stopImmediatePropagation'),
};

// ---- changes of the DOM ----

export const mutations = {
  observe: method(MutationObserver.prototype, 'observe'),
  take: method(MutationObserver.prototype, 'takeRecords'),
  disconnect: method(MutationObserver.prototype, 'disconnect'),
};

// ---- documents from text ----

const { DOMParser } = window;
const parse = method(DOMParser.prototype, 'parseFromString');

const { trustedTypes } = window;
const createPolicy = method(window.TrustedTypePolicyFactory?.prototype, 'createPolicy');
const createHtml = method(window.TrustedTypePolicy?.prototype, 'createHTML');

/** Parses HTML with a trusted-types policy of our own, where the page permits one. The result is a copy in which nothing runs. */
function parseTrusted(html) {
  try {
    const policy = createPolicy(trustedTypes, 'glasshouse', plain({ createHTML: (text) => text }));
    return parse(new DOMParser(), createHtml(policy, html), 'text/html');
  } catch {
    return undefined;
  }
}

// The alternative under trusted types. It drops scripts and frames.
const parseSafely = /** @type {any} */ (Document).parseHTML?.bind(Document);

/** Parses HTML into a document without a window. */
export function parseDocument(html) {
  try {
    return parse(new DOMParser(), html, 'text/html');
  } catch {
    return parseTrusted(html) ?? parseSafely(html, plain({ sanitizer: plain({ comments: true }) }));
  }
}

// ---- addresses ----

/** @type {{ [part: string]: (url: any) => string }} */
const part = {};
each(['href', 'protocol', 'origin', 'hostname', 'pathname'], (name) => {
  part[name] = getter(/** @type {any} */ (URL.prototype), name);
});

/**
 * Parses an address. Returns undefined for an invalid one.
 * @param {string} address
 * @param {string} [base]
 */
export function parseUrl(address, base) {
  try {
    const url = new URL(address, base);
    return { href: part.href(url), protocol: part.protocol(url), origin: part.origin(url), hostname: part.hostname(url), pathname: part.pathname(url) };
  } catch {
    return undefined;
  }
}

/** Returns the last two labels of a host name. */
const siteOf = (host) => asText(exec(/[^.]*\.?[^.]*$/, host));

/** Returns true for an address of another site. */
export const isOtherSite = (address) => siteOf(parseUrl(address)?.hostname ?? '') !== siteOf(location.hostname);

// ---- style sheets ----

export const css = {
  rules: getter(CSSStyleSheet.prototype, 'cssRules'),
  ruleText: getter(CSSRule.prototype, 'cssText'),
  parentSheet: getter(CSSRule.prototype, 'parentStyleSheet'),
  ownerRule: getter(StyleSheet.prototype, 'parentStyleSheet'),
  ownerNode: getter(StyleSheet.prototype, 'ownerNode'),
  href: getter(StyleSheet.prototype, 'href'),
  isDisabled: getter(StyleSheet.prototype, 'disabled'),
  media: getter(StyleSheet.prototype, 'media'),
  mediaText: getter(MediaList.prototype, 'mediaText'),
  queryText: getter(MediaQueryList.prototype, 'media'),
  replaceSync: method(CSSStyleSheet.prototype, 'replaceSync'),
  selector: getter(CSSStyleRule.prototype, 'selectorText'),
  ofStyleRule: getter(CSSStyleRule.prototype, 'style'),
  innerRules: getter(CSSGroupingRule.prototype, 'cssRules'),
  imported: getter(CSSImportRule.prototype, 'styleSheet'),
  importMedia: getter(CSSImportRule.prototype, 'media'),
  importLayer: getter(CSSImportRule.prototype, 'layerName'),
  importSupports: getter(CSSImportRule.prototype, 'supportsText'),
  property: method(CSSStyleDeclaration.prototype, 'getPropertyValue'),
};
const sheetOf = plain({ style: getter(HTMLStyleElement.prototype, 'sheet'), link: getter(HTMLLinkElement.prototype, 'sheet') });
const sheetInPicture = getter(SVGStyleElement.prototype, 'sheet');
/** @type {(element: any, name: string) => CSSStyleSheet | null} */
export const sheetOfElement = (element, name) => {
  if (name === 'style' && namespaceURI(element) === SVG_NAMESPACE) return sheetInPicture(element);
  return sheetOf[name] ? sheetOf[name](element) : null;
};
