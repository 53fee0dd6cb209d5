// What a page shows by scroll position: a person who scrolls down sees it, and finds it there when back at the top.
// `ready.js` calls `pretendScroll` once the page is quiet.
// Must never really scroll or change the size of the window: layouts depend on both.

import { later } from './alarms.js';
import { askFrame } from './frames.js';
import { quietly } from './hooks.js';
import { attribute, boundingBox, box, clientHeight, documentElement, isConnected, isShown, scrollHeight, setAttribute } from './intrinsics/dom.js';
import { KeptSet, each, defineProperty, getOwnPropertyDescriptor, getter, items, method, min, plain, push } from './intrinsics/language.js';
import { listened } from './listeners.js';
import { native } from './native.js';
import { expectPolls, isPollAwaited } from './polls.js';
import { REVEAL_MARGIN } from './reveal.js';
import { now } from './shared.js';
import { hold, isHeld, work } from './work.js';

const SCROLL_MS = 60; // for handlers that are throttled
const SCROLL_END_MS = 400; // for those that set a timer to wait for the end of the scrolling
const LOOK_MS = 20;
const LEAST = 50; // px below the window that are worth it
const VISIBLE = plain({ opacityProperty: true, visibilityProperty: true });

const observe = method(MutationObserver.prototype, 'observe');
const takeRecords = method(MutationObserver.prototype, 'takeRecords');
const disconnect = method(MutationObserver.prototype, 'disconnect');
const recordTarget = getter(MutationRecord.prototype, 'target');

let isDone = false;

/**
 * A scroll event during which the window seems to be higher than the document and scrolled to its end, and another one back
 * at the top, so that headers that shrink or hide are as they were. The same for elements that scroll their own content.
 * True when there is something to wait for.
 */
export function pretendScroll() {
  if (isDone || (!listened.windowScrolls && listened.scrollers.size === 0)) return false;
  isDone = true;
  /** @type {(() => void)[]} */
  const restore = [];
  /** @type {EventTarget[]} */
  const targets = [];
  if (listened.windowScrolls && pretendWindow(restore)) push(targets, document);
  listened.scrollers.forEach((scroller) => {
    if (isConnected(scroller) && pretendScroller(scroller, restore)) push(targets, scroller);
  });
  if (targets.length === 0) return false;
  const changed = followChanges();
  const before = new KeptSet();
  work.holds.forEach((entry) => before.add(entry));
  const latest = now() + SCROLL_END_MS;
  const end = hold('frame', SCROLL_END_MS + 300);
  const isAwaited = () => now() < latest && (isPollAwaited() || isHeld((kind, entry) => kind === 'timer' && !before.has(entry)));
  const back = () => {
    if (isAwaited()) return later(back, LOOK_MS);
    const shown = changed();
    each(restore, quietly);
    each(targets, scrolled);
    later(() => {
      each(shown, keepShown);
      end();
    }, SCROLL_MS);
    return undefined;
  };
  expectPolls();
  each(targets, scrolled);
  later(back, SCROLL_MS);
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
  return true;
}

function pretendScroller(scroller, restore) {
  const bottom = min(scrollHeight(scroller), REVEAL_MARGIN) - clientHeight(scroller);
  if (bottom <= LEAST) return false;
  pretend(scroller, 'scrollTop', bottom, restore);
  return true;
}

/** Follows classes and styles; the returned function gives those that were changed, as they are then. */
function followChanges() {
  /** @type {Set<Element>} */
  const elements = new KeptSet();
  const note = (records) => each(records, (record) => elements.add(recordTarget(record)));
  const following = new native.MutationObserver(note);
  observe(following, document, plain({ subtree: true, attributeFilter: ['class', 'style'] }));
  return () => {
    note(takeRecords(following));
    disconnect(following);
    /** @type {{ element: Element, look: { [name: string]: string | null } }[]} */
    const shown = [];
    each(items(elements), (element) => {
      if (isConnected(element) && isShown(element, VISIBLE)) push(shown, { element, look: { class: attribute(element, 'class'), style: attribute(element, 'style') } });
    });
    return shown;
  };
}

/** What hides again on the way back up is out of sight there: it stays as it was seen. */
function keepShown({ element, look }) {
  if (!isConnected(element) || isShown(element, VISIBLE) || box.top(boundingBox(element)) < window.innerHeight) return;
  each(['class', 'style'], (name) => {
    if (look[name] !== null && attribute(element, name) !== look[name]) setAttribute(element, name, look[name]);
  });
}
