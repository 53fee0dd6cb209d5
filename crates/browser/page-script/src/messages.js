// Answers of another thread or of the other side of a connection: sockets, event streams, workers, databases, caches. See docs/decisions/0006.

import { FRAME_MS, askFrame } from './animation_frames.js';
import { KeptSet, KeptWeakMap, apply, each, getter, keys, push, some, test, then } from './intrinsics/language.js';
import { preventDeactivation, listen, quietly, replaceMethod, watchClass, watchMethod } from './hooks.js';
import { heardBy } from './listeners.js';
import { native } from './native.js';
import { progress } from './repetition.js';
import { now } from './shared.js';
import { endWith, hold, holdNetwork, touch, work } from './work.js';

/**
 * A connection, event stream or worker, any of which may bring content at any time.
 * @typedef {object} Source
 * @property {number} last time of the last message
 * @property {() => boolean} isAsked whether somebody listens to it or has asked it for something
 * @property {() => boolean} isFruitful whether its last messages since it was asked have shown something
 * @property {() => void} heard notes a message
 * @property {() => void} asked notes a question of the page
 * @property {() => void} close ends it
 */

/** Begins to wait for the messages of a source. */
export function expectMessages(isAsked = () => true) {
  let before = Infinity; // progress when the last message came
  let isFruitful = false;
  /** @type {Source} */
  const source = {
    last: now(),
    isAsked,
    isFruitful: () => (isFruitful ||= progress() > before),
    heard: () => {
      source.isFruitful();
      source.last = now();
      before = progress();
      work.answers += 1;
      touch();
    },
    asked: () => {
      isFruitful = false;
      before = Infinity;
      touch();
    },
    close: () => work.sources.delete(source) && touch(),
  };
  work.sources.add(source);
  touch();
  return source;
}

// Methods whose promise another process or thread settles, by class.
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
  watchCallback(HTMLCanvasElement.prototype, 'toBlob', 0, keepDrawing);
  watchCallback(window.LockManager?.prototype, 'request', -1); // a lock may be kept for ever
  each(keys(ANSWERED_ELSEWHERE), (type) => {
    each(ANSWERED_ELSEWHERE[type], (name) => {
      watchMethod(window[type]?.prototype, name, (promise) => {
        endWith(promise, hold('answer', RULES.answer.ms));
        if (name !== 'convertToBlob') return;
        const end = keepDrawing();
        then(promise, end, end);
      });
    });
  });
}

/** Canvases are encoded between frames. Draws some until the returned function is called: without them it takes a second. */
function keepDrawing() {
  const until = native.now() + RULES.answer.ms;
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

/** Returns whether a message says only that the page is still there, as socket.io, SignalR and Phoenix do. */
const isKeepAlive = (data) => typeof data === 'string' && data.length < 80 && test(KEEP_ALIVE, data);
const KEEP_ALIVE = /^[23]$|^\W*(\w+\W+){0,3}(ping|pong|heartbeat|keep-?alive)\W*$|^\{"type":6\}/i;

const dataOf = getter(MessageEvent.prototype, 'data');
const streamState = getter(window.EventSource?.prototype, 'readyState');
const CLOSED = 2;

function watchConnections() {
  /** @type {WeakMap<WebSocket, Source>} */
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
    let isHeard = false;
    const hear = () => {
      isHeard = true;
      source.heard();
    };
    listen(stream, 'message', hear);
    // The browser connects again by itself after a connection that broke.
    listen(stream, 'error', () => (streamState(stream) === CLOSED || isHeard) && source.close());
    // Named events do not arrive as "message".
    heardBy.set(stream, (type) => test(/^(open|error|message)$/, type) || listen(stream, type, hear));
  });
}

const firstPort = getter(window.MessageChannel?.prototype, 'port1');
const secondPort = getter(window.MessageChannel?.prototype, 'port2');
const readers = [getter(window.Worker?.prototype, 'onmessage'), getter(MessagePort.prototype, 'onmessage')];
const hasHandler = (speaker) => some(readers, (read) => typeof quietly(() => read(speaker)) === 'function');

function watchWorkers() {
  let hasChannel = false; // by which any worker may speak
  /** @type {Set<Source>} */
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
  /** @type {WeakMap<Worker | MessagePort, Source>} */
  const speakers = new KeptWeakMap();
  const speaksBy = (speaker, source) => {
    speakers.set(speaker, source);
    // The first listener: what the page asks in its own listener is asked after the message.
    listen(speaker, 'message', source.heard);
  };
  const begin = (speaker) => {
    preventDeactivation();
    let isHeard = false;
    heardBy.set(speaker, (type) => (isHeard ||= type === 'message'));
    const source = expectMessages(() => isHeard || hasChannel || hasHandler(speaker));
    workers.add(source);
    speaksBy(speaker, source);
    return source;
  };
  watchClass('Worker', (worker) => listen(worker, 'error', begin(worker).close));
  watchClass('SharedWorker', (worker) => listen(worker, 'error', begin(worker.port).close));
  const ask = (_, speaker, args) => {
    const source = speakers.get(speaker);
    if (!source) return;
    source.isAsked = () => true;
    source.asked();
    each(args[1]?.transfer ?? args[1] ?? [], (part) => {
      const other = otherEnds.get(part);
      if (other && !speakers.has(other)) speaksBy(other, source);
    });
  };
  each([window.Worker, window.MessagePort], (type) => watchMethod(type?.prototype, 'postMessage', ask));
}
