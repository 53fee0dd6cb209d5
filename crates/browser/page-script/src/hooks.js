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

/** Calls a function of the page, and reports its error as the browser would. */
export function callPage(run, self, args) {
  try {
    apply(run, self, args);
  } catch (error) {
    native.reportError(error);
  }
}

/** Replaces a function of a property. A Proxy keeps name, length, `toString()` and properties. Absent properties stay absent. */
const replaceIn = (/** @type {'value' | 'get' | 'set'} */ field) => (owner, name, run) => {
  const found = owner && getOwnPropertyDescriptor(owner, name);
  if (typeof found?.[field] !== 'function') return;
  found[field] = proxied(found[field], {
    apply: (original, self, args) => run((changed) => apply(original, self, changed || args), self, args),
  });
  attempt(() => defineProperty(owner, name, found));
};

/** Function that replaces a method by `run(call, self, args)`, where `call(args)` is the original with the caller's `this`. */
export const replaceMethod = replaceIn('value');
/** Function that replaces a getter by `run(read, self)`. */
export const replaceGetter = replaceIn('get');
/** Function that replaces a setter by `run(write, self, args)`. */
export const replaceSetter = replaceIn('set');

/** Calls `after(result, self, args)` after each call of a method. */
export const watchMethod = (owner, name, after) => replaceMethod(owner, name, watched(after));

/** Calls `after(self, value)` after a property was set. */
export const watchSetter = (owner, name, after) => replaceSetter(owner, name, watched((_, self, args) => after(self, args[0])));

const watched = (after) => (call, self, args) => {
  const result = call();
  attempt(() => after(result, self, args));
  return result;
};

/** Replaces a global class by one that passes its instances to `after(instance, args)`; `change(args)` may replace arguments. */
export function watchClass(name, after, change = (args) => args) {
  const original = /** @type {any} */ (window)[name];
  if (typeof original !== 'function') return;
  const replaced = proxied(original, {
    construct: (target, args, newTarget) => {
      refuseWhenInactive();
      const instance = construct(target, attempt(() => change(args)) || args, newTarget === replaced ? target : newTarget);
      attempt(() => after(instance, args));
      return instance;
    },
  });
  attempt(() => {
    defineProperty(window, name, { value: replaced, configurable: true, writable: true, enumerable: false });
    original.prototype.constructor = replaced;
  });
}
