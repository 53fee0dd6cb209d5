// Whether the page is hidden as a whole, or the most of it: until a test has begun, a framework, a font. `veils.js` shows it.

import { body, boundingBox, box, children, documentElement, innerText } from './intrinsics/dom.js';
import { filter, some, trim } from './intrinsics/language.js';
import { css, native } from './native.js';

const DEPTH = 4; // of wrappers around wrappers
const MANY = 40; // parts beside each other: none of them is a wrapper

/** The root and the body, as far as there are any. */
export const wholes = () => filter([documentElement(document), body(document)], (part) => part !== null);

/** What of its own style hides an element and all in it. */
export function hidingProperty(part) {
  const style = native.getComputedStyle(part);
  if (css.property(style, 'opacity') === '0') return 'opacity';
  if (css.property(style, 'display') === 'none') return 'display';
  return css.property(style, 'visibility') === 'hidden' ? 'visibility' : '';
}

/** Whether nothing of the page can be seen because its root or body is hidden. */
export const isConcealed = () => some(wholes(), hidingProperty);

/** Whether one part that is not to be seen yet holds more than a third of the text, of which there are so many characters. */
export function isMostlyConcealed(root, length) {
  let part = root;
  for (let depth = 0; depth < DEPTH && part; depth += 1) {
    const parts = children(part);
    if (parts[MANY] !== undefined) return false;
    /** @type {Element | null} */
    let next = null;
    let tallest = 0;
    const hides = some(parts, (child) => {
      const area = boundingBox(child);
      const height = box.bottom(area) - box.top(area);
      if (height === 0) return false;
      if (height > tallest) {
        next = child;
        tallest = height;
      }
      return css.property(native.getComputedStyle(child), 'opacity') === '0' && 3 * trim(innerText(child)).length > length;
    });
    if (hides) return true;
    part = next;
  }
  return false;
}
