// The end of a document after its capture: from then on it may neither store nor fetch anything nor go anywhere, so that
// the next page of the tab finds nothing of it and no blank page has to come between them. See docs/decisions/0005.
// Must say no (`deactivateDocument`) whenever something of the document can act outside its own main thread.

import { domObserver } from './document.js';
import { each, getter, keys } from './intrinsics/language.js';
import { preventDeactivation, quietly, refuseWhenInactive, replaceMethod, replaceSetter, deactivation } from './hooks.js';
import { silenceUnload } from './listeners.js';
import { mutations, native } from './native.js';
import { state } from './state.js';

const MAX_TIMERS = 5000;

// What reaches beyond the document and its own thread: the call is answered by another process, whenever that gets to it.
const LASTING = {
  IDBFactory: ['open', 'deleteDatabase', 'databases'],
  CacheStorage: ['open', 'match', 'has', 'keys', 'delete'],
  StorageManager: ['getDirectory'],
  StorageBucketManager: ['open', 'delete', 'keys'],
  SharedStorage: ['set', 'append', 'delete', 'clear'],
  CookieStore: ['set', 'delete'],
};

const cookies = getter(Document.prototype, 'cookie');
let hasSetCookies = false;

export function watchTraces() {
  const traced = (owner, name) => {
    replaceMethod(owner, name, (call) => {
      refuseWhenInactive();
      preventDeactivation();
      return call();
    });
  };
  each(keys(LASTING), (type) => each(LASTING[type], (name) => traced(window[type]?.prototype, name)));
  traced(window, 'webkitRequestFileSystem');
  replaceSetter(Document.prototype, 'cookie', (write) => {
    if (deactivation.isDone) return undefined;
    hasSetCookies = true;
    return write();
  });
}

// `window.length` may be the page's own.
const lengthOfWindow = getter(window, 'length');
const frameCount = () => lengthOfWindow(window);

/** Ends the document. True when nothing of it can reach the next one. */
export function deactivateDocument() {
  if (!state.done || state.leaving || frameCount() > 0 || !deactivation.isPossible) return false;
  const last = native.setTimeout(() => {}, 0);
  if (last > MAX_TIMERS) return false;
  deactivation.isDone = true;
  silenceUnload();
  // Timers and intervals count from one.
  for (let id = last; id > 0; id -= 1) native.clearTimeout(id);
  mutations.disconnect(domObserver);
  native.stop();
  // Setting a cookie does not wait until it is set, and could come after the cookies are cleared. Reading waits for both.
  if (hasSetCookies) quietly(() => cookies(document));
  return true;
}
