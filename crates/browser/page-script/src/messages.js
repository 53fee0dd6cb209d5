// Answers of other threads, processes and servers: sockets, event streams, workers, databases, caches. See docs/decisions/0006.

import { SafeWeakMap, apply, each, getters, keys, map, test } from './intrinsics/language.js';
import { preventDeactivation, listen, replaceMethod, watchClass, watchMethod } from './hooks.js';
import { onListenerAdded } from './listeners.js';
import { eventOf } from './native.js';
import { progress } from './repetition.js';
import { now } from './shared.js';
import { endWith, hold, holdNetwork, recordActivity, work } from './work.js';

/** @typedef {{ last: number, isExpected: () => boolean, hasEffect: () => boolean, onMessage: () => void, onRequest: () => void, close: () => void }} Source */

/** Adds a source of messages: a connection, event stream or worker, which may bring content at any time. */
export function addSource(isExpected = () => true) {
  let before = Infinity; // progress at the last message
  let hasEffect = false;
  /** @type {Source} */
  const source = {
    last: now(), // time of the last message
    isExpected, // returns true when the page listens to the source or has sent a request
    hasEffect: () => (hasEffect ||= progress() > before), // the messages since the last request have shown something
    onMessage: () => {
      source.hasEffect();
      source.last = now();
      before = progress();
      work.answers += 1;
      recordActivity();
    },
    onRequest: () => {
      hasEffect = false;
      before = Infinity;
      recordActivity();
    },
    close: () => work.sources.delete(source) && recordActivity(),
  };
  work.sources.add(source);
  recordActivity();
  return source;
}

// Methods whose promise is settled by another process or thread, by class.
const ANSWERED_ELSEWHERE = {
  IDBFactory: ['databases'], CacheStorage: ['open', 'match', 'has', 'keys', 'delete'], Cache: ['match', 'matchAll', 'keys', 'add', 'addAll', 'put', 'delete'],
  CookieStore: ['get', 'getAll', 'set', 'delete'], StorageManager: ['estimate', 'persisted', 'persist', 'getDirectory'], Permissions: ['query'],
  NavigatorUAData: ['getHighEntropyValues'],
  SubtleCrypto: ['digest', 'encrypt', 'decrypt', 'sign', 'verify', 'importKey', 'exportKey', 'generateKey', 'deriveKey', 'deriveBits'],
  Blob: ['text', 'arrayBuffer'], ImageDecoder: ['decode'], WakeLock: ['request'], LockManager: ['query'],
  FileSystemDirectoryHandle: ['getFileHandle', 'getDirectoryHandle', 'removeEntry'], FileSystemFileHandle: ['getFile', 'createWritable'],
  FileSystemWritableFileStream: ['write', 'truncate'], WritableStream: ['close'], OffscreenCanvas: ['convertToBlob'], Bluetooth: ['getAvailability'],
  USB: ['getDevices'], HID: ['getDevices'], Serial: ['getPorts'], GPU: ['requestAdapter'], MediaCapabilities: ['decodingInfo', 'encodingInfo'],
  Navigator: ['getBattery', 'getInstalledRelatedApps'], PaymentRequest: ['canMakePayment'],
  RTCPeerConnection: ['createOffer', 'createAnswer', 'setLocalDescription', 'setRemoteDescription'], BaseAudioContext: ['decodeAudioData'],
  OfflineAudioContext: ['startRendering'],
};

export function watchMessages() {
  watchConnections();
  watchWorkers();
  each(['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming'], (name) => {
    watchMethod(window.WebAssembly, name, (promise) => endWith(promise, holdNetwork(false)));
  });
  const settles = (request, types) => {
    const end = hold('answer', RULES.answer.ms);
    each(types, (type) => listen(request, type, end, { once: true }));
  };
  watchMethod(window.IDBFactory?.prototype, 'open', (request) => settles(request, ['success', 'error', 'blocked']));
  watchMethod(window.IDBDatabase?.prototype, 'transaction', (request) => settles(request, ['complete', 'error', 'abort']));
  each(['readAsText', 'readAsDataURL', 'readAsArrayBuffer', 'readAsBinaryString'], (name) => {
    watchMethod(window.FileReader?.prototype, name, (_, reader) => settles(reader, ['loadend']));
  });
  watchMethod(window, 'createImageBitmap', (promise) => endWith(promise, hold('answer', RULES.answer.ms)));
  watchCallback(HTMLCanvasElement.prototype, 'toBlob', () => 0);
  watchCallback(window.LockManager?.prototype, 'request', (args) => args.length - 1); // a lock may be held forever
  each(keys(ANSWERED_ELSEWHERE), (type) => {
    each(ANSWERED_ELSEWHERE[type], (name) => {
      watchMethod(window[type]?.prototype, name, (promise) => endWith(promise, hold('answer', RULES.answer.ms)));
    });
  });
}

