// What a page finds different from an ordinary tab: no binding, no service worker, no dialogs, no popups.
// Runs first, in every frame, before any script of the page. All files of this folder are joined into one function
// (`mod.rs`), so that nothing here is a global and `options` is its only argument.
// Must never change what a call of the page returns or throws, except where a feature is meant to be absent.

const send = globalThis.__glasshouse;
delete globalThis.__glasshouse;

// The page may replace any of these later (zone.js does): only the originals are used from here on.
const native = {
  setTimeout: window.setTimeout.bind(window),
  clearTimeout: window.clearTimeout.bind(window),
  requestAnimationFrame: window.requestAnimationFrame.bind(window),
  postTask: window.scheduler?.postTask?.bind(window.scheduler),
  now: performance.now.bind(performance),
  addEventListener: EventTarget.prototype.addEventListener,
  MutationObserver: window.MutationObserver,
  IntersectionObserver: window.IntersectionObserver,
  getAnimations: Document.prototype.getAnimations,
  stringify: JSON.stringify,
  apply: Reflect.apply,
  construct: Reflect.construct,
};
const isTop = window === window.top;

/** Listens with the browser's own addEventListener, whatever the page made of it. */
function listen(target, type, listener, init) {
  native.apply(native.addEventListener, target, [type, listener, init]);
}

/** Runs bookkeeping of ours; a mistake in it must not reach the page. */
function quietly(run) {
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
function replaceMethod(owner, name, run) {
  const found = owner && Object.getOwnPropertyDescriptor(owner, name);
  if (!found || typeof found.value !== 'function') return;
  found.value = new Proxy(found.value, {
    apply: (original, self, args) => run((changed) => native.apply(original, self, changed || args), self, args),
  });
  quietly(() => Object.defineProperty(owner, name, found));
}

/** Calls `note(result, self, args)` after each call of a method. */
function watchMethod(owner, name, note) {
  replaceMethod(owner, name, (call, self, args) => {
    const result = call();
    quietly(() => note(result, self, args));
    return result;
  });
}

/** Calls `note(self, value)` after a property was set (`set`) or before it is read (`get`). */
function watchProperty(owner, name, { get, set }) {
  const found = owner && Object.getOwnPropertyDescriptor(owner, name);
  if (!found?.get) return;
  const original = { get: found.get, set: found.set };
  if (get) {
    found.get = new Proxy(original.get, {
      apply: (read, self, args) => {
        quietly(() => get(self));
        return native.apply(read, self, args);
      },
    });
  }
  if (set && original.set) {
    found.set = new Proxy(original.set, {
      apply: (write, self, args) => {
        const result = native.apply(write, self, args);
        quietly(() => set(self, args[0]));
        return result;
      },
    });
  }
  quietly(() => Object.defineProperty(owner, name, found));
}

/** Replaces a global class by one whose instances are shown to `note(instance, args)`; `change(args)` may replace arguments. */
function watchClass(name, note, change) {
  const original = window[name];
  if (typeof original !== 'function') return;
  const replaced = new Proxy(original, {
    construct: (target, args, newTarget) => {
      refuseWhenSealed();
      const context = {};
      const changed = (change && quietly(() => change(args, context))) || args;
      const instance = native.construct(target, changed, newTarget === replaced ? target : newTarget);
      quietly(() => note(instance, args, context));
      return instance;
    },
  });
  quietly(() => {
    Object.defineProperty(window, name, { value: replaced, configurable: true, writable: true, enumerable: false });
    original.prototype.constructor = replaced;
  });
}

function prepareEnvironment() {
  const answer = (owner, name, value) => quietly(() => replaceMethod(owner, name, () => value));
  const constant = (owner, name, value) =>
    quietly(() => Object.defineProperty(owner, name, { get: () => value, configurable: true, enumerable: true }));

  // Absent, so that apps take the path they have for browsers without one: a service worker would outlive the render.
  quietly(() => delete Navigator.prototype.serviceWorker);
  // A view transition waits for pictures of the screen, which are never drawn here: it changes the page and is over.
  for (const owner of [Document.prototype, Element.prototype]) replaceMethod(owner, 'startViewTransition', (call, self, [given]) => changeView(given));

  answer(window, 'alert', undefined);
  answer(window, 'confirm', false);
  answer(window, 'prompt', null);
  answer(window, 'print', undefined);
  answer(window, 'open', null);
  answer(Navigator.prototype, 'sendBeacon', true);
  constant(Navigator.prototype, 'webdriver', false);
  constant(Navigator.prototype, 'onLine', true); // the one way out is no network interface
  if (window.Notification) {
    constant(window.Notification, 'permission', 'denied');
    answer(window.Notification, 'requestPermission', Promise.resolve('denied'));
  }

  // Left by an earlier page in the same tab. A page that stores something and then reloads itself must find it again.
  const arrival = quietly(() => performance.getEntriesByType('navigation')[0].type);
  if (arrival === 'navigate') {
    if (options.used) {
      quietly(() => sessionStorage.clear());
      if (isTop) quietly(() => localStorage.clear());
      if (isTop) quietly(() => (window.name = ''));
    }
    if (isTop) hideEarlierHistory();
  }

  /** A visitor's tab has no page before this one. */
  function hideEarlierHistory() {
    const first = window.navigation?.currentEntry?.index || 0;
    const earlier = history.length - 1;
    if (earlier === 0) return;
    const length = Object.getOwnPropertyDescriptor(History.prototype, 'length');
    quietly(() =>
      Object.defineProperty(History.prototype, 'length', {
        ...length,
        get: new Proxy(length.get, { apply: (read, self) => Math.max(1, native.apply(read, self, []) - earlier) }),
      }),
    );
    const leaves = (steps) => window.navigation.currentEntry.index + steps < first;
    replaceMethod(History.prototype, 'back', (call) => (leaves(-1) ? undefined : call()));
    replaceMethod(History.prototype, 'go', (call, self, [steps]) => (leaves(Number(steps) || 0) ? undefined : call()));
  }

  function changeView(given) {
    const update = typeof given === 'function' ? given : given?.update;
    const updateCallbackDone = Promise.resolve().then(() => update?.());
    const finished = updateCallbackDone.then(() => {});
    finished.catch(() => {}); // as unhandled as it is in a browser: once, by `updateCallbackDone`
    return { updateCallbackDone, ready: finished, finished, types: new Set(given?.types), skipTransition() {} };
  }

  // Libraries make element ids from random numbers: the same page must give the same bytes on every render. Seeded by the
  // path, so that "a random quote" differs between pages but not between renders. Keys and digests of `crypto.subtle` stay
  // what they are.
  let state = 0x9e3779b9;
  for (const character of location.pathname) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  replaceMethod(Math, 'random', next);
  const crypto = window.Crypto?.prototype;
  replaceMethod(crypto, 'getRandomValues', (call) => {
    const filled = call(); // says no to what is no array of integers
    const bytes = new Uint8Array(filled.buffer, filled.byteOffset, filled.byteLength);
    for (let i = 0; i < bytes.length; i += 1) bytes[i] = next() * 256;
    return filled;
  });
  replaceMethod(crypto, 'randomUUID', () => {
    const digits = Array.from({ length: 32 }, () => Math.floor(next() * 16).toString(16)).join('');
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
  });
}
