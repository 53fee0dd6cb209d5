// Whether the page is hidden as a whole, or the most of it: until a test has begun, a framework, a font. `veils.js` shows it.

import { body, boundingBox, box, children, documentElement, innerText, query } from './intrinsics/dom.js';
import { filter, some, test, trim } from './intrinsics/language.js';
import { css, native } from './native.js';

const DEPTH = 4; // of wrappers around wrappers
const DEEP = 8;
const MAX_LOOKS = 300;
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

/** Whether a part of the first window has not faded in yet. In the flow of the page: dialogs and menus are in front of it. */
export function isFadedOut() {
  let looks = 0;
  const look = (parent, depth) =>
    some(children(parent), (part) => {
      looks += 1;
      if (looks > MAX_LOOKS) return false;
      const area = boundingBox(part);
      if (box.bottom(area) <= box.top(area) || box.top(area) >= window.innerHeight) return false;
      const style = native.getComputedStyle(part);
      if (css.property(style, 'opacity') !== '0') return depth < DEEP && look(part, depth + 1);
      const isInFlow = test(/^(static|relative)$/, css.property(style, 'position')) && css.property(style, 'visibility') === 'visible';
      return isInFlow && (trim(innerText(part)) !== '' || query(part, 'img,svg,video') !== null);
    });
  const root = body(document);
  return root !== null && look(root, 0);
}

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
