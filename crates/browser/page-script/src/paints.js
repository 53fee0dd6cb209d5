// Paint entries: cheap frames never reach the screen, so the browser records no paints. A page that asks for them gets those of a visitor's
// browser: the first paints and the largest. `ready.js` calls `reportPaints` once the page is quiet.

import { body, query, readyState } from './intrinsics/dom.js';
import { SafeSet, SafeWeakMap, apply, asText, create, defineProperty, each, filter, getter, items, keys, plain, push, some } from './intrinsics/language.js';
import { attempt, replaceMethod, watchClass, watchMethod } from './hooks.js';
import { native } from './native.js';
import { isTop } from './options.js';
import { now } from './shared.js';
import { recordActivity } from './work.js';

const FIRST = 'paint';
const LARGEST = 'largest-contentful-paint';

/**
 * Performance observer of the page that observes paints.
 * @typedef {{ callback: Function, observer: PerformanceObserver, types: Set<string> }} Watcher
 */

/** @type {Set<Watcher>} */
const watchers = new SafeSet();
let paintedAt = 0;
const typeOf = getter(window.PerformanceEntry?.prototype, 'entryType');

const prototypes = {
  [FIRST]: window.PerformancePaintTiming?.prototype,
  [LARGEST]: window.LargestContentfulPaint?.prototype,
  list: window.PerformanceObserverEntryList?.prototype,
};

/** Makes an object of a browser's class that scripts cannot construct, with own values. */
function createEntry(prototype, values) {
  const made = create(prototype ?? null);
  each(keys(values), (name) => defineProperty(made, name, plain({ value: values[name], enumerable: true, configurable: true })));
  return made;
}

/** Returns the entries of a type, once something is visible. */
function entries(type) {
  if (!isTop || readyState(document) === 'loading' || (type !== FIRST && type !== LARGEST)) return [];
  paintedAt ||= now();
  const common = { entryType: type, startTime: paintedAt, duration: 0 };
  const entry = (values) => createEntry(prototypes[type], { ...values, ...common, toJSON: () => ({ ...values, ...common }) });
  if (type === FIRST) return [entry({ name: 'first-paint' }), entry({ name: 'first-contentful-paint' })];
  const element = query(document, 'h1,p') || body(document);
  return [entry({ name: '', element, id: '', url: '', size: 10_000, renderTime: paintedAt, loadTime: 0 })];
}

const named = (list, name) => filter(list, (entry) => entry.name === name);

export function watchPaints() {
  /** @type {WeakMap<PerformanceObserver, Watcher>} */
  const byObserver = new SafeWeakMap();
  watchClass('PerformanceObserver', (observer, args) => {
    if (typeof args[0] === 'function') byObserver.set(observer, { callback: args[0], observer, types: new SafeSet() });
  });
  watchMethod(window.PerformanceObserver?.prototype, 'observe', (_, observer, args) => {
    const watcher = byObserver.get(observer);
    if (!watcher) return;
    const addType = (type) => isPaint(type) && watcher.types.add(type);
    addType(args[0]?.type);
    each(args[0]?.entryTypes || [], addType);
    if (watcher.types.size === 0) return;
    watchers.add(watcher);
    recordActivity();
  });
  watchMethod(window.PerformanceObserver?.prototype, 'disconnect', (_, observer) => {
    const watcher = byObserver.get(observer);
    if (watcher) watchers.delete(watcher);
  });
  replaceMethod(Performance.prototype, 'getEntriesByType', (call, self, args) => orSynthetic(call(), () => entries(asText(args[0]))));
  replaceMethod(Performance.prototype, 'getEntries', (call) => {
    const list = call();
    if (!some(list, (entry) => typeOf(entry) === FIRST)) attempt(() => each(entries(FIRST), (entry) => push(list, entry)));
    return list;
  });
  replaceMethod(Performance.prototype, 'getEntriesByName', (call, self, args) => orSynthetic(call(), () => named(entries(FIRST), asText(args[0]))));
}

const isPaint = (type) => type === FIRST || type === LARGEST;
const orSynthetic = (list, makeEntries) => (list.length > 0 ? list : attempt(makeEntries) || list);

/** Reports the paints to their observers. Returns true when there was one. */
export function reportPaints() {
  if (watchers.size === 0) return false;
  const waiting = items(watchers);
  watchers.clear();
  each(waiting, ({ callback, observer, types }) => {
    /** @type {any[]} */
    const list = [];
    types.forEach((type) => each(entries(type), (entry) => push(list, entry)));
    types.clear();
    const entryList = createEntry(prototypes.list, {
      getEntries: () => list,
      getEntriesByType: (type) => filter(list, (entry) => entry.entryType === type),
      getEntriesByName: (name) => named(list, name),
    });
    try {
      apply(callback, observer, [entryList, observer, {}]);
    } catch (error) {
      native.reportError(error);
    }
  });
  return true;
}
