// One request to the service and its answer, typed by path and method. Used by client.ts and by the dashboard.
// Must never wait, repeat or keep anything: that is for who calls.
import type { Paths, Refusals } from './schema.js';

export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Paths that have an operation with this method. */
export type PathsWith<V extends Verb> = { [P in keyof Paths]: V extends keyof Paths[P] ? P : never }[keyof Paths];

type Operation<P extends keyof Paths, V extends Verb> = V extends keyof Paths[P] ? Paths[P][V] : never;

/** Parameters and body of an operation. */
export type Init<P extends keyof Paths, V extends Verb> = Operation<P, V> extends { init: infer I } ? I : never;

/** Answer of an operation: what its JSON says, undefined when there is no body, else the response itself. */
export type Answer<P extends keyof Paths, V extends Verb> = Operation<P, V> extends { answer: infer A } ? A : never;

/** Options of a request that are not the operation's. */
export interface RequestOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  credentials?: RequestCredentials;
}

/** The argument of an operation, which may be left out where nothing in it is required. */
export type Rest<I> = object extends I ? [init?: I & RequestOptions] : [init: I & RequestOptions];

/** An operation's parameters and body, whatever the operation. */
export interface AnyInit extends RequestOptions {
  params?: { path?: object; query?: object; header?: object };
  body?: unknown;
}

/** Code of an error that the document names. */
export type ErrorCode = keyof Refusals;

/** An answer that says no, or no answer at all: then the status is 0. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** Code of the answer; empty when it had none. A newer service may have codes that are not known here. */
    readonly code: ErrorCode | (string & {}),
    /** The other fields of the answer. */
    readonly body: Record<string, unknown> = {},
    /** Seconds of `Retry-After`. */
    readonly retryAfter: number | null = null,
    /** Name of the request in the log of the service. */
    readonly requestId: string | null = null,
    options?: ErrorOptions,
  ) {
    const fields = Object.keys(body).length > 0 ? JSON.stringify(body) : '';
    super(status === 0 ? 'the service did not answer' : `${status} ${code} ${fields}`.trim(), options);
    this.name = 'ApiError';
  }
}

/** Decides whether an error has this code; its `body` then has the fields of the code. */
export function hasCode<C extends ErrorCode>(error: unknown, code: C): error is ApiError & { code: C; body: Refusals[C] } {
  return error instanceof ApiError && error.code === code;
}

/** Returns what `fetch` is called with. Parameters without a value are left out; lists are repeated. */
export function requestOf(address: string, verb: Verb, path: string, { params, body, ...options }: AnyInit = {}): [string, RequestInit] {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params?.query ?? {})) {
    for (const one of [value].flat()) if (one !== undefined && one !== null) query.append(name, String(one));
  }
  const values = new Map<string, unknown>(Object.entries(params?.path ?? {}));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
  const headers: Record<string, string> = { ...options.headers };
  for (const [name, value] of Object.entries(params?.header ?? {}))
    if (value !== undefined && value !== null) headers[name] = String(value);
  const init: RequestInit = { ...options, method: verb.toUpperCase(), headers };
  if (body instanceof Blob) {
    headers['content-type'] = 'application/octet-stream';
    init.body = body;
  } else if (body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  return [`${address}${filled}${query.size > 0 ? `?${query}` : ''}`, init];
}

/** Decides whether an answer is one of the service's own that says no. A rendered page has a status of its own, which is none. */
export const isRefusal = (response: Response): boolean => response.status >= 400 && !response.headers.has('x-service-render-cache');

const isJson = (response: Response): boolean => /^application\/json\b/.test(response.headers.get('content-type') ?? '');

/** Reads the error of an answer that says no. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = isJson(response) ? await response.json().catch(() => null) : await response.body?.cancel();
  const { error, ...fields } = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  return new ApiError(
    response.status,
    typeof error === 'string' ? error : '',
    fields,
    secondsToWait(response),
    response.headers.get('x-request-id'),
  );
}

/** Returns the seconds of `Retry-After`, which may be a number or a date; null: there is none. */
export function secondsToWait(response: Response): number | null {
  const value = response.headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

/** Reads an answer: JSON as its value, no body as undefined, anything else as the response itself. Throws `ApiError`. */
export async function answerOf(response: Response): Promise<unknown> {
  if (isRefusal(response)) throw await errorOf(response);
  if (response.status === 204) return undefined;
  return isJson(response) ? response.json() : response;
}
