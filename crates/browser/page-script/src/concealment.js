// A page that is hidden as a whole for a moment: snippets of A/B tests and consent tools hide it until their script has come,
// or for some seconds when it never does ("anti-flicker"). `ready.js` calls `unveil` once the page is quiet.
// Must never show a part that the page hides: only the document's root and its body are looked at.

import { attribute, body, documentElement, queryAll, setAttribute, textContent } from './intrinsics/dom.js';
import { filter, join, setter, some, test, words } from './intrinsics/language.js';
import { css, native, sheetOfElement } from './native.js';

const setDisabled = setter(StyleSheet.prototype, 'disabled');

/** Whether nothing of the page can be seen because its root or body is hidden. */
export function isConcealed() {
  return some([documentElement(document), body(document)], (part) => {
    if (part === null) return false;
    const style = native.getComputedStyle(part);
    return css.property(style, 'opacity') === '0' || css.property(style, 'visibility') === 'hidden' || css.property(style, 'display') === 'none';
  });
}

/** Takes away the one class or style sheet that hides the page as a whole. True when there was one. */
export function unveil() {
  if (!isConcealed()) return false;
  const root = documentElement(document);
  const rest = body(document);
  return withoutClass(root) || (rest !== null && withoutClass(rest)) || withoutSheet();
}

/** Tries each class of an element. */
function withoutClass(element) {
  const written = attribute(element, 'class');
  if (!written) return false;
  const names = words(written);
  return some(names, (name) => {
    setAttribute(element, 'class', join(filter(names, (other) => other !== name), ' '));
    if (!isConcealed()) return true;
    setAttribute(element, 'class', written);
    return false;
  });
}

/** Tries each style element that speaks of the root or the body and of hiding. */
function withoutSheet() {
  return some(queryAll(document, 'style'), (style) => {
    const sheet = sheetOfElement(style, 'style');
    const hides = test(/opacity|visibility|display/i, textContent(style)) && test(/html|body|:root|\*/i, textContent(style));
    if (!sheet || !hides || css.isDisabled(sheet)) return false;
    setDisabled(sheet, true);
    if (!isConcealed()) return true;
    setDisabled(sheet, false);
    return false;
  });
}
