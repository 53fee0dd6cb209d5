// What another thread or the other side of a connection answers: sockets, event streams, workers, databases, caches.

import { asksForPatience, isUnfinished } from './appearance.js';
import { FRAME_MS, askFrame } from './frames.js';
import { listen, quietly, replaceMethod, watchClass, watchMethod } from './hooks.js';
import { body, textContent } from './intrinsics/dom.js';
import { KeptWeakMap, apply, asText, defineProperty, each, getter, keys, max, min, plain, proxied, push, some, test, then } from './intrinsics/language.js';
import { native } from './native.js';
import { leaveTrace } from './sealing.js';
import { hold, holdPromise, work } from './work.js';
import { now, time } from './shared.js';

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
  WakeLock: ['request'],
  LockManager: ['query'],
  FileSystemDirectoryHandle: ['getFileHandle', 'getDirectoryHandle', 'removeEntry'],
  FileSystemFileHandle: ['getFile', 'createWritable'],
  FileSystemWritableFileStream: ['write', 'truncate'],
  WritableStream: ['close'],
  OffscreenCanvas: ['convertToBlob'],
  Bluetooth: ['getAvailability'],
  USB: ['getDevices'],
  HID: ['getDevices'],
  Serial: ['getPorts'],
  GPU: ['requestAdapter'],
  MediaCapabilities: ['decodingInfo', 'encodingInfo'],
  Navigator: ['getBattery', 'getInstalledRelatedApps'],
  PaymentRequest: ['canMakePayment'],
  RTCPeerConnection: ['createOffer', 'createAnswer', 'setLocalDescription', 'setRemoteDescription'],
  BaseAudioContext: ['decodeAudioData'],
  OfflineAudioContext: ['startRendering'],
};

export function watchMessages() {
  watchConnections();
  watchWorkers();
  each(['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming'], (name) => {
    watchMethod(window.WebAssembly, name, (promise) => holdPromise('request', RULES.request.ms, promise));
  });
  const settles = (request, types) => {
    const end = hold('database', RULES.database.ms);
    each(types, (type) => listen(request, type, end, { once: true }));
  };
  watchMethod(window.IDBFactory?.prototype, 'open', (request) => settles(request, ['success', 'error', 'blocked']));
  watchMethod(window.IDBDatabase?.prototype, 'transaction', (request) => settles(request, ['complete', 'error', 'abort']));
  each(['readAsText', 'readAsDataURL', 'readAsArrayBuffer', 'readAsBinaryString'], (name) => {
    watchMethod(window.FileReader?.prototype, name, (_, reader) => listen(reader, 'loadend', hold('database', RULES.database.ms), { once: true }));
  });
  watchMethod(window, 'createImageBitmap', (promise) => holdPromise('database', RULES.database.ms, promise));
  watchCallback(HTMLCanvasElement.prototype, 'toBlob', 0, keepDrawing);
  watchCallback(window.LockManager?.prototype, 'request', -1); // a lock may be kept for ever
  each(keys(ANSWERED_ELSEWHERE), (type) => {
    each(ANSWERED_ELSEWHERE[type], (name) => {
      watchMethod(window[type]?.prototype, name, (promise) => {
        holdPromise('database', RULES.database.ms, promise);
        if (name !== 'convertToBlob') return;
        const end = keepDrawing();
        then(promise, end, end);
      });
    });
  });
}

/** Canvases are encoded between frames. Draws some until the returned function is called: without them it takes a second. */
function keepDrawing() {
  const until = native.now() + RULES.database.ms;
  let isOver = false;
  const draw = () => {
    if (isOver || native.now() > until) return;
    askFrame();
    native.setTimeout(draw, FRAME_MS);
  };
  draw();
  return () => {
    isOver = true;
  };
}

