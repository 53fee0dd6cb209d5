// Requests and responses of Node's http module, for frameworks that run on it.
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

/** Sends the answer. */
export function writeAnswer(response, { status, headers, body }) {
  const fields = Object.fromEntries(headers);
  if (body) fields['content-length'] = body.byteLength;
  response.writeHead(status, fields);
  response.end(body ?? undefined);
}

/** Does what `markResponse` does, to a response that has not begun: adds `Vary` at the moment its head is written. */
export function markNodeResponse(response, outcome) {
  if (outcome.isCrawler) response.setHeader('x-service-integration', appWord(outcome));
  const { writeHead } = response;
  response.writeHead = function writeMarkedHead(...head) {
    const given = head.at(-1);
    const fields = given && typeof given === 'object' && !Array.isArray(given) ? given : {};
    const named = (name) => Object.keys(fields).find((key) => key.toLowerCase() === name);
    const type = named('content-type');
    if (isHtmlType(String(type ? fields[type] : response.getHeader('content-type') ?? ''))) {
      const key = named('vary');
      if (key) fields[key] = varyByAgent(String(fields[key]));
      else response.setHeader('vary', varyByAgent(String(response.getHeader('vary') ?? '')));
    }
    return writeHead.apply(this, head);
  };
}
