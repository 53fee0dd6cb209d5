// Pages that start with the visitor's first interaction: optimisers delay scripts until the mouse moves, a key is pressed or the page is scrolled.
// `ready.js` calls `interactOnce` once the page is quiet. Must never dispatch clicks or keys, nor an event that a listener takes for one kind only:
// that follows the pointer or tracks it. See docs/decisions/0273.

import { body, documentElement } from './intrinsics/dom.js';
import { SafeMap, SafeSet, asText, getOwnPropertyDescriptor, some, test } from './intrinsics/language.js';
import { attempt } from './hooks.js';
import { native } from './native.js';
import { recordActivity } from './work.js';

const INTERACTIONS = /^(scroll|wheel|mousemove|mouseover|pointermove|touchmove|touchstart|touchend|mousedown|pointerdown|click|keydown|keyup)$/;
const DISPATCHED = ['scroll', 'mousemove', 'wheel', 'mouseover', 'pointermove', 'touchmove', 'touchstart'];
const FIRST_OF_ANY = 3; // a function that listens to so many types treats them alike
const BY_TOUCH_OR_KEY = ['touchstart', 'touchmove', 'keydown']; // one of these is among them: lazy loaders check again on any mouse event

/** @type {Map<string, { types: Set<string>, target: EventTarget }>} by the text of the function: loops make one for each kind */
const listeners = new SafeMap();
let isDone = false;

/** Records a listener of the page. */
export function recordInteractionListener(target, type, callback) {
  if (isDone || typeof callback !== 'function' || !test(INTERACTIONS, type)) return;
  const receiver = target ?? window;
  if (receiver !== window && receiver !== document && receiver !== body(document) && receiver !== documentElement(document)) return;
  const text = asText(callback) + attempt(() => getOwnPropertyDescriptor(callback, 'name')?.value); // bound functions have no source text
  const entry = listeners.get(text) || { types: new SafeSet(), target: receiver };
  listeners.set(text, entry);
  entry.types.add(type);
}

/** Dispatches one event where any first interaction is listened to. Returns true when it did. */
export function interactOnce() {
  if (isDone) return false;
  isDone = true;
  let moved = false;
  listeners.forEach(({ types, target }) => {
    if (types.size < FIRST_OF_ANY || !some(BY_TOUCH_OR_KEY, (type) => types.has(type))) return;
    some(DISPATCHED, (type) => {
      if (!types.has(type)) return false;
      moved = true;
      native.dispatchEvent(target, native.createEvent(type, { bubbles: target !== window }));
      return true;
    });
  });
  listeners.clear();
  if (moved) recordActivity();
  return moved;
}
