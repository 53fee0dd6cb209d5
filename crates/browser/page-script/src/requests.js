// Requests by fetch and XMLHttpRequest, until their bodies are read. Repeated requests are a repetition; beacons are not awaited.

import { baseURI } from './intrinsics/dom.js';
import { SafeMap, SafeSet, SafeWeakMap, apply, asText, each, exec, getters, methods, never, replaceAll, slice, test, then, upper } from './intrinsics/language.js';
import { listen, attempt, replaceGetter, replaceMethod, deactivation, watchMethod } from './hooks.js';
import { addSource } from './messages.js';
import { isOtherSite, parseUrl } from './native.js';
import { Repetition, renewAfterFailure, progress } from './repetition.js';
import { now } from './shared.js';
import { endWith, holdNetwork } from './work.js';

const BODY_LENGTH = 2000; // characters that distinguish bodies

const { ok: isResponseGood, headers: responseHeaders } = getters(Response.prototype);
const { get: headerOf } = methods(Headers.prototype);
const { method: methodOf, url: urlOf, mode: modeOf, keepalive: keepaliveOf } = getters(Request.prototype);
const isRequest = (input) => attempt(() => urlOf(input)) !== undefined;

const isStream = (response) => test(/event-stream/i, headerOf(responseHeaders(response), 'content-type') || '');

/** Function that starts waiting for a part of a response and returns the function that ends the wait. @typedef {() => (() => void)} Begin */

/** @type {WeakMap<object, Begin>} */
const begins = new SafeWeakMap(); // by response, body or reader
const notAwaited = () => () => {};
const inOwnTime = () => holdNetwork(false, 'answer');
const beginOf = (part) => begins.get(part) ?? inOwnTime;
/** Applies the wait of a response or body to an object derived from it. */
const inherit = (heir, from) => begins.set(heir, beginOf(from));

// ---- repeated requests ----

const TIMESTAMP = /(?<!\d)(1\d{9}|1\d{12}|20\d{12})(?!\d)|\.\d{8,}/g; // polls add the time or a random number to their address

/** @type {Map<string, Repetition>} */
const repetitions = new SafeMap(); // by request with its body
const failed = new SafeSet(); // requests whose last response was a failure: the next one is a retry
/** @type {Map<string, { began: number, progress: number }>} */
const paths = new SafeMap(); // by path: time since which it is requested without progress

