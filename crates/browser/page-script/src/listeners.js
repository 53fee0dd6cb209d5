// Listeners of the page that matter: scrolling, ends of transitions and animations, what frames say, the end of the document.

import { noteInteraction } from './first_interaction.js';
import { body, isHtml, queryAll } from './intrinsics/dom.js';
import { KeptSet, KeptWeakMap, KeptWeakSet, each, keys, some, startsWith, test } from './intrinsics/language.js';
import { listen, quietly, replaceMethod, deactivation, watchMethod, watchSetter } from './hooks.js';
import { eventOf } from './native.js';
import { options } from './options.js';

export const UNLOAD_EVENTS = ['beforeunload', 'pagehide', 'unload', 'visibilitychange', 'freeze'];
let silencing = false;

/**
 * Listeners of the page are told nothing when a deactivated document is left: ours is before them, a capturing one at the
 * window. Not there from the start, because the browser keeps a record of every use of `unload`: milliseconds a page.
 */
export function silenceUnload() {
  if (silencing) return;
  silencing = true;
  each(UNLOAD_EVENTS, (type) => listen(window, type, (event) => deactivation.isDone && eventOf.stop(event), { capture: true }));
}

/**
 * Sources of messages, and the function that is told the types of the listeners that are added to each.
 * @type {WeakMap<EventTarget, (type: string) => unknown>}
 */
export const heardBy = new KeptWeakMap();

export const listened = {
  scripts: false, // something of the page animates by script
  ends: false, // of transitions and animations, and their beginnings: they are told with a frame, too
  byReact: false,
  /** @type {WeakMap<EventTarget, unknown>} */
  clicks: new KeptWeakMap(), // what listens to clicks of its own
  drawn: false, // what comes with a frame: a dialog's end, the first look at the page
  navigation: false,
  /** @type {(target: EventTarget) => unknown} */
  onLoad: () => {}, // is told what somebody listens to the load of
  messages: false,
  windowScrolls: false,
  innerScrolls: false, // whatever scrolls within the window is heard at the top
  /** @type {WeakSet<EventTarget>} */
  loads: new KeptWeakSet(), // what tells somebody that it has loaded
  /** @type {Set<Element>} */
  scrollers: new KeptSet(), // elements whose own scrolling is listened to
  /** @type {Set<Element>} */
  skipped: new KeptSet(), // elements that want to hear when they are drawn (`content-visibility: auto`)
};

const isUnloadEvent = (type) => some(UNLOAD_EVENTS, (ending) => ending === type);
const isGlobal = (target) => target === window || target === document || target === undefined || target === null;

/** React listens to everything at its root, whether a component cares or not. */
const isReactRoot = (target) => some(keys(target || {}), (key) => startsWith(key, '_reactListening'));

/** To find out how far something scrolls takes a layout. */
const scrolls = (target, /** @type {any} */ init = undefined) => {
  if (init === true && isReactRoot(target)) return;
  if (isGlobal(target)) listened.windowScrolls = true;
  else listened.scrollers.add(target);
  if (isGlobal(target) && (init === true || init?.capture === true)) listened.innerScrolls = true;
};

const HANDLERS = '[onscroll],[onscrollend]';

/** Notes the handlers of scrolling that are written as attributes. */
export function noteScrollHandlers() {
  each(queryAll(document, HANDLERS), (element) => scrolls(element === body(document) ? window : element));
}

const notes = {
  __proto__: null,
  scroll: (target, callback, init) => scrolls(target, init),
  scrollend: (target, callback, init) => scrolls(target, init),
  contentvisibilityautostatechange: (target) => isGlobal(target) || listened.skipped.add(target),
  click: (target, callback) => options.inspects && !isGlobal(target) && listened.clicks.set(target, callback),
  close: (target) => isHtml(target, 'dialog') && (listened.drawn = true),
  pagereveal: () => (listened.drawn = true),
  load: (target) => {
    if (isGlobal(target)) return;
    listened.loads.add(target);
    listened.onLoad(target);
  },
  navigate: () => (listened.navigation = true),
  message: (target) => (listened.messages ||= isGlobal(target)),
};

function note(target, type, callback, init) {
  if (typeof type !== 'string') return;
  heardBy.get(target)?.(type);
  notes[type]?.(target, callback, init);
  if (init && isUnloadEvent(type)) silenceUnload();
  if (listened.ends || !test(/(transition|animation)(end|start|run)$/i, type)) return;
  if (isReactRoot(target)) listened.byReact = true;
  else listened.ends = true;
}

export function watchListenerTypes() {
  watchSetter(window, 'onmessage', () => (listened.messages = true));
  watchSetter(window, 'onpagereveal', () => (listened.drawn = true));
  watchSetter(HTMLElement.prototype, 'onclose', () => (listened.drawn = true));
  each(['close', 'requestClose'], (name) => watchMethod(window.HTMLDialogElement?.prototype, name, () => (listened.drawn = true)));
  each(['onanimationend', 'onanimationstart', 'ontransitionend', 'ontransitionstart', 'ontransitionrun'], (name) => {
    watchSetter(HTMLElement.prototype, name, () => (listened.ends = true));
  });
  watchSetter(window.Navigation?.prototype, 'onnavigate', () => (listened.navigation = true));
  each(['onscroll', 'onscrollend'], (name) => {
    each([window, Document.prototype, window.HTMLBodyElement.prototype], (owner) => watchSetter(owner, name, () => scrolls(window)));
    watchSetter(HTMLElement.prototype, name, (element) => scrolls(element));
  });
  replaceMethod(EventTarget.prototype, 'addEventListener', (call, target, args) => {
    quietly(() => note(target, args[0], args[1], args[2]));
    quietly(() => noteInteraction(target, args[0], args[1]));
    return call();
  });
}
