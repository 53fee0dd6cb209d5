// Intersection and resize observers of the page: they report with a frame, so one is asked for when they wait. What a page shows only when it is
// scrolled into view is revealed: `ready.js` calls `reveal` once the page is quiet.
// Must never change the size or the scroll position of the window: layouts depend on both.

import { askFrame, frames } from './animation_frames.js';
import { attribute, isConnected, localName } from './intrinsics/dom.js';
import {
  KeptSet, KeptWeakMap, KeptWeakSet, apply, asText, each, filter, getter, items, method, parseFloat, slice, test, withFirst, words,
} from './intrinsics/language.js';
import { watchClass, watchMethod } from './hooks.js';
import { listened } from './listeners.js';
import { native } from './native.js';
import { options, send } from './options.js';
import { hold, touch, work } from './work.js';

/**
 * An intersection observer of the page. `seen`: the targets that it was last told are visible.
 * @typedef {{ callback: Function, init: any, observer: any, targets: Set<Element>, seen: Set<Element> }} Intersections
 */

/** @type {Set<Intersections>} */
export const intersections = new KeptSet();
let resizeTargets = 0;

export const entryTarget = getter(IntersectionObserverEntry.prototype, 'target');
export const isIntersecting = getter(IntersectionObserverEntry.prototype, 'isIntersecting');

/** The layout has to be looked at again. */
function askLayout() {
  frames.changesWhenDrawn = -1;
  askFrame();
}

export function watchObservers() {
  /** @type {WeakMap<IntersectionObserver, Intersections>} */
  const byObserver = new KeptWeakMap();
  watchClass(
    'IntersectionObserver',
    (observer, args, record) => {
      if (!record.callback) return;
      record.observer = observer;
      byObserver.set(observer, record);
    },
    (args, record) => {
      const callback = args[0];
      if (typeof callback !== 'function') return args;
      record.callback = callback;
      record.init = args[1] || {};
      record.targets = new KeptSet();
      record.seen = new KeptSet();
      const note = /** @this {unknown} */ function (entries, observer) {
        each(entries, (entry) => {
          if (isIntersecting(entry)) record.seen.add(entryTarget(entry));
          else record.seen.delete(entryTarget(entry));
        });
        touch();
        return apply(callback, this, [entries, observer]);
      };
      return withFirst(note, args);
    },
  );
  const { prototype } = native.IntersectionObserver;
  watchMethod(prototype, 'observe', (_, observer, args) => {
    const record = byObserver.get(observer);
    if (record) {
      record.targets.add(args[0]);
      intersections.add(record);
    }
    askLayout();
  });
  watchMethod(prototype, 'unobserve', (_, observer, args) => {
    byObserver.get(observer)?.targets.delete(args[0]);
  });
  watchMethod(prototype, 'disconnect', (_, observer) => {
    const record = byObserver.get(observer);
    record?.targets.clear();
    if (record) intersections.delete(record);
  });
  watchMethod(window.ResizeObserver?.prototype, 'observe', () => {
    resizeTargets += 1;
    askLayout();
  });
}

/** Waits for one frame when the page changed since the last one and something of it depends on layout. */
export function drawForObservers() {
  if (!options.frames || !send || (resizeTargets === 0 && intersections.size === 0 && !listened.drawn)) return false;
  if (frames.changesWhenDrawn === work.changes || frames.drawn > 600) return false;
  const end = hold('frame', 300);
  native.requestAnimationFrame(() => end());
  askFrame();
  return true;
}

export const REVEAL_MARGIN = 20000; // px below the window that count as visible once
const REVEAL_PASSES = 3;
const NARROW = 0.65; // of the window is left out

const observe = method(IntersectionObserver.prototype, 'observe');
const unobserve = method(IntersectionObserver.prototype, 'unobserve');
const disconnect = method(IntersectionObserver.prototype, 'disconnect');

let passes = 0;
const revealedTargets = new KeptWeakSet();
const revealedKinds = new KeptSet();

/** Equal sections of one page are of one kind: later passes leave out what an earlier one has shown. */
const kindOf = (record, target) => `${localName(target)} ${attribute(target, 'class')} ${slice(asText(record.callback), 0, 500)}`;

/**
 * Lets everything below the window become visible once, as it does for a person who scrolls down.
 *
 * A second observer with a large margin reports the page's own targets to the page's own callback, so that the window
 * keeps its size (an enlarged one would change every layout that depends on its height). Later passes take only what
 * the first one brought and what is not of the same kind, so that an endless feed grows by one step.
 */
export function reveal() {
  if (passes >= REVEAL_PASSES) return false;
  let shown = 0;
  intersections.forEach((record) => {
    if (isPositionMarker(record)) return;
    const targets = filter(items(record.targets), (target) => isHidden(record, target));
    if (targets.length === 0) return;
    shown += targets.length;
    revealRecord(record, targets);
  });
  // Kinds are remembered after the pass: equal sections of one page are all revealed by the first.
  intersections.forEach((record) =>
    record.targets.forEach((target) => {
      if (revealedTargets.has(target)) revealedKinds.add(kindOf(record, target));
    }),
  );
  passes = shown > 0 ? passes + 1 : REVEAL_PASSES;
  return shown > 0;
}

function isHidden(record, target) {
  if (!isConnected(target) || record.seen.has(target) || revealedTargets.has(target)) return false;
  return passes === 0 || !revealedKinds.has(kindOf(record, target)) || test(/^(img|picture|video|iframe)$/, localName(target));
}

function revealRecord(record, targets) {
  const end = hold('frame', 500);
  const waitingFor = new KeptSet();
  const margins = words(asText(record.init.rootMargin || '0px'));
  const top = margins[0] || '0px';
  const right = margins[1] || '0px';
  const helper = new native.IntersectionObserver(
    (entries) => {
      // The first report names every target once; what it shows is all that this pass shows.
      each(entries, (entry) => {
        unobserve(helper, entryTarget(entry));
        waitingFor.delete(entryTarget(entry));
      });
      const visible = filter(entries, (entry) => isIntersecting(entry) && record.targets.has(entryTarget(entry)));
      if (visible.length > 0) tell(record, visible);
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
  askFrame();
}

/** Reports what has become visible to the page's own callback. */
function tell(record, visible) {
  touch();
  try {
    apply(record.callback, record.observer, [visible, record.observer]);
  } catch (error) {
    native.reportError(error);
  }
  remindOfVisible(record);
}

/** Back at the top: an observer that marks the current section must end with the one that is really visible. */
function remindOfVisible(record) {
  each(filter(items(record.targets), (target) => record.seen.has(target)), (target) => {
    unobserve(record.observer, target);
    observe(record.observer, target);
  });
}

/** Returns whether an observer looks at a narrow band of the window: it follows the reading position, it does not load anything. */
function isPositionMarker({ init, callback }) {
  const margins = words(asText(init.rootMargin || '0px'));
  const share = (text) => (test(/%$/, text) ? -parseFloat(text) / 100 : -parseFloat(text) / window.innerHeight) || 0;
  const narrow = share(margins[0] || '0') + share(margins[2] || margins[0] || '0') > NARROW;
  return narrow && !test(/unobserve|disconnect/, asText(callback)); // who looks once shows something
}
