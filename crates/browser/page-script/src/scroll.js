// Content that a page shows by scroll position: a visitor who scrolls down sees it, and it stays when back at the top.
// `ready.js` calls `simulateScroll` once the page is quiet.
// Must never really scroll or resize the window: layouts depend on both.

import { setPageTimeout } from './alarms.js';
import { endAnimationsOf } from './animations.js';
import { requestFrame } from './animation_frames.js';
import {
  attribute, boundingBox, box, clientHeight, documentElement, elementFromPoint, isConnected, isShown, parentElement, removeAttribute, scrollHeight, scrollingElement,
  setAttribute,
} from './intrinsics/dom.js';
import { SafeMap, defineProperty, each, getOwnPropertyDescriptor, getters, min, plain, push, someItem, test } from './intrinsics/language.js';
import { attempt } from './hooks.js';
import { REVEAL_MARGIN } from './intersections.js';
import { listened } from './listeners.js';
import { css, mutations, native } from './native.js';
import { now } from './shared.js';
import { hold, work } from './work.js';

const CHECK_MS = 20;
const LEAST = 50; // px below the window, from which scrolling is simulated
const VISIBLE = plain({ opacityProperty: true, visibilityProperty: true });

const { target: recordTarget, attributeName: recordAttribute } = getters(/** @type {any} */ (MutationRecord.prototype));

let isDone = false;

/**
 * Dispatches a scroll event while the window seems to be higher than the document and scrolled to its end, and another one back at the top, so that
 * shrinking or hiding headers are restored. Does the same for elements that scroll their content. Returns true when it did.
 */
export function simulateScroll() {
  if (isDone) return false;
  if (!listened.windowScrolls && listened.scrollers.size === 0) return false;
  isDone = true;
  /** @type {(() => void)[]} */
  const restore = [];
  /** @type {EventTarget[]} */
  const targets = [];
  if (listened.windowScrolls && overrideWindow(restore)) push(targets, document);
  else if (listened.innerScrolls) addScrollShell();
  listened.scrollers.forEach((scroller) => {
    if (isConnected(scroller) && overrideScroller(scroller, restore)) push(targets, scroller);
  });
  if (targets.length === 0) return false;
  const changed = recordAttributes();
  const latest = now() + RULES.scrollEnd.ms;
  const end = hold('frame', RULES.scrollEnd.ms + 300);
  // Handlers wait for timers, frames or both; some check by an interval whether the page was scrolled.
  const isAwaited = () => now() < latest && someItem(work.steps, (step) => step.due <= latest);
  const back = () => {
    if (isAwaited()) return setPageTimeout(back, CHECK_MS);
    const shown = changed();
    each(restore, attempt);
    each(targets, dispatchScroll);
    setPageTimeout(() => {
      each(shown, restoreShown);
      end();
    }, RULES.scroll.ms);
    return undefined;
  };
  each(targets, dispatchScroll);
  setPageTimeout(back, RULES.scroll.ms);
  return true;
}

function dispatchScroll(target) {
  each(['scroll', 'scrollend'], (type) => native.dispatchEvent(target, native.createEvent(type, { bubbles: target === document })));
  requestFrame(); // handlers are often throttled to frames
}

/** Overrides a property of an object until it is restored. */
function override(owner, name, value, restore) {
  attempt(() => {
    const found = getOwnPropertyDescriptor(owner, name);
    defineProperty(owner, name, plain({ get: () => value, set: () => {}, configurable: true, enumerable: true }));
    push(restore, () => (found ? defineProperty(owner, name, found) : delete owner[name]));
  });
}

function overrideWindow(restore) {
  const root = documentElement(document);
  const height = min(scrollHeight(root), REVEAL_MARGIN);
  const bottom = height - window.innerHeight;
  if (bottom <= LEAST) return false;
  // Twice the height: handlers that check whether an element is in the upper half of the window must find the last one there.
  override(window, 'innerHeight', 2 * height, restore);
  override(root, 'clientHeight', 2 * height, restore);
  each(['scrollY', 'pageYOffset'], (name) => override(window, name, bottom, restore));
  override(root, 'scrollTop', bottom, restore);
  const scroller = scrollingElement(document);
  if (scroller && scroller !== root) override(scroller, 'scrollTop', bottom, restore); // the body, in quirks mode
  return true;
}

/** Adds the element that scrolls in place of the window, around its centre. */
function addScrollShell() {
  let element = elementFromPoint(document, window.innerWidth / 2, window.innerHeight / 2);
  while (element && !(scrollHeight(element) > clientHeight(element) + LEAST && test(/auto|scroll/, css.property(native.getComputedStyle(element), 'overflow-y')))) {
    element = parentElement(element);
  }
  if (element) listened.scrollers.add(element);
}

function overrideScroller(scroller, restore) {
  const bottom = min(scrollHeight(scroller), REVEAL_MARGIN) - clientHeight(scroller);
  if (bottom <= LEAST) return false;
  override(scroller, 'scrollTop', bottom, restore);
  // An element that fills the window: its content depends on the window's height.
  if (clientHeight(scroller) > window.innerHeight / 2) override(window, 'innerHeight', 2 * scrollHeight(scroller), restore);
  return true;
}

/** Attributes and position of a changed element when it was visible. @typedef {{ element: Element, top: number, attributes: Map<string, string | null> }} Seen */

/** Records changed attributes. The returned function returns the changed elements that are visible, with their attributes at that time. */
function recordAttributes() {
  /** @type {Map<Element, Map<string, string | null>>} */
  const changes = new SafeMap();
  const recordAll = (records) =>
    each(records, (record) => {
      const element = recordTarget(record);
      const attributes = changes.get(element) || new SafeMap();
      changes.set(element, attributes);
      attributes.set(recordAttribute(record), null);
    });
  const following = new native.MutationObserver(recordAll);
  mutations.observe(following, document, plain({ subtree: true, attributes: true }));
  return () => {
    recordAll(mutations.take(following));
    mutations.disconnect(following);
    /** @type {Seen[]} */
    const shown = [];
    changes.forEach((attributes, element) => {
      if (!isConnected(element) || !(isShown(element, VISIBLE) || isShownInTheEnd(element))) return;
      attributes.forEach((_, name) => attributes.set(name, attribute(element, name)));
      push(shown, { element, top: box.top(boundingBox(element)), attributes });
    });
    return shown;
  };
}

/** Returns true when an element is visible after its transition, which may not have started. */
function isShownInTheEnd(element) {
  endAnimationsOf(element);
  return isShown(element, VISIBLE);
}

/** Restores an element that hides again on the way back up, where it is out of sight. */
function restoreShown({ element, top, attributes }) {
  if (!isConnected(element) || top < window.innerHeight) return;
  /** @type {string[]} */
  const changed = [];
  attributes.forEach((value, name) => attribute(element, name) !== value && push(changed, name));
  if (changed.length === 0 || isShownInTheEnd(element)) return;
  each(changed, (name) => {
    const value = attributes.get(name);
    if (value === null || value === undefined) removeAttribute(element, name);
    else setAttribute(element, name, value);
  });
}
