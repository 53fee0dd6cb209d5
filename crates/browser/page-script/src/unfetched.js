// Pictures, films, sounds and fonts are not fetched, so they never load; pages that fade them in, or wait for them, would wait for ever. They
// count as loaded: `ready.js` calls `loadMedia` once the page is quiet. See docs/decisions/0273.
// Must never say how long a film is: players would show it.

import { askFrame } from './animation_frames.js';
import { attribute, hasAttribute, isConnected, isHtml, localName, query, queryAll } from './intrinsics/dom.js';
import { KeptSet, KeptWeakSet, asText, each, getPrototypeOf, getter, includes, method, push, replaceAll, resolved, some, test, then } from './intrinsics/language.js';
import { listen, quietly, replaceGetter, replaceMethod, watchSetter } from './hooks.js';
import { listened } from './listeners.js';
import { eventOf, native } from './native.js';
import { shadowRoots } from './state.js';
import { endWith, hold, touch, work } from './work.js';

const MAX_DETACHED = 1000;
const WANTED = 'img,svg image,link[rel="preload" i][as="image" i],video,audio';
const ADDRESSES = ['src', 'srcset', 'href', 'xlink:href', 'imagesrcset'];
const SIZE = { width: 1200, height: 800 }; // of a picture that does not say its own
const PLAYABLE = ['loadeddata', 'canplay', 'canplaythrough'];
const ENOUGH_DATA = 4;

/** @type {WeakSet<EventTarget>} */
const loaded = new KeptWeakSet();
/** @type {Set<Element>} */
const detached = new KeptSet(); // outside the document

/** Expects an element outside the document to load. */
function expect(element) {
  if (isConnected(element) || detached.size >= MAX_DETACHED) return;
  detached.add(element);
  touch();
}

export function watchMedia() {
  each([HTMLImageElement.prototype, HTMLMediaElement.prototype], (owner) =>
    watchSetter(owner, 'src', (element) => {
      loaded.delete(element);
      expect(element);
    }),
  );
  // A picture that somebody waits for may have got its address by `setAttribute`.
  const expectPicture = (element) => isHtml(element, 'img') && expect(element);
  watchSetter(HTMLElement.prototype, 'onload', expectPicture);
  listened.onLoad = expectPicture;
  const note = (event) => {
    const target = eventOf.target(event);
    if (quietly(() => localName(target)) === 'img') loaded.add(target);
  };
  listen(document, 'load', note, { capture: true });
  const pictures = HTMLImageElement.prototype;
  replaceMethod(pictures, 'decode', () => resolved());
  const size = (name, written, /** @type {(image: Element) => boolean} */ has = () => true) =>
    replaceGetter(pictures, name, (read, image) => {
      const value = read();
      return value === 0 && loaded.has(image) && has(image) ? +(attribute(image, written) || 0) || SIZE[written] : value;
    });
  size('naturalWidth', 'width');
  size('naturalHeight', 'height');
  // In the document these are the size of its box.
  size('width', 'width', (image) => !isConnected(image));
  size('height', 'height', (image) => !isConnected(image));
  replaceGetter(pictures, 'complete', (read, image) => loaded.has(image) || read());
  replaceGetter(HTMLMediaElement.prototype, 'readyState', (read, element) => (loaded.has(element) ? ENOUGH_DATA : read()));
}

/** Returns whether a visitor's browser would fetch it before anybody asks for it. */
function isFetched(element, isFilm) {
  if (!isFilm) return some(ADDRESSES, (name) => attribute(element, name));
  if (attribute(element, 'preload') === 'none' && !hasAttribute(element, 'autoplay')) return false;
  return !!attribute(element, 'src') || query(element, 'source[src]') !== null;
}

/** Tells the page that its pictures have loaded, and that its films and sounds can be played. Each of them once. */
export function loadMedia() {
  let told = false;
  const tell = (element) => {
    const isFilm = test(/^(video|audio)$/, localName(element));
    if (loaded.has(element) || !isFetched(element, isFilm)) return;
    loaded.add(element);
    each(isFilm ? PLAYABLE : ['load'], (type) => native.dispatchEvent(element, native.createEvent(type)));
    told = true;
  };
  detached.forEach(tell);
  detached.clear();
  each(queryAll(document, WANTED), tell);
  shadowRoots.forEach((root) => each(queryAll(root, WANTED), tell));
  if (told) work.answers += 1; // some look at pictures again and again, and do not listen
  return told;
}

// ---- fonts ----

const familyOf = getter(window.FontFace?.prototype, 'family');
const errorName = getter(DOMException.prototype, 'name');

/** Returns whether a font, as CSS names it, is of the family of a face. */
const isNamed = (face, font) => includes(asText(font), replaceAll(familyOf(face), /["']/g, ''));
const expectFont = (answer) => endWith(answer, hold('answer', RULES.answer.ms));

export function watchFonts() {
  let watched = false;
  replaceGetter(Document.prototype, 'fonts', (read) => {
    const faces = read();
    quietly(() => {
      askFrame(); // promises of the set are settled after a layout
      if (!watched) watchSet(getPrototypeOf(faces)); // no global name leads there
      watched = true;
    });
    return faces;
  });
  replaceMethod(window.FontFace?.prototype, 'load', (call, face) => {
    const answer = then(call(), () => face, () => face);
    expectFont(answer);
    return answer;
  });
}

function watchSet(prototype) {
  const eachFace = method(prototype, 'forEach');
  const named = (faces, font) => {
    /** @type {FontFace[]} */
    const found = [];
    eachFace(faces, (face) => isNamed(face, font) && push(found, face));
    return found;
  };
  replaceMethod(prototype, 'load', (call, faces, args) => {
    const failed = (error) => {
      if (quietly(() => errorName(error)) === 'SyntaxError') throw error;
      return named(faces, args[0]);
    };
    const answer = then(call(), (found) => found, failed);
    expectFont(answer);
    askFrame();
    return answer;
  });
  replaceMethod(prototype, 'check', (call, faces, args) => call() || named(faces, args[0]).length > 0);
}
