// The end of a document after its capture: from then on it may neither store nor fetch anything nor go anywhere, so that
// the next page of the tab finds nothing of it and no blank page has to come between them.
// Must say no (`sealDocument`) whenever something of the document can act outside its own main thread.

const MAX_TIMERS = 5000;

const seal = { done: false, plain: true };

/** Notes that the document has begun something that could still write when it is sealed. */
function leaveTrace() {
  seal.plain = false;
}

function watchTraces() {
  const refused = (owner, name) =>
    quietly(() => replaceMethod(owner, name, (call) => (seal.done ? Promise.resolve() : call())));
  for (const name of ['set', 'delete']) refused(window.CookieStore?.prototype, name);
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
  quietly(() =>
    Object.defineProperty(Document.prototype, 'cookie', {
      ...cookie,
      set: new Proxy(cookie.set, { apply: (write, self, args) => (seal.done ? undefined : native.apply(write, self, args)) }),
    }),
  );
  watchMethod(window.StorageManager?.prototype, 'getDirectory', leaveTrace);
  watchMethod(window.StorageBucketManager?.prototype, 'open', leaveTrace);
  for (const name of ['set', 'append']) watchMethod(window.SharedStorage?.prototype, name, leaveTrace);

  // Listeners of the page are told nothing when it is left: ours is the first at the window.
  for (const type of ['beforeunload', 'pagehide', 'unload', 'visibilitychange', 'freeze']) {
    listen(window, type, (event) => seal.done && event.stopImmediatePropagation(), { capture: true });
  }
}

/** Ends the document. True when nothing of it can reach the next one. */
function sealDocument() {
  if (!state.done || state.leaving || window.length > 0 || !seal.plain) return false;
  const last = native.setTimeout(() => {}, 0);
  if (last > MAX_TIMERS) return false;
  seal.done = true;
  // Timers and intervals count from one.
  for (let id = last; id > 0; id -= 1) native.clearTimeout(id);
  domObserver.disconnect();
  window.stop();
  return true;
}
