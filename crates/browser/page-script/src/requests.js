// Requests by fetch and XMLHttpRequest, until their bodies are read. What is asked again is a repetition, beacons are not waited for.

import { baseURI } from './intrinsics/dom.js';
import {
  KeptMap, KeptSet, KeptWeakMap, apply, asText, each, exec, getter, join, method, never, push, replaceAll, slice, test, then, upper,
} from './intrinsics/language.js';
import { listen, quietly, replaceGetter, replaceMethod, deactivation, watchMethod } from './hooks.js';
import { expectMessages } from './messages.js';
import { isOtherSite, parseUrl } from './native.js';
import { Repetition, expectRetry, progress } from './repetition.js';
import { now } from './shared.js';
import { endWith, holdNetwork } from './work.js';

const BODY_LENGTH = 2000; // characters that tell bodies apart

const isResponseGood = getter(Response.prototype, 'ok');
const responseHeaders = getter(Response.prototype, 'headers');
const headerOf = method(Headers.prototype, 'get');
const ofRequest = { method: getter(Request.prototype, 'method'), url: getter(Request.prototype, 'url'), mode: getter(Request.prototype, 'mode'), keepalive: getter(Request.prototype, 'keepalive') };
const isRequest = (input) => quietly(() => ofRequest.url(input)) !== undefined;
const parameterText = method(URLSearchParams.prototype, 'toString');
const eachField = method(FormData.prototype, 'forEach');

const isStream = (response) => test(/event-stream/i, headerOf(responseHeaders(response), 'content-type') || '');

/**
 * Begins to wait for a part of an answer, and returns the function that ends that.
 * @typedef {() => (() => void)} Begin
 */

/** @type {WeakMap<object, Begin>} */
const waits = new KeptWeakMap(); // by response, body or reader
const notAtAll = () => () => {};
const inOwnTime = () => holdNetwork(false, 'answer');

// ---- requests that are made again ----

const TIMESTAMP = /(?<!\d)(1\d{9}|1\d{12}|20\d{12})(?!\d)|\.\d{8,}/g; // polls make themselves new by the time, or by a random number

/** @type {Map<string, Repetition>} */
const asked = new KeptMap(); // by request with its body
const failed = new KeptSet(); // requests whose last answer was a failure: another one is a second try
/** @type {Map<string, { began: number, progress: number }>} */
const paths = new KeptMap(); // since when a path is asked for without progress

