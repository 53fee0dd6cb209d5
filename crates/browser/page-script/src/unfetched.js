// Pictures, videos, sounds and fonts are not fetched and never load. Since pages wait for them or fade them in, they count as loaded: `ready.js`
// calls `reportMediaLoaded` once the page is quiet. See docs/decisions/0273.
// Must never report the length of a video, which players would show.

import { requestFrame } from './animation_frames.js';
import { attribute, hasAttribute, isConnected, isHtml, localName, query, queryAll } from './intrinsics/dom.js';
import { SafeSet, SafeWeakSet, asText, each, getPrototypeOf, getters, includes, methods, push, replaceAll, resolved, some, test, then } from './intrinsics/language.js';
import { listen, attempt, replaceGetter, replaceMethod, watchSetter } from './hooks.js';
import { listened } from './listeners.js';
import { eventOf, native } from './native.js';
import { eachTree } from './state.js';
import { endWith, hold, recordActivity, work } from './work.js';

const MAX_DETACHED = 1000;
const WANTED = 'img,svg image,link[rel="preload" i][as="image" i],video,audio';
const ADDRESSES = ['src', 'srcset', 'href', 'xlink:href', 'imagesrcset'];
const SIZE = { width: 1200, height: 800 }; // of a picture without a declared size
const PLAYABLE = ['loadeddata', 'canplay', 'canplaythrough'];
const ENOUGH_DATA = 4;

/** @type {WeakSet<EventTarget>} */
const loaded = new SafeWeakSet();
/** @type {Set<Element>} */
const detached = new SafeSet(); // outside the document

/** Records a picture outside the document, to be reported as loaded. */
function expectDetached(element) {
  if (isConnected(element) || detached.size >= MAX_DETACHED) return;
  detached.add(element);
  recordActivity();
}

export function watchMedia() {
  each([HTMLImageElement.prototype, HTMLMediaElement.prototype], (owner) =>
    watchSetter(owner, 'src', (element) => {
      loaded.delete(element);
      expectDetached(element);
    }),
  );
  // A picture with a load listener may have got its address by `setAttribute`.
  listened.onLoad = (element) => isHtml(element, 'img') && expectDetached(element);
  const recordLoad = (event) => {
    const target = eventOf.target(event);
    if (attempt(() => localName(target)) === 'img') loaded.add(target);
  };
  listen(document, 'load', recordLoad, { capture: true });
  const pictures = HTMLImageElement.prototype;
  replaceMethod(pictures, 'decode', () => resolved());
  const size = (name, written, /** @type {(image: Element) => boolean} */ has = () => true) =>
    replaceGetter(pictures, name, (read, image) => {
      const value = read();
      return value === 0 && loaded.has(image) && has(image) ? +(attribute(image, written) || 0) || SIZE[written] : value;
    });
  size('naturalWidth', 'width');
  size('naturalHeight', 'height');
  // In the document they return the size of the box.
  size('width', 'width', (image) => !isConnected(image));
  size('height', 'height', (image) => !isConnected(image));
  replaceGetter(pictures, 'complete', (read, image) => loaded.has(image) || read());
  replaceGetter(HTMLMediaElement.prototype, 'readyState', (read, element) => (loaded.has(element) ? ENOUGH_DATA : read()));
}

/** Returns true when a browser would fetch the element unasked. */
function isFetched(element, isVideo) {
  if (!isVideo) return some(ADDRESSES, (name) => attribute(element, name));
  if (attribute(element, 'preload') === 'none' && !hasAttribute(element, 'autoplay')) return false;
  return !!attribute(element, 'src') || query(element, 'source[src]') !== null;
}

/** Reports pictures as loaded, and videos and sounds as playable, once each. Returns true when there was one. */
export function reportMediaLoaded() {
  let anyReported = false;
  const report = (element) => {
    const isVideo = test(/^(video|audio)$/, localName(element));
    if (loaded.has(element) || !isFetched(element, isVideo)) return;
    loaded.add(element);
    each(isVideo ? PLAYABLE : ['load'], (type) => native.dispatchEvent(element, native.createEvent(type)));
    anyReported = true;
  };
  detached.forEach(report);
  detached.clear();
  eachTree((tree) => each(queryAll(tree, WANTED), report));
  if (anyReported) work.answers += 1; // some pages poll pictures instead of listening
  return anyReported;
}

// ---- fonts ----

const { family: familyOf } = getters(window.FontFace?.prototype);
const { name: errorName } = getters(DOMException.prototype);

/** Returns true when a CSS font shorthand names the family of a face. */
const isNamed = (face, font) => includes(asText(font), replaceAll(familyOf(face), /["']/g, ''));
const expectFont = (answer) => endWith(answer, hold('answer', RULES.answer.ms));

export function watchFonts() {
  let watched = false;
  replaceGetter(Document.prototype, 'fonts', (read) => {
    const faces = read();
    attempt(() => {
      requestFrame(); // promises of the set are settled after a layout
      if (!watched) watchSet(getPrototypeOf(faces)); // it has no global name
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
  const { forEach: eachFace } = methods(prototype);
  const named = (faces, font) => {
    /** @type {FontFace[]} */
    const found = [];
    eachFace(faces, (face) => isNamed(face, font) && push(found, face));
    return found;
  };
  replaceMethod(prototype, 'load', (call, faces, args) => {
    const failed = (error) => {
      if (attempt(() => errorName(error)) === 'SyntaxError') throw error;
      return named(faces, args[0]);
    };
    const answer = then(call(), (found) => found, failed);
    expectFont(answer);
    requestFrame();
    return answer;
  });
  replaceMethod(prototype, 'check', (call, faces, args) => call() || named(faces, args[0]).length > 0);
}
