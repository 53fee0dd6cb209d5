// Deactivates a document after its capture: it can no longer store, fetch or navigate. The next document of the tab finds nothing of it, and no
// blank page is needed in between. See docs/decisions/0005.
// Must refuse (`deactivateDocument`) when anything of the document can act outside its main thread.

import { domObserver } from './document.js';
import { each, getters, keys } from './intrinsics/language.js';
import { preventDeactivation, attempt, refuseWhenInactive, replaceMethod, replaceSetter, deactivation } from './hooks.js';
import { silenceUnload } from './listeners.js';
import { mutations, native } from './native.js';
import { state } from './state.js';

const MAX_TIMERS = 5000;

// Calls that another process executes, at a time that is not known here.
const STORING = {
  IDBFactory: ['open', 'deleteDatabase', 'databases'],
  CacheStorage: ['open', 'match', 'has', 'keys', 'delete'],
  StorageManager: ['getDirectory'],
  StorageBucketManager: ['open', 'delete', 'keys'],
  SharedStorage: ['set', 'append', 'delete', 'clear'],
  CookieStore: ['set', 'delete'],
};

const { cookie: cookies } = getters(Document.prototype);
let hasSetCookies = false;

export function watchStorage() {
  const watchCall = (owner, name) => {
    replaceMethod(owner, name, (call) => {
      refuseWhenInactive();
      preventDeactivation();
      return call();
    });
  };
  each(keys(STORING), (type) => each(STORING[type], (name) => watchCall(window[type]?.prototype, name)));
  watchCall(window, 'webkitRequestFileSystem');
  replaceSetter(Document.prototype, 'cookie', (write) => {
    if (deactivation.isDone) return undefined;
    hasSetCookies = true;
    return write();
  });
}

// The page may replace `window.length`.
const { length: lengthOfWindow } = getters(/** @type {any} */ (window));
const frameCount = () => lengthOfWindow(window);

/** Deactivates the document. Returns true when nothing of it can affect the next one. */
export function deactivateDocument() {
  if (!state.done || state.leaving || frameCount() > 0 || !deactivation.isPossible) return false;
  const last = native.setTimeout(() => {}, 0);
  if (last > MAX_TIMERS) return false;
  deactivation.isDone = true;
  silenceUnload();
  // Timer ids count from one.
  for (let id = last; id > 0; id -= 1) native.clearTimeout(id);
  mutations.disconnect(domObserver);
  native.stop();
  // Setting a cookie is asynchronous and could follow the clearing of cookies. Reading waits for it.
  if (hasSetCookies) attempt(() => cookies(document));
  return true;
}
