// What a page shows by scroll position: a person who scrolls down sees it, and finds it there when back at the top.
// `ready.js` calls `pretendScroll` once the page is quiet.
// Must never really scroll or change the size of the window: layouts depend on both.

import { later } from './alarms.js';
import { endAnimationsOf } from './animations.js';
import { askFrame } from './animation_frames.js';
import {
  attribute, boundingBox, box, clientHeight, documentElement, elementFromPoint, isConnected, isShown, parentElement, removeAttribute, scrollHeight, scrollingElement,
  setAttribute,
} from './intrinsics/dom.js';
import { KeptMap, defineProperty, each, getOwnPropertyDescriptor, getter, min, plain, push, test } from './intrinsics/language.js';
import { quietly } from './hooks.js';
import { REVEAL_MARGIN } from './intersections.js';
import { listened, noteScrollHandlers } from './listeners.js';
import { css, mutations, native } from './native.js';
import { now } from './shared.js';
import { hold, work } from './work.js';

const LOOK_MS = 20;
const LEAST = 50; // px below the window that are worth it
const VISIBLE = plain({ opacityProperty: true, visibilityProperty: true });

const recordTarget = getter(/** @type {any} */ (MutationRecord.prototype), 'target');
const recordAttribute = getter(MutationRecord.prototype, 'attributeName');

let isDone = false;

/**
 * A scroll event during which the window seems to be higher than the document and scrolled to its end, and another one back
 * at the top, so that headers that shrink or hide are as they were. The same for elements that scroll their own content.
 * True when there is something to wait for.
 */
export function pretendScroll() {
  if (isDone) return false;
  noteScrollHandlers();
  if (!listened.windowScrolls && listened.scrollers.size === 0) return false;
  isDone = true;
  /** @type {(() => void)[]} */
  const restore = [];
  /** @type {EventTarget[]} */
  const targets = [];
  if (listened.windowScrolls && pretendWindow(restore)) push(targets, document);
  else if (listened.innerScrolls) noteShell();
  listened.scrollers.forEach((scroller) => {
    if (isConnected(scroller) && pretendScroller(scroller, restore)) push(targets, scroller);
  });
  if (targets.length === 0) return false;
  const changed = followChanges();
  const latest = now() + RULES.scrollEnd.ms;
  const end = hold('frame', RULES.scrollEnd.ms + 300);
  // Handlers wait for a timer, a frame, or one after the other; some look by an interval whether there was a scroll.
  const isAwaited = () => {
    let found = false;
    work.steps.forEach((step) => (found ||= step.due <= latest));
    return found && now() < latest;
  };
  const back = () => {
    if (isAwaited()) return later(back, LOOK_MS);
    const shown = changed();
    each(restore, quietly);
    each(targets, scrolled);
    later(() => {
      each(shown, keepShown);
      end();
    }, RULES.scroll.ms);
    return undefined;
  };
  each(targets, scrolled);
  later(back, RULES.scroll.ms);
  return true;
}

function scrolled(target) {
  each(['scroll', 'scrollend'], (type) => native.dispatchEvent(target, native.createEvent(type, { bubbles: target === document })));
  askFrame(); // handlers are often throttled to frames
}

/** Gives an object a value of its own for a while. */
function pretend(owner, name, value, restore) {
  quietly(() => {
    const found = getOwnPropertyDescriptor(owner, name);
    defineProperty(owner, name, plain({ get: () => value, set: () => {}, configurable: true, enumerable: true }));
    push(restore, () => (found ? defineProperty(owner, name, found) : delete owner[name]));
  });
}

function pretendWindow(restore) {
  const root = documentElement(document);
  const height = min(scrollHeight(root), REVEAL_MARGIN);
  const bottom = height - window.innerHeight;
  if (bottom <= LEAST) return false;
  // Twice as high: what looks whether its place is in the upper half of the window shall find the last of the page there.
  pretend(window, 'innerHeight', 2 * height, restore);
  pretend(root, 'clientHeight', 2 * height, restore);
  each(['scrollY', 'pageYOffset'], (name) => pretend(window, name, bottom, restore));
  pretend(root, 'scrollTop', bottom, restore);
  const scroller = scrollingElement(document);
  if (scroller && scroller !== root) pretend(scroller, 'scrollTop', bottom, restore); // the body, in quirks mode
  return true;
}

/** Notes the element that scrolls in place of the window, around what is in the middle of it. */
function noteShell() {
  let element = elementFromPoint(document, window.innerWidth / 2, window.innerHeight / 2);
  while (element && !(scrollHeight(element) > clientHeight(element) + LEAST && test(/auto|scroll/, css.property(native.getComputedStyle(element), 'overflow-y')))) {
    element = parentElement(element);
  }
  if (element) listened.scrollers.add(element);
}

function pretendScroller(scroller, restore) {
  const bottom = min(scrollHeight(scroller), REVEAL_MARGIN) - clientHeight(scroller);
  if (bottom <= LEAST) return false;
  pretend(scroller, 'scrollTop', bottom, restore);
  // One that fills the window: what is in it goes by the window's height.
  if (clientHeight(scroller) > window.innerHeight / 2) pretend(window, 'innerHeight', 2 * scrollHeight(scroller), restore);
  return true;
}

/**
 * What an element that was changed looked like when it was seen: its attributes then, and how far down it was.
 * @typedef {{ element: Element, top: number, look: Map<string, string | null> }} Seen
 */

/** Follows attributes; the returned function gives the elements whose attributes have changed and that can be seen, as they are then. */
function followChanges() {
  /** @type {Map<Element, Map<string, string | null>>} */
  const changes = new KeptMap();
  const note = (records) =>
    each(records, (record) => {
      const element = recordTarget(record);
      const look = changes.get(element) || new KeptMap();
      changes.set(element, look);
      look.set(recordAttribute(record), null);
    });
  const following = new native.MutationObserver(note);
  mutations.observe(following, document, plain({ subtree: true, attributes: true }));
  return () => {
    note(mutations.take(following));
    mutations.disconnect(following);
    /** @type {Seen[]} */
    const shown = [];
    changes.forEach((look, element) => {
      if (!isConnected(element) || !(isShown(element, VISIBLE) || isShownInTheEnd(element))) return;
      look.forEach((_, name) => look.set(name, attribute(element, name)));
      push(shown, { element, top: box.top(boundingBox(element)), look });
    });
    return shown;
  };
}

/** Returns whether an element can be seen once its transition is over, which may not even have begun. */
function isShownInTheEnd(element) {
  endAnimationsOf(element);
  return isShown(element, VISIBLE);
}

/** Keeps an element as it was seen that hides again on the way back up: it is out of sight there. */
function keepShown({ element, top, look }) {
  if (!isConnected(element) || top < window.innerHeight) return;
  /** @type {string[]} */
  const changed = [];
  look.forEach((value, name) => attribute(element, name) !== value && push(changed, name));
  if (changed.length === 0 || isShownInTheEnd(element)) return;
  each(changed, (name) => {
    const value = look.get(name);
    if (value === null || value === undefined) removeAttribute(element, name);
    else setAttribute(element, name, value);
  });
}
