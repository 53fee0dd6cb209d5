// Hooks between the page and functions of the browser.
// Must never change results or errors of the page's calls, unless the caller of a hook intends to.

import { SafeSet, apply, construct, defineProperty, getOwnPropertyDescriptor, plain, proxied } from './intrinsics/language.js';
import { native } from './native.js';

/** State of the document after its capture: see `deactivation.js`. */
export const deactivation = { isDone: false, isPossible: true };

/** Records that the document has started something that could still store data after its deactivation. */
export function preventDeactivation() {
  deactivation.isPossible = false;
}

/** Throws the error of a document that is not fully active. */
export function refuseWhenInactive() {
  if (deactivation.isDone) throw new native.DOMException('The document is not fully active.', 'InvalidStateError');
}

/** Our listeners on the document and the window, which `document.open` removes. */
const documentListeners = new SafeSet();

/** Adds a listener by the browser's own addEventListener. */
export function listen(target, type, listener, init = {}) {
  /** @type {AddEventListenerOptions} */
  const how = plain({ ...init });
  const given = { target, args: [type, listener, how] };
  if (target === window || target === document) {
    documentListeners.add(given);
    if (how.once) {
      given.args[1] = (event) => {
        documentListeners.delete(given);
        listener(event);
      };
    }
  }
  apply(native.addEventListener, target, given.args);
}

/** Adds the listeners to a reopened document again. A listener is not added twice. */
export function reattachListeners() {
  documentListeners.forEach(({ target, args }) => apply(native.addEventListener, target, args));
}

/** Runs bookkeeping and ignores its errors, which must not reach the page. */
export function attempt(run) {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/**
 * Replaces a method by `run(call, self, args)`, where `call(args)` is the original with the caller's `this`.
 * A Proxy keeps name, length, `toString()` and properties. Absent methods stay absent.
 */
export function replaceMethod(owner, name, run) {
  const found = owner && getOwnPropertyDescriptor(owner, name);
  if (!found || typeof found.value !== 'function') return;
  found.value = proxied(found.value, {
    apply: (original, self, args) => run((changed) => apply(original, self, changed || args), self, args),
  });
  attempt(() => defineProperty(owner, name, found));
}

/** Calls `after(result, self, args)` after each call of a method. */
export function watchMethod(owner, name, after) {
  replaceMethod(owner, name, (call, self, args) => {
    const result = call();
    attempt(() => after(result, self, args));
    return result;
  });
}

/** Replaces the getter of a property by `run(read, self)`, where `read()` is the original. */
export function replaceGetter(owner, name, run) {
  const found = owner && getOwnPropertyDescriptor(owner, name);
  if (!found?.get) return;
  found.get = proxied(found.get, { apply: (original, self) => run(() => apply(original, self, []), self) });
  attempt(() => defineProperty(owner, name, found));
}

/** Replaces the setter of a property by `run(write, self, value)`, where `write()` is the original. */
export function replaceSetter(owner, name, run) {
  const found = owner && getOwnPropertyDescriptor(owner, name);
  if (!found?.set) return;
  found.set = proxied(found.set, { apply: (original, self, args) => run(() => apply(original, self, args), self, args[0]) });
  attempt(() => defineProperty(owner, name, found));
}

/** Calls `after(self)` before a property is read. */
export function watchGetter(owner, name, after) {
  replaceGetter(owner, name, (read, self) => {
    attempt(() => after(self));
    return read();
  });
}

/** Calls `after(self, value)` after a property was set. */
export function watchSetter(owner, name, after) {
  replaceSetter(owner, name, (write, self, value) => {
    const result = write();
    attempt(() => after(self, value));
    return result;
  });
}

/**
 * Replaces a global class by one that passes its instances to `after(instance, args)`; `change(args)` may replace arguments.
 *
 * @param {string} name
 * @param {(instance: any, args: any[], context: any) => void} after
 * @param {(args: any[], context: any) => any[]} [change]
 */
export function watchClass(name, after, change) {
  const original = /** @type {any} */ (window)[name];
  if (typeof original !== 'function') return;
  const replaced = proxied(original, {
    construct: (target, args, newTarget) => {
      refuseWhenInactive();
      const context = plain({});
      const changed = (change && attempt(() => change(args, context))) || args;
      const instance = construct(target, changed, newTarget === replaced ? target : newTarget);
      attempt(() => after(instance, args, context));
      return instance;
    },
  });
  attempt(() => {
    defineProperty(window, name, { value: replaced, configurable: true, writable: true, enumerable: false });
    original.prototype.constructor = replaced;
  });
}
