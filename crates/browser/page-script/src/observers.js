// Intersection and resize observers of the page: they report with a frame, so one is asked for when they wait.

import { askFrame, frames } from './frames.js';
import { watchClass, watchMethod } from './hooks.js';
import { KeptSet, KeptWeakMap, apply, each, getter, withFirst } from './intrinsics/language.js';
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
