// Differences of a render from an ordinary tab: no dialogs, popups and earlier pages, repeatable random numbers, and refusal of features that
// outlive the render or need a person. Runs before any script of the page, in every frame. See docs/decisions/0020.
// Must never change results or errors of other calls.

import {
  SafeSet, apply, charCodeAt, defineProperty, deleteProperty, each, filter, floor, getPrototypeOf, getters, imul, max, methods, rejected, resolved, test, then,
} from './intrinsics/language.js';
import { listen, attempt, replaceGetter, replaceMethod, deactivation } from './hooks.js';
import { native } from './native.js';
import { isTop, options } from './options.js';
import { isForeign } from './shared.js';

/** Seeds `Math.random` and `crypto` by the path, so that a random quote differs between pages. */
function repeatRandomNumbers() {
  let state = 0x9e3779b9;
  const path = location.pathname;
  for (let index = 0; index < path.length; index += 1) state = imul(state ^ charCodeAt(path, index), 0x01000193);
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
  const { buffer, byteOffset, byteLength } = getters(views);
  const Bytes = Uint8Array;
  replaceMethod(crypto, 'getRandomValues', (call) => {
    const filled = call(); // throws for other types than integer arrays
    const length = byteLength(filled);
    const bytes = new Bytes(buffer(filled), byteOffset(filled), length);
    for (let index = 0; index < length; index += 1) bytes[index] = next() * 256;
    return filled;
  });
  const digits = (count) => {
    let text = '';
    for (let index = 0; index < count; index += 1) text += '0123456789abcdef'[floor(next() * 16)];
    return text;
  };
  replaceMethod(crypto, 'randomUUID', () => `${digits(8)}-${digits(4)}-4${digits(3)}-a${digits(3)}-${digits(12)}`);
}

const { sessionStorage: sessionOf } = getters(/** @type {any} */ (window));
const session = () => sessionOf(window);
const { getItem, setItem, removeItem, clear } = methods(Storage.prototype);

const answer = (owner, name, value) => replaceMethod(owner, name, () => value);
const constant = (owner, name, value) =>
  attempt(() => defineProperty(owner, name, { get: () => value, configurable: true, enumerable: true }));

/** Returns true when a window name refers to this window. */
function isOwnWindow(target) {
  return typeof target === 'string' && test(isTop ? /^_(self|top|parent)$/i : /^_self$/i, target);
}

export function prepareEnvironment() {
  // A view transition waits for screenshots, which are never drawn here: it runs its callback and finishes.
  each([Document.prototype, Element.prototype], (owner) => replaceMethod(owner, 'startViewTransition', (call, self, args) => startViewTransition(args[0])));
  attempt(() => deleteProperty(Navigator.prototype, 'serviceWorker')); // would outlive the render; some browsers lack it in private windows
  refuseQuestions();
  constant(Navigator.prototype, 'webdriver', false);
  constant(Navigator.prototype, 'onLine', true); // the proxy is no network interface
  clearEarlierStorage();
  repeatRandomNumbers();
}

/** Answers as a person who refuses: dialogs, popups, notifications, cameras and microphones. */
function refuseQuestions() {
  answer(window, 'alert', undefined);
  answer(window, 'confirm', false);
  answer(window, 'prompt', null);
  answer(window, 'print', undefined);
  replaceMethod(window, 'open', (call, self, args) => (isOwnWindow(args[1]) ? call() : null));
  answer(Navigator.prototype, 'sendBeacon', true);
  constant(window.Notification, 'permission', 'denied');
  replaceMethod(window.Notification, 'requestPermission', (call, self, args) => {
    const answered = resolved('denied');
    if (typeof args[0] === 'function') then(answered, args[0]); // deprecated callback form
    return answered;
  });
  const devices = window.MediaDevices?.prototype;
  const denied = () => rejected(new native.DOMException('Permission denied', 'NotAllowedError'));
  each(['getUserMedia', 'getDisplayMedia'], (name) => replaceMethod(devices, name, denied));
  replaceMethod(devices, 'enumerateDevices', () => resolved([]));
}

/**
 * Clears the storage of earlier renders in the same tab, once per origin. Documents of one render share their storage: each leaves a marker for the
 * next one when it is left and its scripts have ended. See docs/decisions/0005.
 */
function clearEarlierStorage() {
  if (!isTop && !isForeign) return; // the top document has cleared it
  const navigationType = attempt(() => /** @type {PerformanceNavigationTiming} */ (performance.getEntriesByType('navigation')[0]).type);
  if (options.used) {
    if (!isOfThisRender() && navigationType === 'navigate') clearStorage();
    if (isTop) listen(window, 'pagehide', () => deactivation.isDone || attempt(() => setItem(session(), options.mark, '')));
  }
  if (isTop && navigationType === 'navigate') hideEarlierHistory();
}

/** Returns true when a document of this render preceded this one. */
function isOfThisRender() {
  const isMarked = attempt(() => getItem(session(), options.mark)) === '';
  if (isMarked) removeItem(session(), options.mark);
  return isMarked;
}

function clearStorage() {
  attempt(() => clear(session()));
  if (isTop) attempt(() => clear(localStorage));
  if (isTop) attempt(() => (window.name = ''));
}

/** Hides the history entries of earlier renders. */
function hideEarlierHistory() {
  const { navigation } = window;
  const { index: indexOf } = getters(window.NavigationHistoryEntry?.prototype);
  const { currentEntry } = getters(window.Navigation?.prototype);
  const index = () => indexOf(currentEntry(navigation)) ?? 0;
  const first = attempt(index) || 0;
  const earlier = history.length - 1;
  if (earlier === 0) return;
  replaceGetter(History.prototype, 'length', (read) => max(1, read() - earlier));
  const leaves = (steps) => (attempt(index) ?? 0) + steps < first;
  replaceMethod(History.prototype, 'back', (call) => (leaves(-1) ? undefined : call()));
  replaceMethod(History.prototype, 'go', (call, self, args) => (leaves(attempt(() => +args[0]) || 0) ? undefined : call()));
  const entries = window.Navigation?.prototype;
  replaceMethod(entries, 'entries', (call) => filter(call(), (entry) => indexOf(entry) >= first));
  replaceGetter(entries, 'canGoBack', (read) => read() && !leaves(-1));
  replaceGetter(window.NavigationHistoryEntry?.prototype, 'index', (read) => max(-1, read() - first));
}

function startViewTransition(given) {
  const update = typeof given === 'function' ? given : given?.update;
  const updateCallbackDone = then(resolved(), () => update && apply(update, undefined, []));
  const finished = then(updateCallbackDone, () => {});
  then(finished, () => {}, () => {}); // an error is unhandled only once, as in a browser: by `updateCallbackDone`
  return { updateCallbackDone, ready: finished, finished, types: new SafeSet(), skipTransition() {} };
}
