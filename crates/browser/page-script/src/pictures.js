// Pictures are not fetched, so they never load; pages that fade them in, or wait for them, would wait for ever.
// `ready.js` calls `loadPictures` once the page is quiet.

import { listen, quietly, replaceGetter, replaceMethod, watchSetter } from './hooks.js';
import { attribute, isConnected, isHtml, localName, queryAll } from './intrinsics/dom.js';
import { KeptSet, KeptWeakSet, each, resolved, some } from './intrinsics/language.js';
import { eventOf, native } from './native.js';
import { expectPolls } from './polls.js';
import { shadowRoots } from './roots.js';
import { touch } from './work.js';

const MAX_DETACHED = 1000;
const PICTURES = 'img,svg image,link[rel="preload" i][as="image" i]';
const ADDRESSES = ['src', 'srcset', 'href', 'xlink:href', 'imagesrcset'];
const SIZE = { width: 1200, height: 800 }; // of a picture that does not say its own

/** @type {WeakSet<EventTarget>} */
const loadedPictures = new KeptWeakSet();
/** @type {Set<HTMLImageElement>} */
const detachedPictures = new KeptSet();

export function watchPictures() {
  watchSetter(HTMLImageElement.prototype, 'src', (image) => {
    loadedPictures.delete(image);
    if (isConnected(image) || detachedPictures.size >= MAX_DETACHED) return;
    detachedPictures.add(image);
    touch();
  });
  watchSetter(HTMLElement.prototype, 'onload', noteWaitedFor);
  const loaded = (event) => {
    const target = eventOf.target(event);
    if (quietly(() => localName(target)) === 'img') loadedPictures.add(target);
  };
  listen(document, 'load', loaded, { capture: true });
  replaceMethod(HTMLImageElement.prototype, 'decode', () => resolved());
  const size = (name, written, /** @type {(image: Element) => boolean} */ has = () => true) =>
    replaceGetter(HTMLImageElement.prototype, name, (read, image) => {
      const value = read();
      return value === 0 && loadedPictures.has(image) && has(image) ? +(attribute(image, written) || 0) || SIZE[written] : value;
    });
  size('naturalWidth', 'width');
  size('naturalHeight', 'height');
  // In the document these are the size of its box.
  size('width', 'width', (image) => !isConnected(image));
  size('height', 'height', (image) => !isConnected(image));
  replaceGetter(HTMLImageElement.prototype, 'complete', (read, image) => loadedPictures.has(image) || read());
}

/** Somebody waits for an element to load. A picture outside the document may have got its address by `setAttribute`. */
export function noteWaitedFor(element) {
  if (!isHtml(element, 'img') || isConnected(element) || detachedPictures.size >= MAX_DETACHED) return;
  detachedPictures.add(element);
  touch();
}

let hasCome = false;

/** Tells the page that its pictures have loaded. Each of them once. */
export function loadPictures() {
  let told = false;
  const tell = (image) => {
    if (loadedPictures.has(image) || !some(ADDRESSES, (name) => attribute(image, name))) return;
    loadedPictures.add(image);
    native.dispatchEvent(image, native.createEvent('load'));
    told = true;
  };
  detachedPictures.forEach(tell);
  detachedPictures.clear();
  each(queryAll(document, PICTURES), tell);
  shadowRoots.forEach((root) => each(queryAll(root, PICTURES), tell));
  if (told && !hasCome) {
    hasCome = true;
    expectPolls(); // some look at pictures again and again, and do not listen
  }
  return told;
}
