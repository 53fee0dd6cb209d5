// Listeners of the page that affect the render: scrolling, ends of transitions and animations, messages of frames, unloading.

import { recordInteractionListener } from './first_interaction.js';
import { SafeSet, SafeWeakMap, SafeWeakSet, each, keys, some, startsWith } from './intrinsics/language.js';
import { listen, attempt, replaceMethod, deactivation, watchSetter } from './hooks.js';
import { eventOf } from './native.js';
import { options } from './options.js';

const UNLOAD_EVENTS = ['beforeunload', 'pagehide', 'unload', 'visibilitychange', 'freeze'];
let isSilenced = false;

/** Hides the unloading of a deactivated document from the page. Called only when needed, since the browser takes milliseconds to record it. */
export function silenceUnload() {
  if (isSilenced) return;
  isSilenced = true;
  each(UNLOAD_EVENTS, (type) => listen(window, type, (event) => deactivation.isDone && eventOf.stop(event), { capture: true }));
}

/** @type {WeakMap<EventTarget, (type: string) => unknown>} */
export const onListenerAdded = new SafeWeakMap(); // called with the type of each listener added to a source of messages

export const listened = {
  scripts: false, // the page animates by script
  ends: false, // starts and ends of transitions and animations, which are dispatched with a frame
  endsByReact: false,
  /** @type {WeakMap<EventTarget, unknown>} */
  clicks: new SafeWeakMap(), // click listeners by element
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
};

const isGlobal = (target) => target === window || target === document || target === undefined || target === null;

/** Returns true for a root of React, which listens to all events, whether or not a component does. */
const isReactRoot = (target) => some(keys(target || {}), (key) => startsWith(key, '_reactListening'));

/** Records what the page listens to scroll. Measuring how far it scrolls needs a layout. */
function recordScroller(target, _, /** @type {any} */ init) {
  if (init === true && isReactRoot(target)) return;
  if (isGlobal(target)) listened.windowScrolls = true;
  else listened.scrollers.add(target);
  if (isGlobal(target) && (init === true || init?.capture === true)) listened.innerScrolls = true;
}

function recordEnd(target) {
  if (isReactRoot(target)) listened.endsByReact = true;
  else listened.ends = true;
}

const recorders = {
  __proto__: null,
  scroll: recordScroller,
  scrollend: recordScroller,
  transitionend: recordEnd,
  transitionstart: recordEnd,
  transitionrun: recordEnd,
  animationend: recordEnd,
  animationstart: recordEnd,
  webkitTransitionEnd: recordEnd,
  webkitAnimationEnd: recordEnd,
  webkitAnimationStart: recordEnd,
  click: (target, callback) => options.inspects && !isGlobal(target) && listened.clicks.set(target, callback),
  load: (target) => {
    if (isGlobal(target)) return;
    listened.loads.add(target);
    listened.onLoad(target);
  },
  navigate: () => (listened.navigation = true),
  message: (target) => (listened.messages ||= isGlobal(target)),
};

function recordListener(target, type, callback, /** @type {any} */ init = undefined) {
  if (typeof type !== 'string') return;
  onListenerAdded.get(target)?.(type);
  recorders[type]?.(target, callback, init);
  if (init && some(UNLOAD_EVENTS, (event) => event === type)) silenceUnload();
}

export function watchListenerTypes() {
  const body = window.HTMLBodyElement.prototype; // handlers of the body are those of the window
  each([window, Document.prototype, HTMLElement.prototype, body, window.Navigation?.prototype], (owner) =>
    each(keys(recorders), (type) => watchSetter(owner, `on${type}`, (target, callback) => recordListener(owner === body ? window : target, type, callback))),
  );
  replaceMethod(EventTarget.prototype, 'addEventListener', (call, target, args) => {
    attempt(() => recordListener(target, args[0], args[1], args[2]));
    attempt(() => recordInteractionListener(target, args[0], args[1]));
    return call();
  });
}
