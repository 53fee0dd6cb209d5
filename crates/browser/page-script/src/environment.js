// Differences of a render from an ordinary tab: no dialogs, no popups, no earlier pages, the same random numbers on every render; what would
// outlive the render or needs a person refuses. Runs first, in every frame, before any script of the page. See docs/decisions/0020.
// Must never change what a call of the page returns or throws, except where a feature is meant to refuse.

import {
  KeptSet, apply, charCodeAt, defineProperty, deleteProperty, each, filter, floor, getPrototypeOf, getter, imul, max, method, rejected, resolved, test, then,
} from './intrinsics/language.js';
import { listen, quietly, replaceGetter, replaceMethod, deactivation } from './hooks.js';
import { native } from './native.js';
import { isTop, options } from './options.js';
import { isForeign } from './shared.js';

/** Puts a generator behind `Math.random` and `crypto`, seeded by the path: "a random quote" differs between pages. */
export function repeatRandomNumbers() {
  let state = 0x9e3779b9;
  const path = location.pathname;
  for (let place = 0; place < path.length; place += 1) state = imul(state ^ charCodeAt(path, place), 0x01000193);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  replaceMethod(window.Math, 'random', next);
  const crypto = window.Crypto?.prototype;
  /** @type {any} */
  const views = getPrototypeOf(Uint8Array.prototype);
  const bufferOf = getter(views, 'buffer');
  const offsetOf = getter(views, 'byteOffset');
  const lengthOf = getter(views, 'byteLength');
  const Bytes = Uint8Array;
  replaceMethod(crypto, 'getRandomValues', (call) => {
    const filled = call(); // says no to what is no array of integers
    const length = lengthOf(filled);
    const bytes = new Bytes(bufferOf(filled), offsetOf(filled), length);
    for (let place = 0; place < length; place += 1) bytes[place] = next() * 256;
    return filled;
  });
  const digits = (count) => {
    let text = '';
    for (let place = 0; place < count; place += 1) text += '0123456789abcdef'[floor(next() * 16)];
    return text;
  };
  replaceMethod(crypto, 'randomUUID', () => `${digits(8)}-${digits(4)}-4${digits(3)}-a${digits(3)}-${digits(12)}`);
}

const sessionOf = getter(window, 'sessionStorage');
const session = () => sessionOf(window);
const getItem = method(Storage.prototype, 'getItem');
const setItem = method(Storage.prototype, 'setItem');
const clear = method(Storage.prototype, 'clear');
const removeItem = method(Storage.prototype, 'removeItem');

const answer = (owner, name, value) => replaceMethod(owner, name, () => value);
const constant = (owner, name, value) =>
  quietly(() => defineProperty(owner, name, { get: () => value, configurable: true, enumerable: true }));
const refuse = (owner, name, error, text) => replaceMethod(owner, name, () => rejected(new native.DOMException(text, error)));

/** Returns whether the name of a window means this one. */
function isOwnWindow(target) {
  return typeof target === 'string' && test(isTop ? /^_(self|top|parent)$/i : /^_self$/i, target);
}

export function prepareEnvironment() {
  // A view transition waits for pictures of the screen, which are never drawn here: it changes the page and is over.
  each([Document.prototype, Element.prototype], (owner) => replaceMethod(owner, 'startViewTransition', (call, self, args) => changeView(args[0])));
  refuseDialogs();
  removeServiceWorkers();
  refuseDevices();
  constant(Navigator.prototype, 'webdriver', false);
  constant(Navigator.prototype, 'onLine', true); // the one way out is no network interface
  forgetEarlierPages();
  repeatRandomNumbers();
}

