// Asks the render API for a page, within its time. Never follows a redirect, never sends cookies or credentials of a visitor.
import { namesMarkdown } from './decide.js';

/** Time for the whole answer, in milliseconds: link previews wait for about ten seconds. */
const TOTAL_MS = 10_000;
/** Time after which a service that has not answered is asked whether it is there, and time for that, in milliseconds. */
const PATIENCE_MS = 1_000;
const PRESENCE_MS = 900;
/** Largest page: above what the service makes. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const PASSED_ON = [
  'user-agent', 'accept-language', 'referer', 'upgrade-insecure-requests', 'x-bufferbot', 'x-service-probe',
  'sec-fetch-dest', 'sec-fetch-mode', 'sec-fetch-site', 'sec-fetch-user', 'sec-ch-ua',
];

/** A failure to get an answer, with the reason that is shown. */
export class Failure extends Error {
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

function headersFor(facts, apiKey, client) {
  const accept = facts.header('accept');
  // The service answers an integration in time with what there is.
  const headers = { 'x-service-api-key': apiKey, 'x-service-integration': '1', accept: namesMarkdown(accept) ? accept : 'text/html' };
  for (const name of PASSED_ON) {
    const value = facts.header(name);
    if (value != null) headers[name] = value;
  }
  if (client) headers['x-service-client-address'] = client;
  return headers;
}

/**
 * Returns the service's answer with its whole body. Rejects with a `Failure` when there is none in time.
 * A fetch does not tell a slow render from a service that is away, so a service that is silent for a second is asked for its
 * health at the same time: without an answer to that either, it is away. See docs/decisions/0441.
 */
export async function ask({ facts, address, apiKey, client, serviceUrl, fetch, fetchOptions }) {
  const controller = new AbortController();
  let cause = 'unreachable';
  const giveUp = (reason) => {
    cause = reason;
    controller.abort();
  };
  const total = setTimeout(giveUp, TOTAL_MS, 'timeout');
  let presence;
  const patience = setTimeout(() => {
    presence = setTimeout(giveUp, PRESENCE_MS, 'unreachable');
    fetch(`${serviceUrl}/healthz`, { ...fetchOptions, method: 'HEAD', redirect: 'manual', signal: controller.signal })
      .then(() => clearTimeout(presence), () => {});
  }, PATIENCE_MS);
  try {
    const response = await fetch(`${serviceUrl}/api/prerender/render?url=${encodeURIComponent(address)}`, {
      ...fetchOptions,
      method: facts.method,
      headers: headersFor(facts, apiKey, client),
      redirect: 'manual',
      signal: controller.signal,
    });
    clearTimeout(patience);
    clearTimeout(presence);
    cause = 'broken';
    const body = facts.method === 'HEAD' ? new Uint8Array(0) : await wholeBody(response);
    return { status: response.status, headers: response.headers, body };
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(cause);
  } finally {
    clearTimeout(total);
    clearTimeout(patience);
    clearTimeout(presence);
    // Ends the question for its health, and a body that was not read to its end.
    controller.abort();
  }
}

/** The body is read before anything is relayed: a page that is cut off can then still be the app's. */
async function wholeBody(response) {
  if (!response.body) return new Uint8Array(0);
  const reader = response.body.getReader();
  const pieces = [];
  let length = 0;
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    length += value.byteLength;
    if (length > MAX_BODY_BYTES) throw new Failure('broken');
    pieces.push(value);
  }
  if (pieces.length === 1) return pieces[0];
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
