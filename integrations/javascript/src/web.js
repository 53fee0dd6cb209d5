// Web-standard requests and responses, for platforms that run on them.
import { appWord, isHtmlType, varyByAgent } from './mark.js';

/** Facts of a web-standard request. */
export function factsOfRequest(request, client = null) {
  const { url } = request;
  const authority = url.indexOf('://') + 3;
  const slash = url.indexOf('/', authority);
  const target = (slash < 0 ? '/' : url.slice(slash)).split('#')[0];
  const host = request.headers.get('host') ?? url.slice(authority, slash < 0 ? undefined : slash);
  return { method: request.method, target, host, client, header: (name) => request.headers.get(name) };
}

/** The answer as a web-standard response. */
export function toResponse({ status, headers, body }) {
  return new Response(body, { status, headers });
}

/** Returns the response with `Vary: User-Agent` when it is HTML, and with the reason when the request is a crawler's. */
export function markResponse(response, outcome) {
  const isPage = isHtmlType(response.headers.get('content-type'));
  // A response to an upgrade cannot be made anew.
  if ((!isPage && !outcome.isCrawler) || response.status < 200) return response;
  const marked = new Response(response.body, response);
  if (isPage) marked.headers.set('vary', varyByAgent(marked.headers.get('vary')));
  if (outcome.isCrawler) marked.headers.set('x-service-integration', appWord(outcome));
  return marked;
}

/** Lets the app answer, on platforms whose middleware does not see its answer: with these headers on whatever it is. */
export function goOn(outcome) {
  const headers = new Headers({ 'x-middleware-next': '1', vary: 'User-Agent' });
  if (outcome.isCrawler) headers.set('x-service-integration', appWord(outcome));
  return new Response(null, { headers });
}
