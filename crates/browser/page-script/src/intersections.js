// Intersection and resize observers of the page. They report with a frame, which is requested for them. Content that a page shows when it is
// scrolled into view is revealed: `ready.js` calls `reveal` once the page is quiet.
// Must never change the size or the scroll position of the window: layouts depend on both.

import { requestFrame, frames } from './animation_frames.js';
import { adoptedStyleSheets, attribute, isConnected, localName, setAdoptedStyleSheets } from './intrinsics/dom.js';
import {
  SafeMap, SafeSet, SafeWeakMap, SafeWeakSet, apply, asText, each, filter, getters, items, map, methods, parseFloat, push, setters, slice, test, withFirst, words,
} from './intrinsics/language.js';
import { attempt, callPage, watchClass, watchMethod } from './hooks.js';
import { css, native } from './native.js';
import { options, send } from './options.js';
import { hold, recordActivity, work } from './work.js';

/** @typedef {{ callback: Function, init: any, observer: any, targets: Set<Element>, seen: Set<Element> }} Intersections */
/** @type {Set<Intersections>} */
const intersections = new SafeSet(); // observers of the page with their targets and those that were last reported as visible
let resizeTargets = 0;

const { target: entryTarget, isIntersecting } = getters(IntersectionObserverEntry.prototype);
const { observe, unobserve, disconnect } = methods(IntersectionObserver.prototype);

/** Requests a frame for a new layout. */
function requestLayout() {
  frames.changesWhenDrawn = -1;
  requestFrame();
}

export function watchObservers() {
  /** @type {WeakMap<IntersectionObserver, Intersections>} */
  const byObserver = new SafeWeakMap();
  const recordEntries = (callback) => /** @this {unknown} */ function (entries, observer) {
    const seen = byObserver.get(observer)?.seen;
    each(entries, (entry) => (isIntersecting(entry) ? seen?.add(entryTarget(entry)) : seen?.delete(entryTarget(entry))));
    recordActivity();
    return apply(callback, this, [entries, observer]);
  };
  watchClass(
    'IntersectionObserver',
    (observer, args) => byObserver.set(observer, { callback: args[0], init: args[1] || {}, observer, targets: new SafeSet(), seen: new SafeSet() }),
    (args) => (typeof args[0] === 'function' ? withFirst(recordEntries(args[0]), args) : args),
  );
  const { prototype } = native.IntersectionObserver;
  watchMethod(prototype, 'observe', (_, observer, args) => {
    const record = byObserver.get(observer);
    if (record) {
      record.targets.add(args[0]);
      intersections.add(record);
    }
    requestLayout();
  });
  watchMethod(prototype, 'unobserve', (_, observer, args) => byObserver.get(observer)?.targets.delete(args[0]));
  watchMethod(prototype, 'disconnect', (_, observer) => {
    const record = byObserver.get(observer);
    record?.targets.clear();
    if (record) intersections.delete(record);
  });
  watchMethod(window.ResizeObserver?.prototype, 'observe', () => {
    resizeTargets += 1;
    requestLayout();
  });
}

/** Waits for one frame when the page has changed since the last one and has observers. */
export function drawForObservers() {
  if (!options.frames || !send || (resizeTargets === 0 && intersections.size === 0)) return false;
  if (frames.changesWhenDrawn === work.changes || frames.drawn > 600) return false;
  const end = hold('frame', 300);
  native.requestAnimationFrame(() => end());
  requestFrame();
  return true;
}

export const REVEAL_MARGIN = 20000; // px below the window that are visible once
const REVEAL_PASSES = 3;
const NARROW = 0.65; // share of the window's height that the margins exclude

const { disabled: setDisabled } = setters(StyleSheet.prototype);
const layout = new native.CSSStyleSheet();

/** Lays out content with `content-visibility: auto`, which the browser skips while it is far away. */
function layOutSkippedContent() {
  css.replaceSync(layout, '* { content-visibility: visible !important }');
  const sheets = map(adoptedStyleSheets(document), (sheet) => sheet);
  push(sheets, layout);
  setAdoptedStyleSheets(document, sheets);
}

