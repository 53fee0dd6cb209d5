// How the page script puts itself between the page and a function of the browser.
// Must never change what a call of the page returns or throws, unless the caller of a hook means to.

import { KeptSet, apply, construct, defineProperty, getOwnPropertyDescriptor, plain, proxied } from './intrinsics/language.js';
import { native } from './native.js';

/** State of the document after its capture: see `deactivation.js`. */
export const deactivation = { isDone: false, isPossible: true };

/** Notes that the document has begun something that could still write when it is deactivated. */
export function preventDeactivation() {
  deactivation.isPossible = false;
}

/** Throws what a document that is no longer shown gets to hear. */
export function refuseWhenInactive() {
  if (deactivation.isDone) throw new native.DOMException('The document is not fully active.', 'InvalidStateError');
}

/** Listeners of the document and its window, which `document.open` takes away. */
const lasting = new KeptSet();

/** Listens with the browser's own addEventListener, whatever the page made of it. */
export function listen(target, type, listener, init = {}) {
  /** @type {AddEventListenerOptions} */
  const how = plain({ ...init });
  const given = { target, args: [type, listener, how] };
  if (target === window || target === document) {
    lasting.add(given);
    if (how.once) {
      given.args[1] = (event) => {
        lasting.delete(given);
        listener(event);
      };
    }
  }
  apply(native.addEventListener, target, given.args);
}

/** Listens again to what a page has opened anew. Whoever listens already is not added twice. */
export function listenAgain() {
  lasting.forEach(({ target, args }) => apply(native.addEventListener, target, args));
}

/** Runs bookkeeping of ours; a mistake in it must not reach the page. */
export function quietly(run) {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/**
 * Replaces a method by `run(call, self, args)`, where `call(args)` is the original with the caller's `this`.
 * A Proxy keeps name, length, `toString()` and properties as they were. Absent methods stay absent.
 */
export function replaceMethod(owner, name, run) {
  const found = owner && getOwnPropertyDescriptor(owner, name);
  if (!found || typeof found.value !== 'function') return;
  found.value = proxied(found.value, {
    apply: (original, self, args) => run((changed) => apply(original, self, changed || args), self, args),
  });
  quietly(() => defineProperty(owner, name, found));
}

/** Calls `note(result, self, args)` after each call of a method. */
export function watchMethod(owner, name, note) {
  replaceMethod(owner, name, (call, self, args) => {
    const result = call();
    quietly(() => note(result, self, args));
    return result;
  });
}

/** Replaces the getter of a property by `run(read, self)`, where `read()` is what the original gives. */
export function replaceGetter(owner, name, run) {
  const found = owner && getOwnPropertyDescriptor(owner, name);
  if (!found?.get) return;
  found.get = proxied(found.get, { apply: (original, self) => run(() => apply(original, self, []), self) });
  quietly(() => defineProperty(owner, name, found));
}

/** Replaces the setter of a property by `run(write, self, value)`, where `write()` is the original. */
export function replaceSetter(owner, name, run) {
  const found = owner && getOwnPropertyDescriptor(owner, name);
  if (!found?.set) return;
  found.set = proxied(found.set, { apply: (original, self, args) => run(() => apply(original, self, args), self, args[0]) });
  quietly(() => defineProperty(owner, name, found));
}

/** Calls `note(self)` before a property is read. */
export function watchGetter(owner, name, note) {
  replaceGetter(owner, name, (read, self) => {
    quietly(() => note(self));
    return read();
  });
}

/** Calls `note(self, value)` after a property was set. */
export function watchSetter(owner, name, note) {
  replaceSetter(owner, name, (write, self, value) => {
    const result = write();
    quietly(() => note(self, value));
    return result;
  });
}

/**
 * Replaces a global class by one whose instances are shown to `note(instance, args)`; `change(args)` may replace arguments.
 *
 * @param {string} name
 * @param {(instance: any, args: any[], context: any) => void} note
 * @param {(args: any[], context: any) => any[]} [change]
 */
export function watchClass(name, note, change) {
  const original = /** @type {any} */ (window)[name];
  if (typeof original !== 'function') return;
  const replaced = proxied(original, {
    construct: (target, args, newTarget) => {
      refuseWhenInactive();
      const context = plain({});
      const changed = (change && quietly(() => change(args, context))) || args;
      const instance = construct(target, changed, newTarget === replaced ? target : newTarget);
      quietly(() => note(instance, args, context));
      return instance;
    },
  });
  quietly(() => {
    defineProperty(window, name, { value: replaced, configurable: true, writable: true, enumerable: false });
    original.prototype.constructor = replaced;
  });
}
