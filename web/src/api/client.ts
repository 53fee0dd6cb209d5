// Requests to the service: typed by its own document, with the session's CSRF token, and with one form of error.
// The only file that calls fetch. The token is kept in memory; a request that lacked it is repeated once.
// Must never repeat another request by itself: that is for queries.ts, and for reads only.
import createClient, { type MaybeOptionalInit } from 'openapi-fetch';
import type { components, paths as Paths } from './schema';
import { waitFor } from './waiting.svelte';

/** Types that the service's document names. */
export type Schemas = components['schemas'];
type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Paths that have an operation with this method. */
export type PathsWith<V extends Verb> = {
  [P in keyof Paths]: Paths[P] extends Record<V, { responses: unknown }> ? P : never;
}[keyof Paths];

type Responses<P extends keyof Paths, V extends Verb> = Paths[P] extends Record<V, { responses: infer R }> ? R : never;
type Content<R, S extends number> = S extends keyof R
  ? R[S] extends { content: { 'application/json': infer Body } }
    ? Body
    : never
  : never;

/** Body of the answer of an operation; undefined when there is none. */
export type Answer<P extends keyof Paths, V extends Verb> = [Content<Responses<P, V>, 200 | 201 | 202>] extends [never]
  ? undefined
  : Content<Responses<P, V>, 200 | 201 | 202>;

/** Parameters and body of an operation. */
export type Init<P extends keyof Paths, V extends Verb> = V extends keyof Paths[P]
  ? MaybeOptionalInit<Paths[P], V>
  : never;
type Rest<I> = undefined extends I ? [init?: I] : [init: I];

/** An answer that says no, or none at all (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** Code of the answer; empty when it had none. */
    readonly code: string,
    /** The other fields of the answer. */
    readonly body: Record<string, unknown> = {},
    /** Seconds of `Retry-After`. */
    readonly retryAfter: number | null = null,
    readonly requestId: string | null = null,
  ) {
    super(`${status} ${code}`);
    this.name = 'ApiError';
  }
}

const client = createClient<Paths>({ credentials: 'same-origin' });

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

interface Sendable {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

async function send(verb: Verb, path: string, init: unknown, isRepeated = false): Promise<unknown> {
  const isSignIn = verb === 'post' && path === '/api/session';
  const options: Sendable = { ...(init as Sendable | undefined) };
  if (verb !== 'get' && !isSignIn) options.headers = { ...options.headers, 'x-csrf-token': await token() };
  const { data, error, response } = await answered(verb, path, options);
  if (response.ok) return data;

  const refused = errorOf(response, error);
  if (refused.code === 'csrf_token_missing' && !isRepeated) {
    csrfToken = null;
    return send(verb, path, init, true);
  }
  // A public token that is refused says nothing about the session of this browser.
  if (refused.status === 401 && !isSignIn && options.headers?.[STATS_TOKEN] === undefined) whenSignedOut();
  throw refused;
}

async function answered(verb: Verb, path: string, options: Sendable) {
  try {
    // The parameters were checked where they were given: `path` is any path from here on.
    return await waitFor(client.request(verb, path as never, options as never));
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    throw new ApiError(0, '');
  }
}

async function token(): Promise<string> {
  csrfToken ??= (await get('/api/session')).csrfToken;
  return csrfToken;
}

function errorOf(response: Response, body: unknown): ApiError {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const { error, ...rest } = fields;
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(
    response.status,
    typeof error === 'string' ? error : '',
    rest,
    Number.isFinite(wait) ? wait : null,
    response.headers.get('x-request-id'),
  );
}