/** Describes a request by its path, by method, address and body (unknown for streams), and by its site. */
const describe = (verb, url, body) => ({ isForeign: isOtherSite(url), path: asText(exec(/^[^?#]*/, url)), whole: `${verb} ${replaceAll(url, TIMESTAMP, '')} ${body}`, isKnown: body !== undefined });

/** Decides how a request is awaited: the first of its kind to its end, a repeated one in the page's own time. */
function decideWait({ isForeign, path, whole, isKnown }) {
  const pathState = paths.get(path) ?? { began: 0, progress: -1 };
  if (pathState.progress !== progress()) paths.set(path, { began: now(), progress: progress() });
  const isEndless = now() - (paths.get(path)?.began ?? 0) > RULES.ownSite.ms;
  const repetition = repetitions.get(whole);
  if (isKnown && !repetition) repetitions.set(whole, new Repetition());
  if ((!repetition || failed.has(whole)) && !isEndless) return () => holdNetwork(isForeign);
  return !repetition || repetition.isAwaitedIn(0) ? () => holdNetwork(isForeign, 'answer') : notAwaited;
}

function recordResponse({ whole }, isGood) {
  if (isGood) return failed.delete(whole);
  renewAfterFailure();
  return failed.add(whole);
}

export function watchRequests() {
  watchFetch();
  watchBodies();
  watchStreams();
  watchXhr();
}

/** Returns the absolute form of an address. */
const absolute = (url) => parseUrl(asText(url), baseURI(document))?.href || asText(url);

/** Returns the text of a request's body for comparison; undefined for a body that is no text. */
const bodyText = (body) => (typeof (body ?? '') === 'string' ? slice(body ?? '', 0, BODY_LENGTH) : undefined);

function watchFetch() {
  replaceMethod(window, 'fetch', (call, self, args) => {
    if (deactivation.isDone) return never();
    const promise = call();
    attempt(() => followFetch(promise, args[0], args[1]));
    return promise;
  });
}

function followFetch(promise, input, init) {
  const given = isRequest(input) ? input : null;
  const verb = upper(asText(init?.method || (given && methodOf(given)) || 'GET'));
  const url = given ? urlOf(given) : absolute(input);
  const request = describe(verb, url, given ? undefined : bodyText(init?.body));
  const isUnread = (init?.mode || (given && modeOf(given))) === 'no-cors' || init?.keepalive || (given && keepaliveOf(given));
  const isBeacon = request.isForeign && verb !== 'GET' && isUnread;
  const begin = isBeacon ? notAwaited : decideWait(request);
  endWith(promise, begin());
  const answered = (response) => {
    begins.set(response, begin);
    recordResponse(request, isResponseGood(response));
  };
  then(promise, answered, () => recordResponse(request, false));
}

/** Waits for bodies from the time at which the page reads them. Unread bodies are not awaited. */
function watchBodies() {
  each(['json', 'text', 'arrayBuffer', 'blob', 'formData', 'bytes'], (name) => {
    watchMethod(Response.prototype, name, (promise, response) => isStream(response) || endWith(promise, beginOf(response)()));
  });
  watchMethod(Response.prototype, 'clone', inherit);
}

function watchStreams() {
  /** @type {WeakMap<object, import('./messages.js').Source>} */
  const sources = new SafeWeakMap(); // by stream or reader of events
  replaceGetter(Response.prototype, 'body', (read, response) => {
    const stream = read();
    attempt(() => {
      if (!stream) return;
      // A body in pieces may be endless.
      begins.set(stream, begins.get(response) === notAwaited ? notAwaited : inOwnTime);
      if (isStream(response) && !sources.has(stream)) sources.set(stream, addSource());
    });
    return stream;
  });
  const derive = (heir, stream) => {
    inherit(heir, stream);
    const source = sources.get(stream);
    if (source) sources.set(heir, source);
  };
  watchMethod(ReadableStream.prototype, 'getReader', derive);
  watchMethod(ReadableStream.prototype, 'pipeThrough', derive);
  watchMethod(ReadableStream.prototype, 'pipeTo', (promise, stream) => endWith(promise, beginOf(stream)()));
  const awaitPiece = (promise, reader) => {
    const source = sources.get(reader);
    if (source) return then(promise, ({ done }) => (done ? source.close() : source.onMessage()), source.close);
    return endWith(promise, beginOf(reader)());
  };
  watchMethod(ReadableStreamDefaultReader.prototype, 'read', awaitPiece);
  // `for await (const piece of response.body)` uses a reader that scripts do not see.
  each(/** @type {(string | symbol)[]} */ (['values', Symbol.asyncIterator]), (name) => {
    watchMethod(ReadableStream.prototype, name, (iterator, stream) => {
      const { next } = iterator;
      iterator.next = (...args) => {
        const promise = apply(next, iterator, args);
        attempt(() => awaitPiece(promise, stream));
        return promise;
      };
    });
  });
}

const { readyState: stateOf, status: statusOf } = getters(XMLHttpRequest.prototype);

function watchXhr() {
  /** @type {WeakMap<XMLHttpRequest, { verb: string, url: string, request?: ReturnType<typeof describe> }>} */
  const opened = new SafeWeakMap();
  watchMethod(XMLHttpRequest.prototype, 'open', (_, xhr, args) => {
    // Recorded before the page's listeners, so that their next request is known to be a retry.
    const answered = () => {
      const request = stateOf(xhr) === 4 && opened.get(xhr)?.request;
      if (request) recordResponse(request, statusOf(xhr) > 0 && statusOf(xhr) < 400);
    };
    if (!opened.has(xhr)) listen(xhr, 'readystatechange', answered);
    opened.set(xhr, { verb: upper(asText(args[0])), url: absolute(args[1]) });
  });
  const follow = (xhr, body) => {
    const { verb, url } = opened.get(xhr) || { verb: 'GET', url: '' };
    const request = describe(verb, url, bodyText(body));
    opened.set(xhr, { verb, url, request });
    const begin = decideWait(request);
    let end = begin();
    const over = () => end();
    // Each byte renews the wait.
    listen(xhr, 'progress', () => {
      const next = begin();
      end();
      end = next;
    });
    listen(xhr, 'loadend', over, { once: true });
    return over;
  };
  replaceMethod(XMLHttpRequest.prototype, 'send', (call, xhr, args) => {
    if (deactivation.isDone) return undefined;
    const end = attempt(() => follow(xhr, args[0]));
    try {
      return call();
    } catch (error) {
      end?.();
      throw error;
    }
  });
}
