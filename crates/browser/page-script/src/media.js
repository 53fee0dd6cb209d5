// Films and sounds are not fetched, so they never can be played; pages that show one once it can, or wait for it, would wait for ever.
// `ready.js` calls `loadMedia` once the page is quiet. See docs/decisions/0351.
// Must never say how long one is: players would show it.

import { replaceGetter, watchSetter } from './hooks.js';
import { attribute, hasAttribute, isConnected, query, queryAll } from './intrinsics/dom.js';
import { KeptSet, KeptWeakSet, each } from './intrinsics/language.js';
import { native } from './native.js';
import { shadowRoots } from './roots.js';
import { touch } from './work.js';

const EVENTS = ['loadeddata', 'canplay', 'canplaythrough'];
const ENOUGH_DATA = 4;
const MAX_DETACHED = 100;

/** @type {WeakSet<Element>} */
const loaded = new KeptWeakSet();
/** @type {Set<Element>} */
const detached = new KeptSet();

export function watchMedia() {
  const media = window.HTMLMediaElement.prototype;
  watchSetter(media, 'src', (element) => {
    loaded.delete(element);
    if (isConnected(element) || detached.size >= MAX_DETACHED) return;
    detached.add(element);
    touch();
  });
  replaceGetter(media, 'readyState', (read, element) => (loaded.has(element) ? ENOUGH_DATA : read()));
}

/** Whether a visitor's browser would fetch it before anybody asks for it. */
function isFetched(element) {
  if (attribute(element, 'preload') === 'none' && !hasAttribute(element, 'autoplay')) return false;
  return !!attribute(element, 'src') || query(element, 'source[src]') !== null;
}

/** Tells the page that its films and sounds can be played. Each of them once. */
export function loadMedia() {
  let told = false;
  const tell = (element) => {
    if (loaded.has(element) || !isFetched(element)) return;
    loaded.add(element);
    each(EVENTS, (type) => native.dispatchEvent(element, native.createEvent(type)));
    told = true;
  };
  detached.forEach(tell);
  detached.clear();
  each(queryAll(document, 'video,audio'), tell);
  shadowRoots.forEach((root) => each(queryAll(root, 'video,audio'), tell));
  return told;
}
