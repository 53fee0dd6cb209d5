// Requests by fetch and XMLHttpRequest, until their bodies are read. Polls (`polling.js`) and beacons do not count.

import { listen, quietly, replaceGetter, replaceMethod, watchMethod } from './hooks.js';
import { baseURI } from './intrinsics/dom.js';
import { KeptWeakMap, KeptWeakSet, apply, asText, each, getter, join, method, never, push, slice, test, then, upper } from './intrinsics/language.js';
import { isOtherSite, parseUrl } from './native.js';
import { describeRequest, isPoll, noteAnswer } from './polling.js';
import { seal } from './sealing.js';
import { expectMessages } from './sources.js';
import { hold, holdPromise, work } from './work.js';
import { now, time } from './shared.js';

// A request to one of these says something to the operator of the page; rarely anything comes back that would be shown.
const BEACON = /(^|[/.])(beacon|collect|analytics|pixel|track|tracking|telemetry|sentry|metrics|rum|log|logs)([/?.#]|$)/i;
// A request to one of these is answered when there is news, and mostly there is none.
// One that a name or number follows (`/poll/7`) is a survey.
const LONG_POLL = /[/._-]((long-?poll|polling|comet|cometd|signalr|socket\.io|subscribe|heartbeat)([/._?-]|$)|poll([?#]|$))/i;
const BODY_LENGTH = 2000; // characters that tell bodies apart

const isResponseGood = getter(Response.prototype, 'ok');
const responseHeaders = getter(Response.prototype, 'headers');
const headerOf = method(Headers.prototype, 'get');
const ofRequest = { method: getter(Request.prototype, 'method'), url: getter(Request.prototype, 'url'), mode: getter(Request.prototype, 'mode'), keepalive: getter(Request.prototype, 'keepalive') };
const isRequest = (input) => quietly(() => ofRequest.url(input)) !== undefined;
const parameterText = method(URLSearchParams.prototype, 'toString');
const eachField = method(FormData.prototype, 'forEach');

const ignored = new KeptWeakSet(); // responses and bodies of polls and streams
const isStream = (response) => test(/event-stream/i, headerOf(responseHeaders(response), 'content-type') || '');
function limitOf(verb, url) {
  if (test(LONG_POLL, url)) return RULES.messages.ms;
  if (verb !== 'POST' || !test(BEACON, url)) return RULES.request.ms;
  return isOtherSite(url) ? RULES.beacon.ms : RULES.ownBeacon.ms;
}

export function watchRequests() {
  watchFetch();
  watchBodies();
  watchStreams();
  watchXhr();
}

/** The absolute form of an address, as the page would ask for it. */
const absolute = (url) => parseUrl(asText(url), baseURI(document))?.href || asText(url);

/** The body of a request as text by which equal ones are known; nothing where there is none to read. */
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
    if (seal.done) return never();
    const promise = call();
    quietly(() => noteFetch(promise, args[0], args[1]));
    return promise;
  });
}

/** Notes what is on its way without being waited for: no time is skipped meanwhile. The returned function ends it. */
function countAsked() {
  time.asked += 1;
  let ended = false;
  return () => {
    if (!ended) time.asked -= 1;
    ended = true;
  };
}

function countPromise(promise) {
  const end = countAsked();
  then(promise, end, end);
}

function noteFetch(promise, input, init) {
  const given = isRequest(input) ? input : null;
  const verb = upper(asText(init?.method || (given && ofRequest.method(given)) || 'GET'));
  const url = given ? ofRequest.url(given) : absolute(input);
  const request = describeRequest(verb, url, given ? undefined : bodyText(init?.body));
  // Those may outlive the page: what they send to others, or to what collects, is for nobody who looks at it.
  const isBackground = init?.keepalive || (given && ofRequest.keepalive(given));
  if ((isBackground && verb !== 'GET' && (isOtherSite(url) || test(BEACON, url))) || isPoll(request)) {
    countPromise(promise);
    then(promise, (response) => ignored.add(response), () => {});
    return;
  }
  work.lastRequest = now();
  // Of another origin, the page cannot read what comes back.
  const isOpaque = (init?.mode || (given && ofRequest.mode(given))) === 'no-cors' && parseUrl(url)?.origin !== location.origin;
  holdPromise('request', isBackground ? RULES.beacon.ms : limitOf(verb, url), promise, isOpaque);
  then(promise, (response) => noteAnswer(request, isResponseGood(response)), () => noteAnswer(request, false));
}

/** A body that nobody asks for is not waited for; one that is asked for counts from that moment until it is there. */
function watchBodies() {
  each(['json', 'text', 'arrayBuffer', 'blob', 'formData', 'bytes'], (name) => {
    watchMethod(Response.prototype, name, (promise, response) => {
      if (ignored.has(response)) countPromise(promise);
      else if (!isStream(response)) holdPromise('request', RULES.request.ms, promise);
    });
  });
  watchMethod(Response.prototype, 'clone', (copy, response) => {
    if (ignored.has(response)) ignored.add(copy);
  });
}

/** @type {WeakMap<ReadableStream | ReadableStreamDefaultReader, import('./sources.js').Source>} */
const words = new KeptWeakMap(); // stream or reader of events → what waits for them
const began = new KeptWeakMap(); // stream or reader → when reading it began, for the limit of the whole stream

/** What is left of the time of a stream. */
const timeLeft = (stream) => (began.get(stream) ?? now()) + RULES.stream.ms - now();

function watchStreams() {
  replaceGetter(Response.prototype, 'body', (read, response) => {
    const stream = read();
    quietly(() => {
      if (!stream) return;
      if (ignored.has(response)) ignored.add(stream);
      else if (isStream(response) && !words.has(stream)) words.set(stream, expectMessages());
    });
    return stream;
  });
  const inherit = (heir, stream) => {
    const expected = words.get(stream);
    if (ignored.has(stream)) ignored.add(heir);
    if (expected) words.set(heir, expected);
    began.set(heir, began.get(stream) ?? now());
  };
  watchMethod(ReadableStream.prototype, 'getReader', inherit);
  watchMethod(ReadableStream.prototype, 'pipeThrough', inherit);
  watchMethod(ReadableStream.prototype, 'pipeTo', (promise, stream) => {
    if (!ignored.has(stream)) holdPromise('request', RULES.stream.ms, promise);
  });
  const expectPiece = (promise, reader) => {
    const expected = words.get(reader);
    if (expected) return then(promise, ({ done }) => (done ? expected.close() : expected.heard()), expected.close);
    const left = timeLeft(reader);
    if (left > 0 && !ignored.has(reader)) holdPromise('stream', left, promise);
  };
  watchMethod(ReadableStreamDefaultReader.prototype, 'read', expectPiece);
  // `for await (const piece of response.body)` has a reader that no script sees.
  each(/** @type {(string | symbol)[]} */ (['values', Symbol.asyncIterator]), (name) => {
    watchMethod(ReadableStream.prototype, name, (iterator, stream) => {
      began.set(stream, began.get(stream) ?? now());
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
  /** @type {WeakMap<XMLHttpRequest, { verb: string, url: string, request?: ReturnType<typeof describeRequest> }>} */
  const opened = new KeptWeakMap();
  watchMethod(XMLHttpRequest.prototype, 'open', (_, xhr, args) => {
    // Noted before the page hears of it, so that what it arms then is known for its next try.
    const answered = () => {
      const request = stateOf(xhr) === 4 && opened.get(xhr)?.request;
      if (request) noteAnswer(request, statusOf(xhr) > 0 && statusOf(xhr) < 400);
    };
    if (!opened.has(xhr)) listen(xhr, 'readystatechange', answered);
    opened.set(xhr, { verb: upper(asText(args[0])), url: absolute(args[1]), request: undefined });
  });
  const begin = (xhr, body) => {
    const asked = opened.get(xhr) || { verb: 'GET', url: '', request: undefined };
    const request = describeRequest(asked.verb, asked.url, bodyText(body));
    if (isPoll(request)) {
      const end = countAsked();
      listen(xhr, 'loadend', end, { once: true });
      return end;
    }
    opened.set(xhr, { ...asked, request });
    work.lastRequest = now();
    const release = hold('request', limitOf(asked.verb, asked.url));
    listen(xhr, 'loadend', release, { once: true });
    return release;
  };
  replaceMethod(XMLHttpRequest.prototype, 'send', (call, xhr, args) => {
    if (seal.done) return undefined;
    const end = quietly(() => begin(xhr, args[0]));
    try {
      return call();
    } catch (error) {
      end?.();
      throw error;
    }
  });
}