/** Ends the layout of skipped content. A disabled sheet is not in the snapshot. */
export const restoreSkippedContent = () => setDisabled(layout, true);

let passes = 0;
const revealedTargets = new SafeWeakSet();
/** @type {Map<string, number>} */
const kinds = new SafeMap(); // pass that reveals a kind of target

const kindOf = (record, target) => `${localName(target)} ${attribute(target, 'class')} ${slice(asText(record.callback), 0, 500)}`;

/**
 * Makes everything below the window visible once, as for a visitor who scrolls down.
 *
 * A second observer with a large margin reports the page's targets to the page's callback. The window keeps its size, on which layouts depend.
 * Later passes include only targets that the first one added and that are of another kind, so that an endless feed grows by one step.
 */
export function reveal() {
  if (passes >= REVEAL_PASSES) return false;
  if (passes === 0 && intersections.size > 0) attempt(layOutSkippedContent);
  let shown = 0;
  intersections.forEach((record) => {
    if (isPositionMarker(record)) return;
    const targets = filter(items(record.targets), (target) => isHidden(record, target));
    if (targets.length === 0) return;
    shown += targets.length;
    revealRecord(record, targets);
  });
  passes = shown > 0 ? passes + 1 : REVEAL_PASSES;
  return shown > 0;
}

function isHidden(record, target) {
  if (!isConnected(target) || record.seen.has(target) || revealedTargets.has(target)) return false;
  const kind = kindOf(record, target);
  if (!kinds.has(kind)) kinds.set(kind, passes);
  return kinds.get(kind) === passes || test(/^(img|picture|video|iframe)$/, localName(target));
}

function revealRecord(record, targets) {
  const end = hold('frame', 500);
  const waitingFor = new SafeSet();
  const margins = words(asText(record.init.rootMargin || '0px'));
  const top = margins[0] || '0px';
  const right = margins[1] || '0px';
  const helper = new native.IntersectionObserver(
    (entries) => {
      // The first report contains every target. This pass reveals those that are visible in it.
      each(entries, (entry) => {
        unobserve(helper, entryTarget(entry));
        waitingFor.delete(entryTarget(entry));
      });
      const visible = filter(entries, (entry) => isIntersecting(entry) && record.targets.has(entryTarget(entry)));
      if (visible.length > 0) notify(record, visible);
      if (waitingFor.size > 0) return;
      disconnect(helper);
      end();
    },
    {
      root: record.init.root ?? null,
      threshold: record.init.threshold ?? 0,
      rootMargin: `${top} ${right} ${REVEAL_MARGIN}px ${margins[3] || right}`,
      scrollMargin: `0px 0px ${REVEAL_MARGIN}px 0px`,
    },
  );
  each(targets, (target) => {
    waitingFor.add(target);
    revealedTargets.add(target);
    observe(helper, target);
  });
  requestFrame();
}

/** Reports visible targets to the page's own callback. */
function notify(record, visible) {
  recordActivity();
  callPage(record.callback, record.observer, [visible, record.observer]);
  reportVisibleAgain(record);
}

/** Reports the targets that are really visible again, so that an observer which marks the current section ends with the right one. */
function reportVisibleAgain(record) {
  each(filter(items(record.targets), (target) => record.seen.has(target)), (target) => {
    unobserve(record.observer, target);
    observe(record.observer, target);
  });
}

/** Returns true when an observer has a narrow band of the window: it follows the reading position and does not load anything. */
function isPositionMarker({ init, callback }) {
  const margins = words(asText(init.rootMargin || '0px'));
  const share = (text) => (test(/%$/, text) ? -parseFloat(text) / 100 : -parseFloat(text) / window.innerHeight) || 0;
  const narrow = share(margins[0] || '0') + share(margins[2] || margins[0] || '0') > NARROW;
  return narrow && !test(/unobserve|disconnect/, asText(callback)); // an observer that stops after a report shows something
}