/** Waits until a callback is called. `position` returns its index among the arguments. */
function watchCallback(owner, name, position) {
  replaceMethod(owner, name, (call, self, args) => {
    const at = position(args);
    const callback = args[at];
    if (typeof callback !== 'function') return call();
    const end = hold('answer', RULES.answer.ms);
    const run = /** @this {unknown} */ function (...given) {
      try {
        return apply(callback, this, given);
      } finally {
        end();
      }
    };
    return call(map(args, (arg, index) => (index === at ? run : arg)));
  });
}

/** Returns true for a keep-alive message of socket.io, SignalR, Phoenix and others. */
const isKeepAlive = (data) => typeof data === 'string' && data.length < 80 && test(KEEP_ALIVE, data);
const KEEP_ALIVE = /^[23]$|^\W*(\w+\W+){0,3}(ping|pong|heartbeat|keep-?alive)\W*$|^\{"type":6\}/i;

const { readyState: streamState } = getters(window.EventSource?.prototype);
const CLOSED = 2;

function watchConnections() {
  /** @type {WeakMap<WebSocket, Source>} */
  const sockets = new SafeWeakMap();
  watchClass('WebSocket', (socket) => {
    const source = addSource();
    sockets.set(socket, source);
    // Added first, so that a request in the page's listener is recorded after the message.
    listen(socket, 'message', (event) => isKeepAlive(eventOf.data(event)) || source.onMessage());
    each(['close', 'error'], (type) => listen(socket, type, source.close));
  });
  watchMethod(window.WebSocket?.prototype, 'send', (_, socket, args) => isKeepAlive(args[0]) || sockets.get(socket)?.onRequest());
  watchClass('EventSource', (stream) => {
    const source = addSource();
    let hasMessage = false;
    const hear = () => {
      hasMessage = true;
      source.onMessage();
    };
    listen(stream, 'message', hear);
    // The browser reconnects by itself after a broken connection.
    listen(stream, 'error', () => (streamState(stream) === CLOSED || hasMessage) && source.close());
    // Named events do not arrive as "message".
    onListenerAdded.set(stream, (type) => test(/^(open|error|message)$/, type) || listen(stream, type, hear));
  });
}

const { onmessage: ofWorker } = getters(window.Worker?.prototype);
const { onmessage: ofPort } = getters(MessagePort.prototype);
const { port: portOf } = getters(window.SharedWorker?.prototype);

/** Follows workers, which may also post to a broadcast channel or to a port that they were given. */
function watchWorkers() {
  let hasChannel = false;
  /** @type {WeakMap<Worker | MessagePort, Source>} */
  const sources = new SafeWeakMap();
  const follow = (worker, port, handlerOf) => {
    preventDeactivation();
    let hasListener = false;
    onListenerAdded.set(port, (type) => (hasListener ||= type === 'message'));
    const source = addSource(() => hasListener || hasChannel || handlerOf(port) !== null);
    sources.set(port, source);
    // Added first, so that a request in the page's listener is recorded after the message.
    listen(port, 'message', source.onMessage);
    listen(worker, 'error', source.close);
  };
  watchClass('Worker', (worker) => follow(worker, worker, ofWorker));
  watchClass('SharedWorker', (worker) => follow(worker, portOf(worker), ofPort));
  watchClass('BroadcastChannel', () => (hasChannel = true));
  each([window.Worker, window.MessagePort], (type) =>
    watchMethod(type?.prototype, 'postMessage', (_, port, args) => {
      const source = sources.get(port);
      if (!source) return;
      hasChannel ||= (args[1]?.transfer ?? args[1])?.length > 0;
      source.isExpected = () => true;
      source.onRequest();
    }),
  );
}