/** Describes a request by its path; by method, address and body, which is unknown for streams; and by its site. */
const describe = (verb, url, body) => ({ isForeign: isOtherSite(url), path: asText(exec(/^[^?#]*/, url)), whole: `${verb} ${replaceAll(url, TIMESTAMP, '')} ${body}`, isKnown: body !== undefined });

/** Decides how a request is waited for. The first of its kind is waited for to its end, another one in the page's own time. */
function waitFor({ isForeign, path, whole, isKnown }) {
  const known = paths.get(path) ?? { began: 0, progress: -1 };
  if (known.progress !== progress()) paths.set(path, { began: now(), progress: progress() });
  const isEndless = now() - (paths.get(path)?.began ?? 0) > RULES.ownSite.ms;
  const repetition = asked.get(whole);
  if (isKnown && !repetition) asked.set(whole, new Repetition());
  if ((!repetition || failed.has(whole)) && !isEndless) return () => holdNetwork(isForeign);
  return !repetition || repetition.goesOn(0) ? () => holdNetwork(isForeign, 'answer') : notAtAll;
}

function noteAnswer({ whole }, isGood) {
  if (isGood) return failed.delete(whole);
  expectRetry();
  return failed.add(whole);
}

export function watchRequests() {
  watchFetch();
  watchBodies();
  watchStreams();
  watchXhr();
}

/** Returns the absolute form of an address, as the page would ask for it. */
const absolute = (url) => parseUrl(asText(url), baseURI(document))?.href || asText(url);

/** Returns the body of a request as text by which equal ones are known; undefined for a body that cannot be read. */
function bodyText(body) {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return slice(body, 0, BODY_LENGTH);
  const parameters = quietly(() => parameterText(body));
  if (parameters !== undefined) return slice(parameters, 0, BODY_LENGTH);
  /** @type {string[]} */
  const fields = [];
  const isForm = quietly(() => {
    eachField(body, (value, name) => push(fields, `${name}=${typeof value === 'string' ? value : 'file'}`));
    return true;
  });
  return isForm ? slice(join(fields, '&'), 0, BODY_LENGTH) : undefined;
}

function watchFetch() {
  replaceMethod(window, 'fetch', (call, self, args) => {
    if (deactivation.isDone) return never();
    const promise = call();
    quietly(() => noteFetch(promise, args[0], args[1]));
    return promise;
  });
}

function noteFetch(promise, input, init) {
  const given = isRequest(input) ? input : null;
  const verb = upper(asText(init?.method || (given && ofRequest.method(given)) || 'GET'));
  const url = given ? ofRequest.url(given) : absolute(input);
  const request = describe(verb, url, given ? undefined : bodyText(init?.body));
  // Of another origin, the page cannot read what comes back.
  const isOpaque = (init?.mode || (given && ofRequest.mode(given))) === 'no-cors' && parseUrl(url)?.origin !== location.origin;
  const mayOutlive = init?.keepalive || (given && ofRequest.keepalive(given));
  const isBeacon = request.isForeign && verb !== 'GET' && (mayOutlive || isOpaque);
  const begin = isBeacon ? notAtAll : waitFor({ ...request, isForeign: request.isForeign || isOpaque });
  endWith(promise, begin());
  then(promise, (response) => waits.set(response, begin), () => {});
  then(promise, (response) => noteAnswer(request, isResponseGood(response)), () => noteAnswer(request, false));
}

/** Waits for the bodies that the page reads, from then on. A body that nobody reads is not waited for. */
function watchBodies() {
  each(['json', 'text', 'arrayBuffer', 'blob', 'formData', 'bytes'], (name) => {
    watchMethod(Response.prototype, name, (promise, response) => isStream(response) || endWith(promise, (waits.get(response) ?? inOwnTime)()));
  });
  watchMethod(Response.prototype, 'clone', inherit);
}

/** Waits for what is made from a response or body in the same way. */
function inherit(heir, from) {
  const begin = waits.get(from);
  if (begin) waits.set(heir, begin);
}

function watchStreams() {
  /** @type {WeakMap<object, import('./messages.js').Source>} */
  const sources = new KeptWeakMap(); // stream or reader of events
  replaceGetter(Response.prototype, 'body', (read, response) => {
    const stream = read();
    quietly(() => {
      if (!stream) return;
      // A body in pieces may go on for ever.
      waits.set(stream, waits.get(response) === notAtAll ? notAtAll : inOwnTime);
      if (isStream(response) && !sources.has(stream)) sources.set(stream, expectMessages());
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
  watchMethod(ReadableStream.prototype, 'pipeTo', (promise, stream) => endWith(promise, (waits.get(stream) ?? inOwnTime)()));
  const expectPiece = (promise, reader) => {
    const source = sources.get(reader);
    if (source) return then(promise, ({ done }) => (done ? source.close() : source.heard()), source.close);
    return endWith(promise, (waits.get(reader) ?? inOwnTime)());
  };
  watchMethod(ReadableStreamDefaultReader.prototype, 'read', expectPiece);
  // `for await (const piece of response.body)` has a reader that no script sees.
  each(/** @type {(string | symbol)[]} */ (['values', Symbol.asyncIterator]), (name) => {
    watchMethod(ReadableStream.prototype, name, (iterator, stream) => {
      const { next } = iterator;
      iterator.next = (...args) => {
        const promise = apply(next, iterator, args);
        quietly(() => expectPiece(promise, stream));
        return promise;
      };
    });
  });
}

const stateOf = getter(XMLHttpRequest.prototype, 'readyState');
const statusOf = getter(XMLHttpRequest.prototype, 'status');

function watchXhr() {
  /** @type {WeakMap<XMLHttpRequest, { verb: string, url: string, request?: ReturnType<typeof describe> }>} */
  const opened = new KeptWeakMap();
  watchMethod(XMLHttpRequest.prototype, 'open', (_, xhr, args) => {
    // Noted before the page hears of it, so that its next try is known for one.
    const answered = () => {
      const request = stateOf(xhr) === 4 && opened.get(xhr)?.request;
      if (request) noteAnswer(request, statusOf(xhr) > 0 && statusOf(xhr) < 400);
    };
    if (!opened.has(xhr)) listen(xhr, 'readystatechange', answered);
    opened.set(xhr, { verb: upper(asText(args[0])), url: absolute(args[1]), request: undefined });
  });
  const send = (xhr, body) => {
    const { verb, url } = opened.get(xhr) || { verb: 'GET', url: '' };
    const request = describe(verb, url, bodyText(body));
    opened.set(xhr, { verb, url, request });
    const begin = waitFor(request);
    let end = begin();
    const over = () => end();
    // Each byte gives the rest of the answer its time again.
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
    const end = quietly(() => send(xhr, args[0]));
    try {
      return call();
    } catch (error) {
      end?.();
      throw error;
    }
  });
}
