// The language as it was before page code ran: pages replace what they like of Map, Promise, Array.prototype and the rest
// (polyfills, zone.js, Bluebird), and what they put there may throw, lie or call back into the page.
// Must never look anything up on a global or a prototype later than at its own start; that is what everybody else uses it for.

export const { apply, construct, deleteProperty, getPrototypeOf, getOwnPropertyDescriptor, ownKeys } = Reflect;
export const { defineProperty, create, keys } = Object;
export const { max, min, ceil, floor, imul } = Math;
export const { parseFloat, parseInt, isFinite } = Number;

/**
 * A method as a function of its receiver: `trim(text)` for `text.trim()`.
 * @param {Function} method
 * @returns {(self: any, ...args: any[]) => any}
 */
export const uncurry =
  (method) =>
  (self, ...args) =>
    apply(method, self, args);

/**
 * A method of a prototype, as a function of its receiver. Absent ones give nothing.
 * @type {<T, K extends keyof T>(owner: T | null | undefined, name: K) => T[K] extends (...args: infer A) => infer R ? (self: any, ...args: A) => R : (self: any, ...args: any[]) => any}
 */
export const method = /** @type {any} */ ((owner, name) => (typeof owner?.[name] === 'function' ? uncurry(owner[name]) : () => undefined));

/**
 * The value of a getter of a prototype, as a function of its receiver. Absent ones give nothing.
 * @type {<T, K extends keyof T>(owner: T | null | undefined, name: K) => (self: any) => T[K]}
 */
export const getter = (owner, name) => uncurry((owner && getOwnPropertyDescriptor(owner, name)?.get) || (() => undefined));

/**
 * The setter of a property of a prototype, as a function of its receiver.
 * @type {<T, K extends keyof T>(owner: T | null | undefined, name: K) => (self: any, value: T[K]) => void}
 */
export const setter = (owner, name) => uncurry((owner && getOwnPropertyDescriptor(owner, name)?.set) || (() => undefined));

const { setPrototypeOf } = Reflect;

/**
 * A record that has what is written and no more: what a page adds to all objects (`Object.prototype.get`) is none of its own.
 * @template {object} T
 * @param {T} record
 * @returns {T}
 */
export function plain(record) {
  setPrototypeOf(record, null);
  return record;
}

const NativeProxy = Proxy;
/** A function or object in the place of another: what a page gives all objects (`Object.prototype.get`) is no trap of it. */
export const proxied = (target, traps) => new NativeProxy(target, plain(traps));

// ---- collections: methods of their own, which nobody can reach ----

const keepMethods = (kept, original) => {
  for (const name of ownKeys(original.prototype)) {
    const found = getOwnPropertyDescriptor(original.prototype, name);
    if (found && name !== 'constructor') defineProperty(kept.prototype, name, found);
  }
  return kept;
};

/** @type {MapConstructor} */
export const KeptMap = keepMethods(class extends Map {}, Map);
/** @type {SetConstructor} */
export const KeptSet = keepMethods(class extends Set {}, Set);
/** @type {WeakMapConstructor} */
export const KeptWeakMap = keepMethods(class extends WeakMap {}, WeakMap);
/** @type {WeakSetConstructor} */
export const KeptWeakSet = keepMethods(class extends WeakSet {}, WeakSet);

// ---- lists: arrays, and the lists of the DOM; neither iterators nor methods of theirs are used ----

// What a page gives all objects and arrays at a number is no item of a list.
const strays = [];
const isItem = (item, place) => item !== undefined && item !== strays[place];

// The list holds no gaps.
/** @type {<T>(list: ArrayLike<T>, run: (item: T, place: number) => void) => void} */
export function each(list, run) {
  for (let place = 0; isItem(list[place], place); place += 1) run(list[place], place);
}

/** @type {<T>(list: ArrayLike<T>, keep: (item: T, place: number) => unknown) => T[]} */
export function filter(list, keep) {
  /** @type {any[]} */
  const kept = [];
  each(list, (item, place) => keep(item, place) && push(kept, item));
  return kept;
}

