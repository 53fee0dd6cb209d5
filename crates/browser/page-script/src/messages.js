// Answers of other threads, processes and servers: sockets, event streams, workers, databases, caches. See docs/decisions/0006.

import { FRAME_MS, requestFrame } from './animation_frames.js';
import { SafeSet, SafeWeakMap, apply, each, getter, keys, push, some, test, then } from './intrinsics/language.js';
import { preventDeactivation, listen, attempt, replaceMethod, watchClass, watchMethod } from './hooks.js';
import { onListenerAdded } from './listeners.js';
import { native } from './native.js';
import { progress } from './repetition.js';
import { now } from './shared.js';
import { endWith, hold, holdNetwork, recordActivity, work } from './work.js';

/**
 * Connection, event stream or worker, which may bring content at any time.
 * @typedef {object} Source
 * @property {number} last time of the last message
 * @property {() => boolean} isExpected whether the page listens to it or has sent a request
 * @property {() => boolean} hasEffect whether the messages since the last request have shown something
 * @property {() => void} onMessage records a message
 * @property {() => void} onRequest records a request of the page
 * @property {() => void} close ends the source
 */

/** Adds a source of messages. */
export function addSource(isExpected = () => true) {
  let before = Infinity; // progress at the last message
  let hasEffect = false;
  /** @type {Source} */
  const source = {
    last: now(),
    isExpected,
    hasEffect: () => (hasEffect ||= progress() > before),
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
    watchMethod(window.FileReader?.prototype, name, (_, reader) => listen(reader, 'loadend', hold('answer', RULES.answer.ms), { once: true }));
  });
  watchMethod(window, 'createImageBitmap', (promise) => endWith(promise, hold('answer', RULES.answer.ms)));
  watchCallback(HTMLCanvasElement.prototype, 'toBlob', 0, drawContinuously);
  watchCallback(window.LockManager?.prototype, 'request', -1); // a lock may be held forever
  each(keys(ANSWERED_ELSEWHERE), (type) => {
    each(ANSWERED_ELSEWHERE[type], (name) => {
      watchMethod(window[type]?.prototype, name, (promise) => {
        endWith(promise, hold('answer', RULES.answer.ms));
        if (name !== 'convertToBlob') return;
        const end = drawContinuously();
        then(promise, end, end);
      });
    });
  });
}

/** Requests frames until the returned function is called: canvases are encoded between frames, which otherwise takes a second. */
function drawContinuously() {
  const until = native.now() + RULES.answer.ms;
  let isOver = false;
  const draw = () => {
    if (isOver || native.now() > until) return;
    requestFrame();
    native.setTimeout(draw, FRAME_MS);
  };
  draw();
  return () => {
    isOver = true;
  };
}

/** Waits until a callback is called. `position`: index among the arguments, negative from their end. `meanwhile` starts and returns its end. */
function watchCallback(owner, name, position, meanwhile = () => () => {}) {
  replaceMethod(owner, name, (call, self, args) => {
    const at = position < 0 ? args.length + position : position;
    const callback = args[at];
    if (typeof callback !== 'function') return call();
    const end = hold('answer', RULES.answer.ms);
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

/** Returns true for a keep-alive message of socket.io, SignalR, Phoenix and others. */
const isKeepAlive = (data) => typeof data === 'string' && data.length < 80 && test(KEEP_ALIVE, data);
const KEEP_ALIVE = /^[23]$|^\W*(\w+\W+){0,3}(ping|pong|heartbeat|keep-?alive)\W*$|^\{"type":6\}/i;

const dataOf = getter(MessageEvent.prototype, 'data');
const streamState = getter(window.EventSource?.prototype, 'readyState');
const CLOSED = 2;

function watchConnections() {
  /** @type {WeakMap<WebSocket, Source>} */
  const sockets = new SafeWeakMap();
  watchClass('WebSocket', (socket) => {
    const source = addSource();
    sockets.set(socket, source);
    // Added first, so that a request in the page's listener is recorded after the message.
    listen(socket, 'message', (event) => isKeepAlive(dataOf(event)) || source.onMessage());
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

const firstPort = getter(window.MessageChannel?.prototype, 'port1');
const secondPort = getter(window.MessageChannel?.prototype, 'port2');
const readers = [getter(window.Worker?.prototype, 'onmessage'), getter(MessagePort.prototype, 'onmessage')];
const hasHandler = (port) => some(readers, (read) => typeof attempt(() => read(port)) === 'function');

function watchWorkers() {
  let hasChannel = false; // any worker may post to a channel
  /** @type {Set<Source>} */
  const workers = new SafeSet();
  watchClass('BroadcastChannel', (channel) => {
    hasChannel = true;
    listen(channel, 'message', () => workers.forEach((source) => source.onMessage()));
  });
  /** @type {WeakMap<MessagePort, MessagePort>} */
  const otherEnds = new SafeWeakMap();
  watchClass('MessageChannel', (channel) => {
    otherEnds.set(firstPort(channel), secondPort(channel));
    otherEnds.set(secondPort(channel), firstPort(channel));
  });
  /** @type {WeakMap<Worker | MessagePort, Source>} */
  const sourcesByPort = new SafeWeakMap();
  const addPort = (port, source) => {
    sourcesByPort.set(port, source);
    // Added first, so that a request in the page's listener is recorded after the message.
    listen(port, 'message', source.onMessage);
  };
  const begin = (port) => {
    preventDeactivation();
    let hasListener = false;
    onListenerAdded.set(port, (type) => (hasListener ||= type === 'message'));
    const source = addSource(() => hasListener || hasChannel || hasHandler(port));
    workers.add(source);
    addPort(port, source);
    return source;
  };
  watchClass('Worker', (worker) => listen(worker, 'error', begin(worker).close));
  watchClass('SharedWorker', (worker) => listen(worker, 'error', begin(worker.port).close));
  const recordRequest = (_, port, args) => {
    const source = sourcesByPort.get(port);
    if (!source) return;
    source.isExpected = () => true;
    source.onRequest();
    each(args[1]?.transfer ?? args[1] ?? [], (part) => {
      const other = otherEnds.get(part);
      if (other && !sourcesByPort.has(other)) addPort(other, source);
    });
  };
  each([window.Worker, window.MessagePort], (type) => watchMethod(type?.prototype, 'postMessage', recordRequest));
}
