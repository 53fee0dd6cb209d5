// Content that the browser leaves out of the layout while it is far away (`content-visibility: auto`): a person who scrolls makes
// it appear, and what waits for that begins. `ready.js` calls `drawSkippedContent` once the page is quiet, `skipAgain` at the end.
// Must leave the styles of the page as they were.

import { attribute, isConnected, queryAll, removeAttribute, setAttribute, styleSheets } from './intrinsics/dom.js';
import { each, includes, push, replaceAll } from './intrinsics/language.js';
import { quietly } from './hooks.js';
import { intersections } from './intersections.js';
import { listened } from './listeners.js';
import { css, native } from './native.js';

const MAX_ELEMENTS = 2000;

/** @type {{ element: Element, style: string | null }[]} */
const drawn = [];
let isDone = false;

/** Lays out everything that was left out. True when there was something. */
export function drawSkippedContent() {
  if (isDone || (listened.skipped.size === 0 && intersections.size === 0)) return false;
  isDone = true;
  each(selectors(), (selector) => quietly(() => each(queryAll(document, selector), draw)));
  listened.skipped.forEach((element) => {
    if (isConnected(element)) native.dispatchEvent(element, native.createVisibilityEvent(false));
  });
  return drawn.length > 0;
}

/** Returns selectors of the elements that rules and style attributes leave out. */
function selectors() {
  const found = ['[style*="content-visibility"]'];
  const visit = (rules) =>
    each(rules, (rule) => {
      const selector = quietly(() => css.selector(rule));
      if (!selector) quietly(() => visit(css.innerRules(rule)));
      else if (css.property(css.ofStyleRule(rule), 'content-visibility') === 'auto') push(found, selector);
    });
  each(styleSheets(document), (sheet) => quietly(() => visit(css.rules(sheet))));
  return found;
}

function draw(element) {
  if (drawn.length >= MAX_ELEMENTS || css.property(native.getComputedStyle(element), 'content-visibility') !== 'auto') return;
  const style = attribute(element, 'style');
  push(drawn, { element, style });
  setAttribute(element, 'style', `${style ?? ''};content-visibility:visible!important`);
}

/** Gives the elements their own styles back, unless the page has given them others meanwhile. */
export function skipAgain() {
  each(drawn, ({ element, style }) => {
    const written = attribute(element, 'style') ?? '';
    const rest = includes(written, 'content-visibility') ? replaceAll(written, /;?\s*content-visibility: ?visible ?!important;?/g, '') : written;
    if (rest === '' && style === null) removeAttribute(element, 'style');
    else setAttribute(element, 'style', rest);
  });
}
