// Requests and responses of Node's http module, for frameworks that run on it. Must never throw into the app.
import { appWord, isHtmlType, varyByAgent } from './mark.js';

/** Facts of a request. Bytes beyond ASCII, which Node reads as Latin-1, are percent-encoded as they were received. */
export function factsOfNode(request, client = null, target = request.url) {
  return {
    method: request.method,
    target: target.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`),
    // HTTP/2 has it under another name.
    host: request.headers[':authority'] ?? request.headers.host ?? '',
    client,
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  };
}

/** Sends the answer. Returns false when it cannot be sent, and nothing of it was: then the app answers. */
export function writeAnswer(response, { status, headers, body }) {
  try {
    const fields = Object.fromEntries(headers);
    if (body) fields['content-length'] = body.byteLength;
    response.writeHead(status, fields);
    response.end(body ?? undefined);
    return true;
  } catch {
    // Some may have been set before the one that cannot be.
    if (!response.headersSent) for (const [name] of headers) response.removeHeader(name);
    return response.headersSent;
  }
}

/** Does what `markResponse` does, to a response that has not begun: adds `Vary` at the moment its head is written. Never throws. */
export function markNodeResponse(response, outcome) {
  try {
    if (outcome.isCrawler) response.setHeader('x-service-integration', appWord(outcome));
  } catch {
    // Without a mark.
  }
  const { writeHead } = response;
  response.writeHead = function writeMarkedHead(...head) {
    return writeHead.apply(this, withVary(response, head));
  };
}

/** Returns the arguments of `writeHead` with `Vary` in them or on the response. What the app gave is its own and stays as it is. */
function withVary(response, head) {
  try {
    const fields = fieldsOf(head.at(-1));
    const named = (name) => fields.filter(([key]) => String(key).toLowerCase() === name).map(([, value]) => value);
    const valueOf = (name) => (named(name).length > 0 ? named(name).flat().join(', ') : String(response.getHeader(name) ?? ''));
    if (!isHtmlType(valueOf('content-type'))) return head;
    const vary = varyByAgent(valueOf('vary'));
    const isArray = Array.isArray(head.at(-1));
    if (!isArray && named('vary').length === 0) {
      response.setHeader('vary', vary);
      return head;
    }
    const all = [...fields.filter(([key]) => String(key).toLowerCase() !== 'vary'), ['vary', vary]];
    return [...head.slice(0, -1), isArray ? all.flat() : Object.fromEntries(all)];
  } catch {
    return head;
  }
}

/** Names and values of headers as `writeHead` takes them: an object, a flat array, or an array of pairs. */
function fieldsOf(given) {
  if (!given || typeof given !== 'object') return [];
  if (!Array.isArray(given)) return Object.entries(given);
  if (Array.isArray(given[0])) return given;
  return given.flatMap((key, at) => (at % 2 === 0 ? [[key, given[at + 1]]] : []));
}
