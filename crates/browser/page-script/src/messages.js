// Answers of another thread or of the other side of a connection: sockets, event streams, workers, databases, caches.

import { FRAME_MS, askFrame } from './frames.js';
import { listen, quietly, replaceMethod, watchClass, watchMethod } from './hooks.js';
import { KeptSet, KeptWeakMap, apply, asText, defineProperty, each, getter, keys, plain, proxied, push, some, test, then } from './intrinsics/language.js';
import { native } from './native.js';
import { leaveTrace } from './sealing.js';
import { expectMessages } from './sources.js';
import { hold, holdPromise } from './work.js';

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

/** Says only that the page is still there, as socket.io, SignalR and Phoenix do. */
const isKeepAlive = (data) => typeof data === 'string' && data.length < 80 && test(KEEP_ALIVE, data);
const KEEP_ALIVE = /^[23]$|^\W*(\w+\W+){0,3}(ping|pong|heartbeat|keep-?alive)\W*$|^\{"type":6\}/i;

const dataOf = getter(MessageEvent.prototype, 'data');
const streamState = getter(window.EventSource?.prototype, 'readyState');
const CLOSED = 2;

function watchConnections() {
  /** @type {WeakMap<WebSocket, import('./sources.js').Source>} */
  const sockets = new KeptWeakMap();
  watchClass('WebSocket', (socket) => {
    const source = expectMessages();
    sockets.set(socket, source);
    // The first listener: what the page asks in its own listener is asked after the message.
    listen(socket, 'message', (event) => isKeepAlive(dataOf(event)) || source.heard());
    each(['close', 'error'], (type) => listen(socket, type, source.close));
  });
  watchMethod(window.WebSocket?.prototype, 'send', (_, socket, args) => isKeepAlive(args[0]) || sockets.get(socket)?.asked());
  watchClass('EventSource', (stream) => {
    const source = expectMessages();
    listen(stream, 'message', source.heard);
    // The browser connects again by itself after a connection that broke.
    listen(stream, 'error', () => (streamState(stream) === CLOSED || source.isHeard) && source.close());
    watchListeners(stream, (type) => {
      // Named events do not arrive as "message".
      if (!test(/^(open|error|message)$/, type)) listen(stream, type, source.heard);
    });
  });
}

let hasChannel = false; // by which any worker may speak

const firstPort = getter(window.MessageChannel?.prototype, 'port1');
const secondPort = getter(window.MessageChannel?.prototype, 'port2');

function watchWorkers() {
  /** @type {Set<import('./sources.js').Source>} */
  const workers = new KeptSet();
  watchClass('BroadcastChannel', (channel) => {
    hasChannel = true;
    listen(channel, 'message', () => workers.forEach((source) => source.heard()));
  });
  /** @type {WeakMap<MessagePort, MessagePort>} */
  const otherEnds = new KeptWeakMap();
  watchClass('MessageChannel', (channel) => {
    otherEnds.set(firstPort(channel), secondPort(channel));
    otherEnds.set(secondPort(channel), firstPort(channel));
  });
  /** @type {WeakMap<Worker | MessagePort, import('./sources.js').Source>} */
  const speakers = new KeptWeakMap();
  const speaksBy = (speaker, source) => {
    speakers.set(speaker, source);
    // The first listener: what the page asks in its own listener is asked after the message.
    listen(speaker, 'message', source.heard);
  };
  const begin = (speaker) => {
    leaveTrace();
    const source = expectMessages();
    workers.add(source);
    speaksBy(speaker, source);
    giveUpUnheard(speaker, source);
    return source;
  };
  watchClass('Worker', (worker) => listen(worker, 'error', begin(worker).close));
  watchClass('SharedWorker', (shared) => listen(shared, 'error', begin(shared.port).close));
  const ask = (_, speaker, args) => {
    const source = speakers.get(speaker);
    if (!source) return;
    source.asked();
    const given = args[1]?.transfer ?? args[1] ?? [];
    each(given, (part) => {
      const other = otherEnds.get(part);
      if (other && !speakers.has(other)) speaksBy(other, source);
    });
  };
  each([window.Worker, window.MessagePort], (type) => watchMethod(type?.prototype, 'postMessage', ask));
}

/** Stops waiting for a worker that the page has neither begun to listen to nor asked for anything. */
function giveUpUnheard(speaker, source) {
  let isHeard = false; // or may be by another way
  watchListeners(speaker, (type) => (isHeard ||= type === 'message'));
  native.setTimeout(() => !isHeard && !hasChannel && source.questions === 0 && !onmessageOf(speaker) && source.leave(), RULES.listening.ms);
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
