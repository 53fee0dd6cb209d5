// The end of a document after its capture: from then on it may neither store nor fetch anything nor go anywhere, so that
// the next page of the tab finds nothing of it and no blank page has to come between them.
// Must say no (`sealDocument`) whenever something of the document can act outside its own main thread.

const MAX_TIMERS = 5000;

// What reaches beyond the document and its own thread: the call is answered by another process, whenever that gets to it.
const LASTING = {
  IDBFactory: ['open', 'deleteDatabase', 'databases'],
  CacheStorage: ['open', 'match', 'has', 'keys', 'delete'],
  StorageManager: ['getDirectory'],
  StorageBucketManager: ['open', 'delete', 'keys'],
  SharedStorage: ['set', 'append', 'delete', 'clear'],
};

const seal = { done: false, plain: true };

/** Notes that the document has begun something that could still write when it is sealed. */
function leaveTrace() {
  seal.plain = false;
}

/** Throws what a document that is no longer shown gets to hear. */
function refuseWhenSealed() {
  if (seal.done) throw new DOMException('The document is not fully active.', 'InvalidStateError');
}

function watchTraces() {
  const traced = (owner, name) => {
    replaceMethod(owner, name, (call) => {
      refuseWhenSealed();
      leaveTrace();
      return call();
    });
  };
  for (const [type, names] of Object.entries(LASTING)) {
    for (const name of names) traced(window[type]?.prototype, name);
  }
  traced(window, 'webkitRequestFileSystem');
  // Written at once: what came before the seal is cleared with the cookies.
  for (const name of ['set', 'delete']) {
    replaceMethod(window.CookieStore?.prototype, name, (call) => {
      refuseWhenSealed();
      return call();
    });
  }
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
  quietly(() =>
    Object.defineProperty(Document.prototype, 'cookie', {
      ...cookie,
      set: new Proxy(cookie.set, { apply: (write, self, args) => (seal.done ? undefined : native.apply(write, self, args)) }),
    }),
  );
}

const ENDINGS = ['beforeunload', 'pagehide', 'unload', 'visibilitychange', 'freeze'];
let silencing = false;

/**
 * Listeners of the page are told nothing when a sealed document is left: ours is before them, a capturing one at the
 * window. Not there from the start, because the browser keeps a record of every use of `unload`: milliseconds a page.
 */
function silenceEndings() {
  if (silencing) return;
  silencing = true;
  for (const type of ENDINGS) listen(window, type, (event) => seal.done && event.stopImmediatePropagation(), { capture: true });
}

/** Ends the document. True when nothing of it can reach the next one. */
function sealDocument() {
  if (!state.done || state.leaving || window.length > 0 || !seal.plain) return false;
  const last = native.setTimeout(() => {}, 0);
  if (last > MAX_TIMERS) return false;
  seal.done = true;
  silenceEndings();
  // Timers and intervals count from one.
  for (let id = last; id > 0; id -= 1) native.clearTimeout(id);
  domObserver.disconnect();
  window.stop();
  return true;
}
