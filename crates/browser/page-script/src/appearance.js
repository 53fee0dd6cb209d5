// How much of the page there is to see: next to nothing, and what says that it is loading, is waited for longer.
// Must never be asked often: it looks at all of the page.

import { attribute, body, data, hasTextNode, innerText, isShown, localName, parentElement, query, queryAll } from './intrinsics/dom.js';
import { isConcealed } from './concealment.js';
import { asText, plain, replaceAll, some, test, trim } from './intrinsics/language.js';
import { shadowRoots } from './roots.js';
import { shared } from './shared.js';

const UNFINISHED_LENGTH = 150; // characters of visible text; the smallest of real pages have more
const NO_TEXT = /^(script|style|noscript|template)$/;
const CONTENT = 'img,svg,canvas,video,iframe,input,object,embed,frame';
const BUSY = '[aria-busy="true"],[role="progressbar"],[class*="skeleton" i],[class*="spinner" i],[class*="loading" i],[class*="loader" i]';
const BUSY_WORD = /skeleton|spinner|loading|loader/i;
const OTHER_WORDS = /(lazy|up|down|un|re)-?load(ing|ers?)?|no-?(loading|loader)/gi; // lazysizes, buttons, states
const VISIBLE = plain({ opacityProperty: true, visibilityProperty: true });
const MAX_LOOKS = 50;

/** Whether there is nothing to see yet: an app that was never heard of beginning deserves a little more time. */
export function isBlank() {
  const root = body(document);
  return root !== null && shadowRoots.size === 0 && !hasText(root) && query(root, CONTENT) === null;
}

/** Whether an element holds text that is not that of a script or style. */
function hasText(root) {
  return hasTextNode(root, (text) => trim(data(text)) !== '' && !test(NO_TEXT, localName(/** @type {Element} */ (parentElement(text)))));
}

/** Whether the page, or that which the frame is in, shows so little that it cannot be all, or says itself that more is to come. */
export const isUnfinished = shared?.isUnfinished ?? (() => {
  const root = body(document);
  if (root === null || isBusy() || isConcealed()) return true;
  return shadowRoots.size === 0 && trim(innerText(root)).length < UNFINISHED_LENGTH;
});

/** Whether something that can be seen says that the page is loading. Pictures that load lazily say so of themselves only. */
export function isBusy() {
  let looks = 0;
  return some(queryAll(document, BUSY), (element) => {
    looks += 1;
    if (looks > MAX_LOOKS || test(/^(img|picture|video|iframe|html)$/, localName(element))) return false;
    const says = attribute(element, 'aria-busy') === 'true' || attribute(element, 'role') === 'progressbar';
    const named = says || test(BUSY_WORD, replaceAll(asText(attribute(element, 'class')), OTHER_WORDS, ''));
    return named && isShown(element, VISIBLE);
  });
}
