// Pages that begin with the first movement of a visitor's hand: optimisers hold scripts back until the mouse moves, a key is pressed or
// the page is scrolled. Whoever has read the page has done one of these. `ready.js` calls `interactOnce` once the page is quiet.
// Must never press anything, and never move what only one kind of movement is listened for: that follows the pointer or tracks it.
// See docs/decisions/0273.

import { body, documentElement } from './intrinsics/dom.js';
import { KeptMap, KeptSet, asText, getOwnPropertyDescriptor, plain, some, test } from './intrinsics/language.js';
import { quietly } from './hooks.js';
import { native } from './native.js';
import { touch } from './work.js';

const MOVEMENTS = /^(scroll|wheel|mousemove|mouseover|pointermove|touchmove|touchstart|touchend|mousedown|pointerdown|click|keydown|keyup)$/;
const HARMLESS = ['scroll', 'mousemove', 'wheel', 'mouseover', 'pointermove', 'touchmove', 'touchstart'];
const FIRST_OF_ANY = 3; // one function that listens for so many kinds does not care which it is
const BY_TOUCH_OR_KEY = ['touchstart', 'touchmove', 'keydown']; // among them: loaders of pictures look again at whatever the mouse does

/** @type {Map<string, { types: Set<string>, target: EventTarget }>} by the text of the function: loops make one for each kind */
const listeners = new KeptMap();
let isDone = false;

/** Notes a listener of the page. */
export function noteInteraction(target, type, callback) {
  if (isDone || typeof callback !== 'function' || !test(MOVEMENTS, type)) return;
  const whole = target ?? window;
  if (whole !== window && whole !== document && whole !== body(document) && whole !== documentElement(document)) return;
  const text = asText(callback) + quietly(() => getOwnPropertyDescriptor(callback, 'name')?.value); // bound functions have no text of their own
  const known = listeners.get(text) || { types: new KeptSet(), target: whole };
  listeners.set(text, known);
  known.types.add(type);
}

/** Moves the hand once, where the first movement of any kind is listened for. True when it was. */
export function interactOnce() {
  if (isDone) return false;
  isDone = true;
  let moved = false;
  listeners.forEach(({ types, target }) => {
    if (types.size < FIRST_OF_ANY || !some(BY_TOUCH_OR_KEY, (type) => types.has(type))) return;
    some(HARMLESS, (type) => {
      if (!types.has(type)) return false;
      moved = true;
      native.dispatchEvent(target, native.createMovement(type, plain({ bubbles: target !== window })));
      return true;
    });
  });
  listeners.clear();
  if (moved) touch();
  return moved;
}