/** Waits until a callback is called. `place` among the arguments, negative from their end. `meanwhile` begins and gives its end. */
function watchCallback(owner, name, place, meanwhile = () => () => {}) {
  replaceMethod(owner, name, (call, self, args) => {
    const at = place < 0 ? args.length + place : place;
    const callback = args[at];
    if (typeof callback !== 'function') return call();
    const end = hold('database', RULES.database.ms);
    const stop = meanwhile();
    const run = /** @this {unknown} */ function (...given) {
      stop();
      try {
        return apply(callback, this, given);
      } finally {
        end();
      }
    };
    /** @type {any[]} */
    const given = [];
    for (let index = 0; index < args.length; index += 1) push(given, index === at ? run : args[index]);
    return call(given);
  });
}

/**
 * Waits for the first messages of a source, at the pace at which they come, and longer while each shows something.
 * `second`: how long the second one may take, whatever the first took.
 */
function expectMessages(source, endTypes, second = RULES.firstMessage.ms, mayBeGreeting = () => true) {
  const { next, end } = expectWords(second, mayBeGreeting);
  listen(source, 'message', next);
  each(endTypes, (type) => listen(source, type, end));
  return { next, end };
}

/** The same for what has no events: `next` is called with each word, `end` with the last. */
export function expectWords(second = RULES.firstMessage.ms, mayBeGreeting = () => true) {
  time.isElsewhere = true;
  const began = now();
  let last = began;
  let isFirst = true;
  let isOver = false;
  let { lastDom } = work;
  let length = -1; // of the text, at the word before
  let end = hold('message', RULES.firstMessage.ms);
  const next = () => {
    end();
    const moment = now();
    const isShown = work.lastDom > lastDom || moment - began < RULES.firstMessage.ms || hasGrown() || isAwaited();
    const latest = began + (isShown ? RULES.messages.ms : RULES.firstMessage.ms + RULES.overtime.ms);
    const pace = min(isFirst ? second : RULES.firstMessage.ms, max(RULES.betweenMessages.ms, 2 * (moment - last)));
    const { changes } = work;
    // Who has only said that it is there has brought nothing to see.
    const isGreeting = () => (changes === work.changes && mayBeGreeting()) || isUnfinished();
    if (isFirst) native.setTimeout(() => last === moment && !isOver && isGreeting() && expectMore(), RULES.greeting.ms);
    if (isFirst) hasGrown();
    isFirst = false;
    last = moment;
    lastDom = work.lastDom;
    const left = min(pace, latest - moment);
    if (left > 0) end = hold('message', left);
  };
  // Answers that are written word by word add text and no elements; numbers that change stay as long.
  const hasGrown = () => {
    const before = length;
    const root = body(document);
    length = root ? textContent(root).length : 0;
    return length > before;
  };
  const expectMore = () => {
    const before = end;
    end = hold('message', RULES.firstMessage.ms);
    before();
  };
  const finish = () => {
    isOver = true;
    end();
  };
  return { next, end: finish };
}

const patience = { asked: false, at: -Infinity };

/** Whether the page says that it is loading: what comes meanwhile need not show anything. Not looked at with every word. */
function isAwaited() {
  if (now() - patience.at > RULES.betweenMessages.ms) {
    patience.at = now();
    patience.asked = asksForPatience();
  }
  return patience.asked;
}

/** Says only that the page is still there, as socket.io, SignalR and Phoenix do. */
const isKeepAlive = (data) => typeof data === 'string' && data.length < 80 && test(KEEP_ALIVE, data);
const KEEP_ALIVE = /^[23]$|^\W*(\w+\W+){0,3}(ping|pong|heartbeat|keep-?alive)\W*$|^\{"type":6\}/i;

