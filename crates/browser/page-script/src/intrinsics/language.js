// The language as before page code: pages replace Map, Promise, Array.prototype and others (polyfills, zone.js, Bluebird), and the replacements may
// throw, return wrong results or call into the page.
// Must never look anything up on a global or a prototype after its own start. All other modules use this one instead.

export const { apply, construct, deleteProperty, getPrototypeOf, getOwnPropertyDescriptor, ownKeys } = Reflect;
export const { defineProperty, keys } = Object;
export const { max, min, ceil, floor, imul } = Math;
export const { parseFloat, parseInt, isFinite } = Number;
const { setPrototypeOf } = Reflect;

/**
 * Removes the prototype of a record, so that properties that a page adds to all objects (`Object.prototype.get`) are not among its own.
 * @template {object} T
 * @param {T} record
 * @returns {T}
 */
export function plain(record) {
  setPrototypeOf(record, null);
  return record;
}

const NativeProxy = Proxy;
/** Makes a proxy whose traps are not inherited from `Object.prototype`. */
export const proxied = (target, traps) => new NativeProxy(target, plain(traps));

// ---- methods and properties as functions of their receiver; absent ones return undefined. Must be destructured before page code runs ----

const uncurry = (/** @type {Function | undefined} */ method) => (self, ...args) => (method ? apply(method, self, args) : undefined);
const byName = (read) => proxied({}, { get: (_, name) => uncurry(read(name)) });

/**
 * Returns the methods of a prototype by name: `trim(text)` for `text.trim()`.
 * @type {<T>(owner: T | null | undefined) => { [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (self: any, ...args: A) => R : (self: any, ...args: any[]) => any }}
 */
export const methods = (owner) => byName((name) => owner?.[name]);

/** @type {<T>(owner: T | null | undefined) => { [K in keyof T]: (self: any) => T[K] }} */
export const getters = (owner) => byName((name) => owner && getOwnPropertyDescriptor(owner, name)?.get);

/** @type {<T>(owner: T | null | undefined) => { [K in keyof T]: (self: any, value: T[K]) => void }} */
export const setters = (owner) => byName((name) => owner && getOwnPropertyDescriptor(owner, name)?.set);

// ---- collections with own methods, which pages cannot replace ----

const copyMethods = (kept, original) => {
  for (const name of ownKeys(original.prototype)) {
    const found = getOwnPropertyDescriptor(original.prototype, name);
    if (found && name !== 'constructor') defineProperty(kept.prototype, name, found);
  }
  return kept;
};

/** @type {MapConstructor} */
export const SafeMap = copyMethods(class extends Map {}, Map);
/** @type {SetConstructor} */
export const SafeSet = copyMethods(class extends Set {}, Set);
/** @type {WeakMapConstructor} */
export const SafeWeakMap = copyMethods(class extends WeakMap {}, WeakMap);
/** @type {WeakSetConstructor} */
export const SafeWeakSet = copyMethods(class extends WeakSet {}, WeakSet);

// ---- lists: arrays and lists of the DOM, without their iterators, methods and gaps ----

// Properties that a page adds to all objects or arrays under a number are not items.
const inherited = [];
const isItem = (item, index) => item !== undefined && item !== inherited[index];

/** @type {<T>(list: ArrayLike<T>, holds: (item: T, index: number) => unknown) => boolean} */
export function some(list, holds) {
  for (let index = 0; isItem(list[index], index); index += 1) if (holds(list[index], index)) return true;
  return false;
}

/** @type {<T>(list: ArrayLike<T>, run: (item: T, index: number) => void) => void} */
export function each(list, run) {
  for (let index = 0; isItem(list[index], index); index += 1) run(list[index], index);
}

/** @type {<T>(list: ArrayLike<T>, keep: (item: T, index: number) => unknown) => T[]} */
export function filter(list, keep) {
  /** @type {any[]} */
  const kept = [];
  each(list, (item, index) => keep(item, index) && push(kept, item));
  return kept;
}

