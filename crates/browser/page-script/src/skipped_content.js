// Content with `content-visibility: auto`, which the browser does not lay out while it is far away: scrolling would show it and start what waits
// for it. `ready.js` calls `showSkippedContent` once the page is quiet, and `restoreSkippedContent` at the end.
// Must leave the styles of the page unchanged.

import { attribute, isConnected, queryAll, removeAttribute, setAttribute, styleSheets } from './intrinsics/dom.js';
import { each, includes, push, replaceAll } from './intrinsics/language.js';
import { attempt } from './hooks.js';
import { intersections } from './intersections.js';
import { listened } from './listeners.js';
import { css, native } from './native.js';

const MAX_ELEMENTS = 2000;

/** @type {{ element: Element, style: string | null }[]} */
const shown = [];
let isDone = false;

/** Lays out the skipped content. Returns true when there was any. */
export function showSkippedContent() {
  if (isDone || (listened.contentVisibility.size === 0 && intersections.size === 0)) return false;
  isDone = true;
  each(selectors(), (selector) => attempt(() => each(queryAll(document, selector), show)));
  listened.contentVisibility.forEach((element) => {
    if (isConnected(element)) native.dispatchEvent(element, native.createVisibilityEvent(false));
  });
  return shown.length > 0;
}

/** Returns the selectors of rules and style attributes that skip content. */
function selectors() {
  const found = ['[style*="content-visibility"]'];
  const visit = (rules) =>
    each(rules, (rule) => {
      const selector = attempt(() => css.selector(rule));
      if (!selector) attempt(() => visit(css.innerRules(rule)));
      else if (css.property(css.ofStyleRule(rule), 'content-visibility') === 'auto') push(found, selector);
    });
  each(styleSheets(document), (sheet) => attempt(() => visit(css.rules(sheet))));
  return found;
}

function show(element) {
  if (shown.length >= MAX_ELEMENTS || css.property(native.getComputedStyle(element), 'content-visibility') !== 'auto') return;
  const style = attribute(element, 'style');
  push(shown, { element, style });
  setAttribute(element, 'style', `${style ?? ''};content-visibility:visible!important`);
}

/** Restores the style attributes, unless the page has changed them. */
export function restoreSkippedContent() {
  each(shown, ({ element, style }) => {
    const written = attribute(element, 'style') ?? '';
    const remaining = includes(written, 'content-visibility') ? replaceAll(written, /;?\s*content-visibility: ?visible ?!important;?/g, '') : written;
    if (remaining === '' && style === null) removeAttribute(element, 'style');
    else setAttribute(element, 'style', remaining);
  });
}
