// Requests to the service: typed by its own document, with the session's CSRF token, and with one form of error.
// The only file that calls fetch. The token is kept in memory; a request that lacked it is repeated once.
// Must never repeat another request by itself: that is for queries.ts, and for reads only.
import { answerOf, ApiError, requestOf } from 'glasshouse-client';
import type { AnyInit, Answer, Init, PathsWith, Rest, Verb } from 'glasshouse-client';
import { waitFor } from './waiting.svelte';

export { ApiError };
export type { Answer, Init, PathsWith, Rest, Schemas } from 'glasshouse-client';

let csrfToken: string | null = null;
let whenSignedOut: () => void = () => undefined;

/** Keeps the token of the session that was just read; null forgets it. */
export function keepToken(token: string | null): void {
  csrfToken = token;
}

/** Names what is called when an answer is 401: the session ended. */
export function onSignedOut(call: () => void): void {
  whenSignedOut = call;
}

/** Reads. */
export function get<P extends PathsWith<'get'>>(path: P, ...init: Rest<Init<P, 'get'>>): Promise<Answer<P, 'get'>> {
  return send('get', path, init[0]) as Promise<Answer<P, 'get'>>;
}

/** Creates, starts, asks. */
export function post<P extends PathsWith<'post'>>(path: P, ...init: Rest<Init<P, 'post'>>): Promise<Answer<P, 'post'>> {
  return send('post', path, init[0]) as Promise<Answer<P, 'post'>>;
}

/** Replaces. */
export function put<P extends PathsWith<'put'>>(path: P, ...init: Rest<Init<P, 'put'>>): Promise<Answer<P, 'put'>> {
  return send('put', path, init[0]) as Promise<Answer<P, 'put'>>;
}

/** Changes. */
export function patch<P extends PathsWith<'patch'>>(
  path: P,
  ...init: Rest<Init<P, 'patch'>>
): Promise<Answer<P, 'patch'>> {
  return send('patch', path, init[0]) as Promise<Answer<P, 'patch'>>;
}

/** Deletes. */
export function del<P extends PathsWith<'delete'>>(
  path: P,
  ...init: Rest<Init<P, 'delete'>>
): Promise<Answer<P, 'delete'>> {
  return send('delete', path, init[0]) as Promise<Answer<P, 'delete'>>;
}

/** Header with the public token of a domain's crawl statistics. */
export const STATS_TOKEN = 'x-service-public-stats-token';

async function send(verb: Verb, path: string, init: AnyInit = {}, isRepeated = false): Promise<unknown> {
  const isOpen = isOpenToAll(verb, path);
  const options = { ...init };
  const shown = isOpen ? csrfToken : verb === 'get' ? null : await token();
  if (shown !== null) options.headers = { ...options.headers, 'x-csrf-token': shown };
  try {
    return await waitFor(answered(verb, path, options));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'csrf_token_missing' && !isRepeated) {
      csrfToken = null;
      return send(verb, path, init, true);
    }
    // A public token that is refused says nothing about the session of this browser.
    if (error.status === 401 && !isOpen && options.headers?.[STATS_TOKEN] === undefined) whenSignedOut();
    throw error;
  }
}

/** Decides whether an operation needs no session: signing in, and the links that let somebody in. */
function isOpenToAll(verb: Verb, path: string): boolean {
  return (
    ['/api/session/invitation', '/api/session/reset'].includes(path) || (verb === 'post' && path === '/api/session')
  );
}

async function answered(verb: Verb, path: string, options: AnyInit): Promise<unknown> {
  const [address, request] = requestOf('', verb, path, { credentials: 'same-origin', ...options });
  try {
    return await answerOf(await fetch(address, request));
  } catch (error) {
    if (error instanceof ApiError || options.signal?.aborted === true) throw error;
    throw new ApiError(0, '');
  }
}

async function token(): Promise<string> {
  csrfToken ??= (await get('/api/session')).csrfToken;
  return csrfToken;
}
