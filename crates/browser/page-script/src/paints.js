// Paints: cheap frames never reach the screen, so the browser has no paint to tell of. A page that asks is told of those that a
// visitor's browser would have made: the first ones, and the largest. `ready.js` calls `tellPaints` once the page is quiet.

import { body, query, readyState } from './intrinsics/dom.js';
import { KeptSet, KeptWeakMap, apply, asText, create, defineProperty, each, filter, getter, items, keys, plain, push, some } from './intrinsics/language.js';
import { quietly, replaceMethod, watchClass, watchMethod } from './hooks.js';
import { native } from './native.js';
import { isTop } from './options.js';
import { now } from './shared.js';
import { touch } from './work.js';

const FIRST = 'paint';
const LARGEST = 'largest-contentful-paint';

/**
 * An observer of the page that wants to hear of paints.
 * @typedef {{ callback: Function, observer: PerformanceObserver, types: Set<string> }} Watcher
 */

/** @type {Set<Watcher>} */
const watchers = new KeptSet();
let paintedAt = 0;
const typeOf = getter(window.PerformanceEntry?.prototype, 'entryType');

const prototypes = {
  [FIRST]: window.PerformancePaintTiming?.prototype,
  [LARGEST]: window.LargestContentfulPaint?.prototype,
  list: window.PerformanceObserverEntryList?.prototype,
};

/** An object like those of the browser, which no script can make: of its class, with values of its own. */
function madeOf(prototype, values) {
  const made = create(prototype ?? null);
  each(keys(values), (name) => defineProperty(made, name, plain({ value: values[name], enumerable: true, configurable: true })));
  return made;
}

/** The entries of a type, once there is something to see. */
function entries(type) {
  if (!isTop || readyState(document) === 'loading' || (type !== FIRST && type !== LARGEST)) return [];
  paintedAt ||= now();
  const common = { entryType: type, startTime: paintedAt, duration: 0 };
  const entry = (values) => madeOf(prototypes[type], { ...values, ...common, toJSON: () => ({ ...values, ...common }) });
  if (type === FIRST) return [entry({ name: 'first-paint' }), entry({ name: 'first-contentful-paint' })];
  const element = query(document, 'h1,p') || body(document);
  return [entry({ name: '', element, id: '', url: '', size: 10_000, renderTime: paintedAt, loadTime: 0 })];
}

const named = (list, name) => filter(list, (entry) => entry.name === name);

export function watchPaints() {
  /** @type {WeakMap<PerformanceObserver, Watcher>} */
  const byObserver = new KeptWeakMap();
  watchClass('PerformanceObserver', (observer, args) => {
    if (typeof args[0] === 'function') byObserver.set(observer, { callback: args[0], observer, types: new KeptSet() });
  });
  watchMethod(window.PerformanceObserver?.prototype, 'observe', (_, observer, args) => {
    const watcher = byObserver.get(observer);
    if (!watcher) return;
    const note = (type) => isPaint(type) && watcher.types.add(type);
    note(args[0]?.type);
    each(args[0]?.entryTypes || [], note);
    if (watcher.types.size === 0) return;
    watchers.add(watcher);
    touch();
  });
  watchMethod(window.PerformanceObserver?.prototype, 'disconnect', (_, observer) => {
    const watcher = byObserver.get(observer);
    if (watcher) watchers.delete(watcher);
  });
  replaceMethod(Performance.prototype, 'getEntriesByType', (call, self, args) => orTold(call(), () => entries(asText(args[0]))));
  replaceMethod(Performance.prototype, 'getEntries', (call) => {
    const list = call();
    if (!some(list, (entry) => typeOf(entry) === FIRST)) quietly(() => each(entries(FIRST), (entry) => push(list, entry)));
    return list;
  });
  replaceMethod(Performance.prototype, 'getEntriesByName', (call, self, args) => orTold(call(), () => named(entries(FIRST), asText(args[0]))));
}

const isPaint = (type) => type === FIRST || type === LARGEST;
const orTold = (list, tell) => (list.length > 0 ? list : quietly(tell) || list);

/** Tells observers of paints what there was to see. True when one was told. */
export function tellPaints() {
  if (watchers.size === 0) return false;
  const waiting = items(watchers);
  watchers.clear();
  each(waiting, ({ callback, observer, types }) => {
    /** @type {any[]} */
    const list = [];
    types.forEach((type) => each(entries(type), (entry) => push(list, entry)));
    types.clear();
    const told = madeOf(prototypes.list, {
      getEntries: () => list,
      getEntriesByType: (type) => filter(list, (entry) => entry.entryType === type),
      getEntriesByName: (name) => named(list, name),
    });
    try {
      apply(callback, observer, [told, observer, {}]);
    } catch (error) {
      native.reportError(error);
    }
  });
  return true;
}
