// Turns an answer of the render API into the visitor's, or into a reason to let the app answer. Pure.
// No snapshot may be kept by a shared cache, which would show it to people.

const REDIRECTS = [301, 302, 303, 307, 308];
/** Statuses of a crawler policy, which refuses the crawler itself. */
const REFUSALS = [402, 403, 429];
/** Statuses without a body, which are no page. */
const BODILESS = [204, 205];
/** Headers of the connection to the service, of its encoding, its limits and its caching: none of the visitor's business. */
const NOT_RELAYED = new Set([
  'connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'content-encoding',
  'content-length', 'accept-ranges', 'age', 'alt-svc', 'date', 'expires', 'nel', 'pragma', 'report-to', 'server', 'set-cookie',
  'strict-transport-security', 'vary', 'via', 'surrogate-control', 'edge-control', 'x-accel-expires', 'x-request-id', 'ratelimit',
  'ratelimit-policy', 'retry-after', 'x-service-snapshot-key',
]);

const DOCUMENT_TYPES = ['text/html', 'application/xhtml+xml', 'text/markdown'];

function isPage(headers) {
  return DOCUMENT_TYPES.includes((headers.get('content-type') ?? '').split(';')[0].trim().toLowerCase());
}

function relayedHeaders(source, cacheControl) {
  const headers = new Headers();
  for (const [name, value] of source) {
    if (!NOT_RELAYED.has(name) && !name.endsWith('cache-control')) headers.set(name, value);
  }
  headers.set('cache-control', cacheControl);
  headers.set('cdn-cache-control', 'no-store');
  headers.set('vary', 'User-Agent, Accept, Accept-Encoding');
  headers.set('x-service-integration', 'snapshot');
  return headers;
}

/** Compares weakly. A malformed list names nothing. */
function namesTag(ifNoneMatch, etag) {
  if (!ifNoneMatch || !etag) return false;
  const opaque = (tag) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag));
}

/** Returns the absolute address of a redirect, which some platforms insist on; null without a usable one. */
function locationOf(headers, address) {
  try {
    const location = headers.get('location');
    return location && (/^https?:\/\//i.test(location) ? location : new URL(location, address).href);
  } catch {
    return null;
  }
}

/** Returns `{ answer }`, or `{ reason }` for which the app answers. */
export function relay(received, facts, address) {
  const { status, headers, body } = received;
  const isRendered = headers.has('x-service-render-cache');
  if (status === 304) return { reason: 'declined' };
  if (REDIRECTS.includes(status)) {
    const location = locationOf(headers, address);
    if (!location) return { reason: 'broken' };
    if (location === address) return { reason: 'loop' };
    const relayed = relayedHeaders(headers, 'no-store');
    relayed.set('location', location);
    relayed.delete('content-type');
    relayed.delete('etag');
    return { answer: { status, headers: relayed, body: null } };
  }
  if (headers.has('x-service-policy') && REFUSALS.includes(status)) {
    const relayed = relayedHeaders(headers, 'no-store');
    relayed.set('x-service-integration', 'refused');
    if (headers.has('retry-after')) relayed.set('retry-after', headers.get('retry-after'));
    return { answer: { status, headers: relayed, body: facts.method === 'HEAD' ? null : body } };
  }
  const isSuccess = status >= 200 && status < 300;
  const isOfPage = isSuccess || (isRendered && status >= 400 && status < 600);
  if (!isOfPage) return { reason: `status-${status}` };
  const isHead = facts.method === 'HEAD';
  if (!isPage(headers) || BODILESS.includes(status) || (body.byteLength === 0 && !isHead)) return { reason: 'broken' };
  const relayed = relayedHeaders(headers, 'no-cache');
  const isPartial = headers.has('x-service-render-partial');
  if (status === 200 && !isPartial && namesTag(facts.header('if-none-match'), headers.get('etag'))) {
    relayed.delete('content-type');
    relayed.delete('location');
    return { answer: { status: 304, headers: relayed, body: null } };
  }
  return { answer: { status, headers: relayed, body: isHead ? null : body } };
}
