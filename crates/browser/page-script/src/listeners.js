// Listeners of the page that affect the render: scrolling, ends of transitions and animations, messages of frames, unloading.

import { recordInteractionListener } from './first_interaction.js';
import { body, isHtml, queryAll } from './intrinsics/dom.js';
import { SafeSet, SafeWeakMap, SafeWeakSet, each, keys, some, startsWith, test } from './intrinsics/language.js';
import { listen, attempt, replaceMethod, deactivation, watchMethod, watchSetter } from './hooks.js';
import { eventOf } from './native.js';
import { options } from './options.js';

export const UNLOAD_EVENTS = ['beforeunload', 'pagehide', 'unload', 'visibilitychange', 'freeze'];
let isSilenced = false;

/**
 * Hides the unloading of a deactivated document from the page's listeners, by a capturing listener at the window. Added only when needed, since the
 * browser records every use of `unload`, which takes milliseconds.
 */
export function silenceUnload() {
  if (isSilenced) return;
  isSilenced = true;
  each(UNLOAD_EVENTS, (type) => listen(window, type, (event) => deactivation.isDone && eventOf.stop(event), { capture: true }));
}

/**
 * Functions that are called with the type of each listener added to a source of messages.
 * @type {WeakMap<EventTarget, (type: string) => unknown>}
 */
export const onListenerAdded = new SafeWeakMap();

export const listened = {
  scripts: false, // the page animates by script
  ends: false, // starts and ends of transitions and animations, which are dispatched with a frame
  endsByReact: false,
  /** @type {WeakMap<EventTarget, unknown>} */
  clicks: new SafeWeakMap(), // click listeners by element
  frameEvents: false, // events that need a frame: the close of a dialog, `pagereveal`
  navigation: false,
  /** @type {(target: EventTarget) => unknown} */
  onLoad: () => {}, // called with each target of a load listener
  messages: false,
  windowScrolls: false,
  innerScrolls: false, // a capturing listener for the scrolling of any element
  /** @type {WeakSet<EventTarget>} */
  loads: new SafeWeakSet(), // targets of load listeners
  /** @type {Set<Element>} */
  scrollers: new SafeSet(), // elements with their own scroll listeners
  /** @type {Set<Element>} */
  contentVisibility: new SafeSet(), // elements with a listener for `content-visibility`
};

const isUnloadEvent = (type) => some(UNLOAD_EVENTS, (event) => event === type);
const isGlobal = (target) => target === window || target === document || target === undefined || target === null;

/** Returns true for a root of React, which listens to all events, whether or not a component does. */
const isReactRoot = (target) => some(keys(target || {}), (key) => startsWith(key, '_reactListening'));

/** Records what the page listens to scroll. Measuring how far it scrolls needs a layout. */
const recordScroller = (target, /** @type {any} */ init = undefined) => {
  if (init === true && isReactRoot(target)) return;
  if (isGlobal(target)) listened.windowScrolls = true;
  else listened.scrollers.add(target);
  if (isGlobal(target) && (init === true || init?.capture === true)) listened.innerScrolls = true;
};

const HANDLERS = '[onscroll],[onscrollend]';

/** Finds scroll handlers in attributes. */
export function findScrollHandlers() {
  each(queryAll(document, HANDLERS), (element) => recordScroller(element === body(document) ? window : element));
}

const recorders = {
  __proto__: null,
  scroll: (target, callback, init) => recordScroller(target, init),
  scrollend: (target, callback, init) => recordScroller(target, init),
  contentvisibilityautostatechange: (target) => isGlobal(target) || listened.contentVisibility.add(target),
  click: (target, callback) => options.inspects && !isGlobal(target) && listened.clicks.set(target, callback),
  close: (target) => isHtml(target, 'dialog') && (listened.frameEvents = true),
  pagereveal: () => (listened.frameEvents = true),
  load: (target) => {
    if (isGlobal(target)) return;
    listened.loads.add(target);
    listened.onLoad(target);
  },
  navigate: () => (listened.navigation = true),
  message: (target) => (listened.messages ||= isGlobal(target)),
};

function recordListener(target, type, callback, init) {
  if (typeof type !== 'string') return;
  onListenerAdded.get(target)?.(type);
  recorders[type]?.(target, callback, init);
  if (init && isUnloadEvent(type)) silenceUnload();
  if (listened.ends || !test(/(transition|animation)(end|start|run)$/i, type)) return;
  if (isReactRoot(target)) listened.endsByReact = true;
  else listened.ends = true;
}

export function watchListenerTypes() {
  watchSetter(window, 'onmessage', () => (listened.messages = true));
  watchSetter(window, 'onpagereveal', () => (listened.frameEvents = true));
  watchSetter(HTMLElement.prototype, 'onclose', () => (listened.frameEvents = true));
  each(['close', 'requestClose'], (name) => watchMethod(window.HTMLDialogElement?.prototype, name, () => (listened.frameEvents = true)));
  each(['onanimationend', 'onanimationstart', 'ontransitionend', 'ontransitionstart', 'ontransitionrun'], (name) => {
    watchSetter(HTMLElement.prototype, name, () => (listened.ends = true));
  });
  watchSetter(window.Navigation?.prototype, 'onnavigate', () => (listened.navigation = true));
  each(['onscroll', 'onscrollend'], (name) => {
    each([window, Document.prototype, window.HTMLBodyElement.prototype], (owner) => watchSetter(owner, name, () => recordScroller(window)));
    watchSetter(HTMLElement.prototype, name, (element) => recordScroller(element));
  });
  replaceMethod(EventTarget.prototype, 'addEventListener', (call, target, args) => {
    attempt(() => recordListener(target, args[0], args[1], args[2]));
    attempt(() => recordInteractionListener(target, args[0], args[1]));
    return call();
  });
}