/** @type {<T, R>(list: ArrayLike<T>, change: (item: T, place: number) => R) => R[]} */
export function map(list, change) {
  /** @type {any[]} */
  const changed = [];
  each(list, (item, place) => push(changed, change(item, place)));
  return changed;
}

/** @type {<T>(list: ArrayLike<T>, holds: (item: T, place: number) => unknown) => boolean} */
export function some(list, holds) {
  for (let place = 0; isItem(list[place], place); place += 1) if (holds(list[place], place)) return true;
  return false;
}

/** Adds to the end of an array. An index that is defined asks no setter of a prototype. */
export function push(list, item) {
  defineProperty(list, list.length, plain({ value: item, writable: true, enumerable: true, configurable: true }));
}

/** A copy of a list with another first item. */
export function withFirst(first, list) {
  const changed = [first];
  for (let place = 1; place < list.length; place += 1) push(changed, list[place]);
  return changed;
}

// In the order in which they were added.
/** @type {<T>(set: Set<T>) => T[]} */
export function items(set) {
  /** @type {any[]} */
  const list = [];
  set.forEach((item) => push(list, item));
  return list;
}

export function join(list, between) {
  let text = '';
  each(list, (item, place) => (text += place === 0 ? item : between + item));
  return text;
}

/** @type {<T>(list: T[], order?: (a: T, b: T) => number) => T[]} */
export const sort = method(Array.prototype, 'sort');

// ---- text ----

/** @type {(text: string) => string} */
export const trim = method(String.prototype, 'trim');
/** @type {(text: string) => string} */
export const lower = method(String.prototype, 'toLowerCase');
/** @type {(text: string) => string} */
export const upper = method(String.prototype, 'toUpperCase');
/** @type {(text: string, start: number, end?: number) => string} */
export const slice = method(String.prototype, 'slice');
/** @type {(text: string, part: string) => boolean} */
export const includes = method(String.prototype, 'includes');
/** @type {(text: string, start: string) => boolean} */
export const startsWith = method(String.prototype, 'startsWith');
/** @type {(text: string, part: string) => number} */
export const indexOf = method(String.prototype, 'indexOf');
/** Text that any reader of UTF-8 takes: lone halves of surrogate pairs become U+FFFD, as on the way to a file. */
export const wellFormed = /** @type {(text: string) => string} */ (method(String.prototype, 'toWellFormed'));
/** @type {(text: string, place: number) => number} */
export const charCodeAt = method(String.prototype, 'charCodeAt');

/** @type {(pattern: RegExp, text: string) => RegExpExecArray | null} */
export const exec = method(RegExp.prototype, 'exec');
export const test = (pattern, text) => exec(pattern, text) !== null;

/**
 * Replaces every match of a pattern with the flag `g`, without asking the pattern how it wants that done.
 * @param {string} text
 * @param {RegExp} pattern
 * @param {string | ((match: RegExpExecArray) => string)} by
 */
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

/** The words of a text, between white space. */
export function words(text) {
  /** @type {string[]} */
  const found = [];
  const pattern = /\S+/g;
  for (let match = exec(pattern, text); match; match = exec(pattern, text)) push(found, match[0]);
  return found;
}

export const asText = String;
export const stringify = JSON.stringify;
export const decodeUri = decodeURIComponent;

// ---- promises ----

const nativeThen = method(Promise.prototype, 'then');

/**
 * Which class its result is of is the page's word (`Promise.prototype.constructor`), which may throw: then it is not asked.
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
const resolve = NativePromise.resolve.bind(NativePromise);
const reject = NativePromise.reject.bind(NativePromise);
/** @type {<T>(value?: T) => Promise<T>} */
export const resolved = resolve;
/** @type {(error: unknown) => Promise<never>} */
export const rejected = reject;