function watchConnections() {
  /** @type {WeakMap<WebSocket, { sent: number, heard: boolean, changes: number, end: () => void }>} */
  const sockets = new KeptWeakMap();
  watchClass('WebSocket', (socket) => {
    const asked = { sent: 0, heard: false, changes: 0, end: () => {} };
    sockets.set(socket, asked);
    const heard = () => {
      if (!asked.heard) asked.changes = work.changes;
      asked.heard = true;
      asked.end();
    };
    // The first listener: what the page asks from its own belongs to the next answer.
    each(['message', 'close', 'error'], (type) => listen(socket, type, heard));
    expectMessages(socket, ['close', 'error']);
  });
  // What is sent before the first word is answered within its time. Who has shown nothing yet has as long for the first answer.
  watchMethod(window.WebSocket?.prototype, 'send', (_, socket, args) => {
    const asked = sockets.get(socket);
    if (!asked?.heard || isKeepAlive(args[0])) return;
    if (asked.sent >= RULES.socketQuestions.times && (asked.sent >= RULES.busyAnswers.times || !isAwaited())) return;
    asked.sent += 1;
    asked.end();
    work.readChanges();
    const hasShown = (asked.sent > 1 || work.changes > asked.changes) && !isUnfinished();
    asked.end = hold('message', hasShown ? RULES.socketReply.ms : RULES.firstMessage.ms);
  });
  watchClass('EventSource', (source) => {
    const { next } = expectMessages(source, ['error']);
    watchListeners(source, (type) => {
      // Named events do not arrive as "message".
      if (!test(/^(open|error|message)$/, type)) listen(source, type, next);
    });
  });
}

/**
 * What a worker was asked.
 * @typedef {{ inAll: number, unanswered: number, ends: (() => void)[] }} Questions
 */

function endAll(asked) {
  const { ends } = asked;
  asked.unanswered = 0;
  asked.ends = [];
  each(ends, (end) => end());
}

let hasChannel = false; // by which any worker may speak

function watchWorkers() {
  watchClass('BroadcastChannel', () => (hasChannel = true));
  /** @type {WeakMap<Worker | MessagePort, Questions>} */
  const questions = new KeptWeakMap();
  watchClass('Worker', (worker) => {
    leaveTrace();
    const asked = { inAll: 0, unanswered: 0, ends: [hold('message', RULES.workerReply.ms)] };
    questions.set(worker, asked);
    const answered = () => endAll(asked);
    // The first listener: what the page asks from its own belongs to the next answer.
    each(['message', 'error', 'messageerror'], (type) => listen(worker, type, answered));
    // The first took the worker's work.
    const { end } = expectMessages(worker, ['error', 'messageerror'], RULES.secondOfWorker.ms, () => asked.inAll === 0);
    whenNobodyListens(worker, () => asked.inAll === 0, () => {
      answered();
      end();
    });
  });
  watchClass('SharedWorker', (shared) => {
    leaveTrace();
    const { port } = shared;
    const asked = { inAll: 0, unanswered: 0, ends: [hold('message', RULES.workerReply.ms)] };
    questions.set(port, asked);
    const answered = () => endAll(asked);
    listen(port, 'message', answered);
    listen(shared, 'error', answered);
    const { end } = expectMessages(port, ['messageerror']);
    whenNobodyListens(port, () => asked.inAll === 0, () => {
      answered();
      end();
    });
  });
  const ask = (_, asker) => {
    const asked = questions.get(asker);
    if (!asked || asked.unanswered >= RULES.workerQuestions.times) return;
    asked.inAll += 1;
    asked.unanswered += 1;
    push(asked.ends, hold('message', asked.unanswered === 1 ? RULES.workerReply.ms : RULES.firstMessage.ms));
  };
  each([window.Worker, window.SharedWorker && MessagePort], (type) => watchMethod(type?.prototype, 'postMessage', ask));
}

/** Calls `run` when the page has neither begun to listen to a worker nor asked it for anything: nothing is to come of it. */
function whenNobodyListens(source, isUnasked, run) {
  let isHeard = false; // or may be by another way
  watchListeners(source, (type) => (isHeard ||= type === 'message'));
  native.setTimeout(() => !isHeard && !hasChannel && isUnasked() && !onmessageOf(source) && run(), RULES.listening.ms);
}

const readers = [getter(window.Worker?.prototype, 'onmessage'), getter(MessagePort.prototype, 'onmessage')];
const onmessageOf = (source) => some(readers, (read) => typeof quietly(() => read(source)) === 'function');

/** Shows the types of listeners that are added to one object. */
function watchListeners(target, note) {
  const add = target.addEventListener;
  quietly(() => {
    defineProperty(target, 'addEventListener', plain({
      value: proxied(add, {
        apply: (original, self, args) => {
          quietly(() => note(asText(args[0])));
          return apply(original, self, args);
        },
      }),
      configurable: true,
      writable: true,
    }));
  });
}