/** @type {<T, R>(list: ArrayLike<T>, change: (item: T, index: number) => R) => R[]} */
export function map(list, change) {
  /** @type {any[]} */
  const changed = [];
  each(list, (item, index) => push(changed, change(item, index)));
  return changed;
}

/** Appends an item to an array. A defined property calls no setter of a prototype. */
export function push(list, item) {
  defineProperty(list, list.length, plain({ value: item, writable: true, enumerable: true, configurable: true }));
}

/** Returns a copy of a list with another first item. */
export function withFirst(first, list) {
  const changed = [first];
  for (let index = 1; index < list.length; index += 1) push(changed, list[index]);
  return changed;
}

/** @type {<T>(set: Set<T>) => T[]} */
export function items(set) {
  /** @type {any[]} */
  const list = [];
  set.forEach((item) => push(list, item));
  return list;
}

/** @type {<T>(set: Set<T>, holds: (item: T) => unknown) => boolean} */
export function someItem(set, holds) {
  let found = false;
  set.forEach((item) => (found ||= Boolean(holds(item))));
  return found;
}

export function join(list, between) {
  let text = '';
  each(list, (item, index) => (text += index === 0 ? item : between + item));
  return text;
}

/** @type {<T>(list: T[], order?: (a: T, b: T) => number) => T[]} */
export const sort = /** @type {any} */ (methods(Array.prototype)).sort;

// ---- text ----

export const { trim, toLowerCase: lower, toUpperCase: upper, slice, includes, startsWith, indexOf, charCodeAt } = methods(String.prototype);
/** Method that replaces lone surrogates by U+FFFD, as writing UTF-8 does. */
export const wellFormed = /** @type {any} */ (methods(String.prototype)).toWellFormed;

export const { exec } = methods(RegExp.prototype);
export const test = (pattern, text) => exec(pattern, text) !== null;

/** Replaces every match of a pattern with the flag `g` by a text or by `by(match)`, without calling methods of the pattern. */
export function replaceAll(text, pattern, by) {
  let result = '';
  let end = 0;
  pattern.lastIndex = 0;
  for (let match = exec(pattern, text); match; match = exec(pattern, text)) {
    result += slice(text, end, match.index) + (typeof by === 'string' ? by : by(match));
    end = match.index + match[0].length;
    if (match[0] === '') pattern.lastIndex += 1;
  }
  return result + slice(text, end);
}

/** @type {(text: string, pattern: RegExp) => RegExpExecArray[]} */
export function allMatches(text, pattern) {
  /** @type {any[]} */
  const found = [];
  pattern.lastIndex = 0;
  for (let match = exec(pattern, text); match; match = exec(pattern, text)) push(found, match);
  return found;
}

/** Splits a text at white space. */
export const words = (text) => map(allMatches(text, /\S+/g), (match) => match[0]);

export const asText = String;
export const stringify = JSON.stringify;
export const decodeUri = decodeURIComponent;
// eslint-disable-next-line no-eval -- the text of a timer of the page, under the page's own policy
export const evaluate = /** @type {(text: string) => unknown} */ (window.eval);

// ---- promises ----

const { then: nativeThen } = methods(Promise.prototype);

/**
 * Calls the browser's `then`. It reads the class of the result from `Promise.prototype.constructor`, which may throw: then it is bypassed.
 * @type {(promise: Promise<any>, done: (value: any) => unknown, failed?: (error: any) => unknown) => Promise<any>}
 */
export function then(promise, done, failed) {
  try {
    return nativeThen(promise, done, failed);
  } catch (error) {
    if (getOwnPropertyDescriptor(promise, 'constructor')) throw error;
    defineProperty(promise, 'constructor', plain({ value: undefined, configurable: true }));
    try {
      return nativeThen(promise, done, failed);
    } finally {
      deleteProperty(promise, 'constructor');
    }
  }
}

const NativePromise = Promise;
export const never = () => new NativePromise(() => {});
/** @type {<T>(value?: T) => Promise<T>} */
export const resolved = NativePromise.resolve.bind(NativePromise);
/** @type {(error: unknown) => Promise<never>} */
export const rejected = NativePromise.reject.bind(NativePromise);
