// Pending work: what may still change the page. Every hook calls through to the browser and only remembers that
// something has begun ("a hold") and ended. `ready.js` decides what a hold means.
// Must never keep a hold for ever: each has its own limit, and what repeats itself (polls, tickers) stops counting.

const LIMITS = {
  request: 12000, // a request that is still open then is taken for one that never ends
  script: 8000,
  stream: 6000, // a body that arrives in pieces
  firstMessage: 1000, // socket, event stream: for the first word of the other side
  betweenMessages: 150, // at least; as long again as the one before took, up to the limit above
  messages: 5000, // all of them together, while they show something
  answer: 2500, // the first answer of a worker
  timer: 1500, // longer one-shot timers are not waited for,
  longTimer: 5000, // unless a request has just failed or the page is unfinished
  chain: 3000, // timers that arm themselves again, all together
  step: 600, // slower ones are clocks and polls
  interval: 250, // slower intervals are clocks and polls
  idleCallback: 1000,
  database: 2000,
  font: 3000,
};

// A request to one of these says something to the operator of the page; nothing comes back that would be shown.
const BEACON = /(^|[/.])(beacon|collect|analytics|pixel|track|tracking|telemetry|sentry|metrics|rum|log|logs)([/?.#]|$)/i;

const work = {
  holds: new Set(),
  last: 0, // time of the last activity of any kind
  lastDom: 0, // time of the last added or removed element
  lastRequest: 0, // time when the last request, script or style sheet began or ended
  lastFailure: -Infinity, // time of the last request that failed
  activity: 0, // counts activity
  changes: 0, // counts changes of the DOM of any kind, attributes and text included
  onActivity: () => {},
};

/** Notes that something has happened that may lead to more. */
function touch() {
  work.last = native.now();
  work.activity += 1;
  work.onActivity();
}

/** Begins a hold that ends when the returned function is called, at the latest after `limit` ms. */
function hold(kind, limit) {
  const entry = { kind, until: native.now() + limit };
  work.holds.add(entry);
  touch();
  return () => {
    if (!work.holds.delete(entry)) return;
    if (kind === 'request' || kind === 'script') work.lastRequest = native.now();
    touch();
  };
}

/** Holds until the promise has settled. The promise itself is left alone. */
function holdPromise(kind, limit, promise) {
  if (typeof promise?.then !== 'function') return;
  const end = hold(kind, limit);
  Promise.prototype.then.call(promise, end, end);
}

/** Whether anything is pending. Forgets what is over its limit. What is `unlikely` counts only while there is little to see. */
function isPending() {
  const now = native.now();
  let likely = false;
  for (const entry of work.holds) {
    if (entry.until < now) work.holds.delete(entry);
    else if (entry.kind !== 'unlikely') likely = true;
  }
  return likely || (work.holds.size > 0 && isUnfinished());
}

// ---- requests ----

/** Tells apart the first requests for data from polls: the same request again and again while the page stays the same. */
const repeated = (() => {
  const exact = new Map();
  const paths = new Map();
  const count = (map, key) => {
    const next = (map.get(key) || 0) + 1;
    map.set(key, next);
    return next;
  };
  return (method, url, body) => {
    const still = native.now() - work.lastDom > 300;
    const same = count(exact, `${method} ${url} ${typeof body === 'string' ? body.slice(0, 2000) : ''}`);
    const path = count(paths, `${method} ${url.split(/[?#]/)[0]}`);
    return (same >= 3 && still && !failed.has(`${method} ${url}`) && !isUnfinished()) || same >= 6 || (path >= 10 && still) || path >= 40;
  };
})();

function absolute(url) {
  return quietly(() => new URL(String(url), document.baseURI).href) || String(url);
}

const failed = new Set(); // requests whose last answer was a failure: the same again is a second try and no poll

function noteAnswer(method, url, isGood) {
  if (isGood) {
    failed.delete(`${method} ${url}`);
  } else {
    failed.add(`${method} ${url}`);
    work.lastFailure = native.now();
  }
}

function watchRequests() {
  const ignored = new WeakSet(); // responses and bodies of polls and streams
  const isStream = (response) => /event-stream/i.test(response.headers.get('content-type') || '');

  replaceMethod(window, 'fetch', (call, self, args) => {
    if (seal.done) return new Promise(() => {});
    const promise = call();
    quietly(() => note(promise, args));
    return promise;
  });
  function note(promise, [input, init]) {
    const request = input instanceof Request ? input : {};
    const method = String(init?.method || request.method || 'GET').toUpperCase();
    const url = absolute(request.url || input);
    const background = init?.keepalive || request.keepalive || (method === 'POST' && BEACON.test(url));
    if (background || repeated(method, url, init?.body)) {
      promise.then((response) => ignored.add(response), () => {});
      return;
    }
    work.lastRequest = native.now();
    holdPromise('request', LIMITS.request, promise);
    Promise.prototype.then.call(promise, (response) => noteAnswer(method, url, response.ok), () => noteAnswer(method, url, false));
  }

  // A body that nobody asks for is not waited for; one that is asked for counts from that moment until it is there.
  for (const name of ['json', 'text', 'arrayBuffer', 'blob', 'formData', 'bytes']) {
    watchMethod(Response.prototype, name, (promise, response) => {
      if (!ignored.has(response) && !isStream(response)) holdPromise('request', LIMITS.request, promise);
    });
  }
  watchMethod(Response.prototype, 'clone', (copy, response) => {
    if (ignored.has(response)) ignored.add(copy);
  });
  const body = Object.getOwnPropertyDescriptor(Response.prototype, 'body');
  watchProperty(Response.prototype, 'body', {
    get: (response) => {
      const stream = native.apply(body.get, response, []);
      if (!stream) return;
      if (ignored.has(response)) ignored.add(stream);
      else if (isStream(response)) began.set(stream, native.now() - LIMITS.stream + LIMITS.firstMessage);
    },
  });
  const began = new WeakMap(); // stream or reader → when reading it began, for the limit of the whole stream
  if (window.ReadableStream) {
    watchMethod(ReadableStream.prototype, 'getReader', (reader, stream) => {
      if (ignored.has(stream)) ignored.add(reader);
      began.set(reader, began.get(stream) ?? native.now());
    });
    watchMethod(ReadableStream.prototype, 'pipeTo', (promise, stream) => {
      if (!ignored.has(stream)) holdPromise('request', LIMITS.stream, promise);
    });
    watchMethod(ReadableStreamDefaultReader.prototype, 'read', (promise, reader) => {
      const left = (began.get(reader) ?? native.now()) + LIMITS.stream - native.now();
      if (left > 0 && !ignored.has(reader)) holdPromise('stream', left, promise);
    });
    // `for await (const piece of response.body)` has a reader that no script sees.
    for (const name of ['values', Symbol.asyncIterator]) {
      watchMethod(ReadableStream.prototype, name, (iterator, stream) => {
        const until = (began.get(stream) ?? native.now()) + LIMITS.stream;
        const { next } = iterator;
        iterator.next = (...args) => {
          const promise = native.apply(next, iterator, args);
          const left = until - native.now();
          if (left > 0 && !ignored.has(stream)) holdPromise('stream', left, promise);
          return promise;
        };
      });
    }
  }

  const opened = new WeakMap();
  watchMethod(XMLHttpRequest.prototype, 'open', (_, request, [method, url]) => {
    // Noted before the page hears of it, so that what it arms then is known for its next try.
    const answered = () => {
      const asked = request.readyState === 4 && opened.get(request);
      if (asked) noteAnswer(asked.method, asked.url, request.status > 0 && request.status < 400);
    };
    if (!opened.has(request)) listen(request, 'readystatechange', answered);
    opened.set(request, { method: String(method).toUpperCase(), url: absolute(url) });
  });
  replaceMethod(XMLHttpRequest.prototype, 'send', (call, request, args) => {
    if (seal.done) return undefined;
    const end = quietly(() => {
      const { method, url } = opened.get(request) || { method: 'GET', url: '' };
      if ((method === 'POST' && BEACON.test(url)) || repeated(method, url, args[0])) {
        opened.delete(request);
        return undefined;
      }
      work.lastRequest = native.now();
      const release = hold('request', LIMITS.request);
      listen(request, 'loadend', release, { once: true });
      return release;
    });
    try {
      return call();
    } catch (error) {
      end?.();
      throw error;
    }
  });
}

// ---- scripts and style sheets that are inserted ----

/**
 * Waits for a script, style sheet or module preload, and for a frame when the page listens to what frames say.
 *
 * A script that came by `innerHTML` never runs; it differs from one made by `createElement` in that it is not `async`.
 * The parser's own scripts that are not `async` have run when DOMContentLoaded comes.
 */
function holdElement(element) {
  const name = element.localName;
  const rel = name === 'link' ? element.rel.toLowerCase() : '';
  const wanted =
    (name === 'iframe' && listened.messages && element.loading !== 'lazy' && (/^https?:/.test(element.src) || element.srcdoc)) ||
    (name === 'script' && element.src && isExecutable(element) && element.async) ||
    (name === 'link' && element.href && (rel === 'modulepreload' || (/\bstylesheet\b/.test(rel) && !element.sheet && !element.disabled)));
  if (!wanted) return;
  work.lastRequest = native.now();
  const end = hold('script', LIMITS.script);
  const loaded = () => {
    end();
    if (name === 'iframe') listen(window, 'message', hold('message', LIMITS.firstMessage), { once: true });
  };
  listen(element, 'load', loaded, { once: true });
  listen(element, 'error', end, { once: true });
}

const SCRIPT_TYPE = /^(application\/(x-)?(ecma|java)script|text\/(ecmascript|javascript(1\.[0-5])?|jscript|livescript|x-ecmascript|x-javascript)|module)$/i;

/** Whether the browser would run this script element, as its type says. */
function isExecutable(script) {
  const type = script.getAttribute('type');
  if (type === null) {
    const language = script.getAttribute('language');
    return !language || SCRIPT_TYPE.test(`text/${language}`);
  }
  return type.trim() === '' || SCRIPT_TYPE.test(type.split(';')[0].trim());
}

// ---- timers ----

function watchTimers() {
  const live = new Map(); // timer id → end of its hold
  let current = null; // the timer whose callback is running
  let retries = 0;
  let longest = 0;
  let unlikely = 0;

  /** How a timer counts that is longer than most that show something: a second try, or what an empty page waits for. */
  const longKind = (ms) => {
    if (native.now() - work.lastFailure < 100) {
      const isLonger = ms > longest; // second tries come later and later, polls do not
      longest = Math.max(longest, ms);
      return retries++ < (isLonger ? 4 : 2) ? 'timer' : null;
    }
    return unlikely++ < 10 ? 'unlikely' : null;
  };

  replaceMethod(window, 'setTimeout', (call, self, args) => {
    const [callback, delay] = args;
    const ms = Number(delay) || 0;
    if (typeof callback !== 'function' || ms > LIMITS.longTimer) return call();
    const kind = ms > LIMITS.timer ? longKind(ms) : 'timer';
    if (!kind) return call();
    const timer = { callback, ms, depth: current ? current.depth + 1 : 0, began: current ? current.began : native.now(), changes: work.changes };
    if (ms <= LIMITS.timer && !mayHold(timer, current)) timer.silent = true;
    let id = 0;
    const run = function (...given) {
      const end = live.get(id);
      live.delete(id);
      const outer = current;
      current = timer;
      try {
        return native.apply(callback, this, given);
      } finally {
        current = outer;
        end?.();
      }
    };
    id = call([run, ...Array.prototype.slice.call(args, 1)]);
    if (!timer.silent) live.set(id, hold(kind, ms + 1000));
    return id;
  });
  const cleared = (_, self, [id]) => {
    const end = live.get(Number(id));
    live.delete(Number(id));
    end?.();
  };
  watchMethod(window, 'clearTimeout', cleared);
  watchMethod(window, 'clearInterval', cleared);

  // Timers of one length that are armed over and over from promises (`while (true) await sleep(50)`) have no parent.
  const lengths = new Map();
  function mayHold(timer, parent) {
    const used = lengths.get(timer.ms) || { times: 0, idle: 0, changes: -1 };
    lengths.set(timer.ms, used);
    used.times += 1;
    used.idle = used.changes === work.changes ? used.idle + 1 : 0;
    used.changes = work.changes;
    if (used.times > 400 || (used.times > 8 && used.idle >= 5)) return false;
    if (used.times > 30 && native.now() - work.lastRequest > LIMITS.chain) return false;
    if (!parent) return true;
    if (timer.depth > 60 || native.now() + timer.ms - timer.began > LIMITS.chain) return false;
    const again = parent.ms === timer.ms && (parent.callback === timer.callback || String(parent.callback) === String(timer.callback));
    // The same step again: a typewriter shows something with each, a clock is slow, a poll shows nothing.
    return !again || (timer.ms <= LIMITS.step && (timer.depth < 2 || work.changes > parent.changes));
  }

  // Fast intervals that end by themselves (numbers that count up, typewriters) are waited for while they show something.
  replaceMethod(window, 'setInterval', (call, self, args) => {
    const [callback, delay] = args;
    const ms = Number(delay) || 0;
    if (typeof callback !== 'function' || ms > LIMITS.interval) return call();
    let idle = 0;
    let changes = work.changes;
    let id = 0;
    const run = function (...given) {
      try {
        return native.apply(callback, this, given);
      } finally {
        idle = work.changes === changes ? idle + 1 : 0;
        changes = work.changes;
        if (idle >= 3) cleared(null, null, [id]);
      }
    };
    id = call([run, ...Array.prototype.slice.call(args, 1)]);
    live.set(id, hold('timer', 2000));
    return id;
  });

  const idle = new Map();
  replaceMethod(window, 'requestIdleCallback', (call, self, args) => {
    const [callback, ...rest] = args;
    if (typeof callback !== 'function') return call();
    let id = 0;
    id = call([
      function (deadline) {
        const end = idle.get(id);
        idle.delete(id);
        const until = native.now() + 45;
        const deadlineOfOurs = { didTimeout: false, timeRemaining: () => Math.max(0, until - native.now()) };
        try {
          return native.apply(callback, this, [deadline.didTimeout ? deadlineOfOurs : deadline]);
        } finally {
          end?.();
        }
      },
      // Idle time is counted between frames, and there may be no second one.
      { timeout: Math.min(rest[0]?.timeout || FRAME_MS, FRAME_MS) },
    ]);
    askFrame();
    if (idleCallbacks++ < 200) idle.set(id, hold('timer', LIMITS.idleCallback));
    return id;
  });
  let idleCallbacks = 0;
  watchMethod(window, 'cancelIdleCallback', (_, self, [id]) => {
    idle.get(id)?.();
    idle.delete(id);
  });
  watchMethod(window.Scheduler?.prototype, 'postTask', (promise, self, [, init]) => {
    if ((init?.delay || 0) <= LIMITS.timer && idleCallbacks++ < 200) holdPromise('timer', LIMITS.timer + 500, promise);
  });
}

// ---- promises that other threads and processes settle ----

const ANSWERED_ELSEWHERE = {
  IDBFactory: ['databases'],
  CacheStorage: ['open', 'match', 'has', 'keys', 'delete'],
  Cache: ['match', 'matchAll', 'keys', 'add', 'addAll', 'put', 'delete'],
  CookieStore: ['get', 'getAll', 'set', 'delete'],
  StorageManager: ['estimate', 'persisted', 'persist', 'getDirectory'],
  Permissions: ['query'],
  NavigatorUAData: ['getHighEntropyValues'],
  SubtleCrypto: ['digest', 'encrypt', 'decrypt', 'sign', 'verify', 'importKey', 'exportKey', 'generateKey', 'deriveKey', 'deriveBits'],
  Blob: ['text', 'arrayBuffer'],
  ImageDecoder: ['decode'],
};

// ---- the other side speaks first: sockets, event streams, workers; and storage ----

function watchMessages() {
  /** Waits for the first messages of a source, at the pace at which they come, and longer while each shows something. */
  const expectMessages = (source, endTypes) => {
    const began = native.now();
    let last = began;
    let lastDom = work.lastDom;
    let end = hold('message', LIMITS.firstMessage);
    const next = () => {
      end();
      const now = native.now();
      const isShown = work.lastDom > lastDom || now - began < LIMITS.firstMessage;
      const latest = began + (isShown ? LIMITS.messages : LIMITS.firstMessage + 500);
      const pace = Math.min(LIMITS.firstMessage, Math.max(LIMITS.betweenMessages, 2 * (now - last)));
      last = now;
      lastDom = work.lastDom;
      const left = Math.min(pace, latest - now);
      if (left > 0) end = hold('message', left);
    };
    listen(source, 'message', next);
    for (const type of endTypes) listen(source, type, () => end());
    return next;
  };
  watchClass('WebSocket', (socket) => expectMessages(socket, ['close', 'error']));
  watchClass('EventSource', (source) => {
    const next = expectMessages(source, ['error']);
    watchListeners(source, (type) => {
      // Named events do not arrive as "message".
      if (!/^(open|error|message)$/.test(type)) listen(source, type, next);
    });
  });
  const questions = new WeakMap(); // worker → { unanswered, ends }
  watchClass('Worker', (worker) => {
    leaveTrace();
    const asked = { unanswered: 0, ends: [hold('message', LIMITS.answer)] };
    questions.set(worker, asked);
    const answered = () => {
      asked.unanswered = 0;
      for (const end of asked.ends.splice(0)) end();
    };
    // The first listener: what the page asks from its own belongs to the next answer.
    for (const type of ['message', 'error', 'messageerror']) listen(worker, type, answered);
    expectMessages(worker, ['error', 'messageerror']);
  });
  watchClass('SharedWorker', (shared) => {
    leaveTrace();
    expectMessages(shared.port, ['messageerror']);
  });
  watchMethod(window.Worker?.prototype, 'postMessage', (_, worker) => {
    const asked = questions.get(worker);
    if (!asked || asked.unanswered >= 3) return;
    asked.unanswered += 1;
    asked.ends.push(hold('message', asked.unanswered === 1 ? LIMITS.answer : LIMITS.firstMessage));
  });

  for (const name of ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming']) {
    watchMethod(window.WebAssembly, name, (promise) => holdPromise('request', LIMITS.request, promise));
  }
  const settles = (request, types) => {
    const end = hold('database', LIMITS.database);
    for (const type of types) listen(request, type, end, { once: true });
  };
  watchMethod(window.IDBFactory?.prototype, 'open', (request) => settles(request, ['success', 'error', 'blocked']));
  watchMethod(window.IDBDatabase?.prototype, 'transaction', (request) => settles(request, ['complete', 'error', 'abort']));
  for (const [type, names] of Object.entries(ANSWERED_ELSEWHERE)) {
    for (const name of names) watchMethod(window[type]?.prototype, name, (promise) => holdPromise('database', LIMITS.database, promise));
  }
}

/** Shows the types of listeners that are added to one object. */
function watchListeners(target, note) {
  const add = target.addEventListener;
  quietly(() => {
    Object.defineProperty(target, 'addEventListener', {
      value: new Proxy(add, {
        apply: (original, self, args) => {
          quietly(() => note(String(args[0])));
          return native.apply(original, self, args);
        },
      }),
      configurable: true,
      writable: true,
    });
  });
}

// ---- the document ----

/** Follows the DOM of the document and of every shadow root that the page makes. */
const domObserver = new native.MutationObserver((records) => {
  let structural = false;
  for (const record of records) {
    work.changes += 1;
    if (record.type !== 'childList') continue;
    for (const node of record.addedNodes) {
      if (node.nodeType !== 1) continue;
      structural = true;
      if (!isResource(node) && !node.firstElementChild) continue;
      if (isResource(node)) holdElement(node);
      for (const inner of node.querySelectorAll('script[src],link,iframe')) holdElement(inner);
    }
    for (const node of record.removedNodes) if (node.nodeType === 1) structural = true;
  }
  if (!structural) return;
  const now = native.now();
  work.lastDom = now;
  // A page that never stops moving elements about is not waited for once its requests have long been answered.
  if (now - work.lastRequest < 2500) touch();
});

function isResource(element) {
  return element.localName === 'script' || element.localName === 'link' || element.localName === 'iframe';
}

function watchDocument(root) {
  domObserver.observe(root, { childList: true, subtree: true, attributes: true, characterData: true });
}