function refuseDialogs() {
  answer(window, 'alert', undefined);
  answer(window, 'confirm', false);
  answer(window, 'prompt', null);
  answer(window, 'print', undefined);
  replaceMethod(window, 'open', (call, self, args) => (isOwnWindow(args[1]) ? call() : null));
  answer(Navigator.prototype, 'sendBeacon', true);
  if (window.Notification) {
    constant(window.Notification, 'permission', 'denied');
    replaceMethod(window.Notification, 'requestPermission', (call, self, args) => {
      const answered = resolved('denied');
      if (typeof args[0] === 'function') then(answered, args[0]); // as older pages ask
      return answered;
    });
    // Pages compare the two answers to find robots.
    const nameOf = getter(window.PermissionStatus?.prototype, 'name');
    replaceGetter(window.PermissionStatus?.prototype, 'state', (read, status) => (nameOf(status) === 'notifications' ? 'denied' : read()));
  }
}

/** A service worker would outlive the render. Pages find a browser that has none, as in private windows of some. */
function removeServiceWorkers() {
  quietly(() => deleteProperty(Navigator.prototype, 'serviceWorker'));
}

/** Nobody is there to allow a camera. */
function refuseDevices() {
  const devices = window.MediaDevices?.prototype;
  each(['getUserMedia', 'getDisplayMedia'], (name) => refuse(devices, name, 'NotAllowedError', 'Permission denied'));
  replaceMethod(devices, 'enumerateDevices', () => resolved([]));
}

/**
 * What earlier renders left in the same tab, once for each origin. What the documents of this render store is there in the next one
 * of them: whoever is left says so in the storage of its tab, when nothing of the page runs any more. See docs/decisions/0005.
 */
function forgetEarlierPages() {
  if (!isTop && !isForeign) return; // the top document has seen to it
  const arrival = quietly(() => /** @type {PerformanceNavigationTiming} */ (performance.getEntriesByType('navigation')[0]).type);
  if (options.used) {
    if (!isOfThisRender() && arrival === 'navigate') forget();
    if (isTop) listen(window, 'pagehide', () => deactivation.isDone || quietly(() => setItem(session(), options.mark, '')));
  }
  if (isTop && arrival === 'navigate') hideEarlierHistory();
}

/** Returns whether a document of this render was here before. */
function isOfThisRender() {
  const isMarked = quietly(() => getItem(session(), options.mark)) === '';
  if (isMarked) removeItem(session(), options.mark);
  return isMarked;
}

function forget() {
  quietly(() => clear(session()));
  if (isTop) quietly(() => clear(localStorage));
  if (isTop) quietly(() => (window.name = ''));
}

/** A visitor's tab has no page before this one. */
function hideEarlierHistory() {
  const { navigation } = window;
  const indexOf = getter(window.NavigationHistoryEntry?.prototype, 'index');
  const present = getter(window.Navigation?.prototype, 'currentEntry');
  const place = () => indexOf(present(navigation)) ?? 0;
  const first = quietly(place) || 0;
  const earlier = history.length - 1;
  if (earlier === 0) return;
  replaceGetter(History.prototype, 'length', (read) => max(1, read() - earlier));
  const leaves = (steps) => (quietly(place) ?? 0) + steps < first;
  replaceMethod(History.prototype, 'back', (call) => (leaves(-1) ? undefined : call()));
  replaceMethod(History.prototype, 'go', (call, self, args) => (leaves(quietly(() => +args[0]) || 0) ? undefined : call()));
  const entries = window.Navigation?.prototype;
  replaceMethod(entries, 'entries', (call) => filter(call(), (entry) => indexOf(entry) >= first));
  replaceGetter(entries, 'canGoBack', (read) => read() && !leaves(-1));
  replaceGetter(window.NavigationHistoryEntry?.prototype, 'index', (read) => max(-1, read() - first));
}

function changeView(given) {
  const update = typeof given === 'function' ? given : given?.update;
  const updateCallbackDone = then(resolved(), () => update && apply(update, undefined, []));
  const finished = then(updateCallbackDone, () => {});
  then(finished, () => {}, () => {}); // as unhandled as it is in a browser: once, by `updateCallbackDone`
  const types = new KeptSet();
  each(given?.types || [], (type) => types.add(type));
  return { updateCallbackDone, ready: finished, finished, types, skipTransition() {} };
}
