// The client: a key, retries as the service asks for them, lists as iterators, event streams, and waiting for what takes long.
// Must never repeat a request that the service may have carried out.
import { answerOf, ApiError, errorOf, isRefusal, requestOf, secondsToWait } from './call.js';
import type { AnyInit, Answer, Init, PathsWith, Rest, Verb } from './call.js';
import type { Paths, Schemas } from './schema.js';

export interface ClientOptions {
  /** API key, `gh_live_…`. */
  key?: string;
  /** Headers of every request. */
  headers?: Record<string, string>;
  /** Time in which an answer must have come, in milliseconds; of a stream or a file, its headers. */
  timeoutMs?: number;
  /** Number of repetitions of a request that was answered 429 or 503 with `Retry-After`. */
  retries?: number;
  /** Longest `Retry-After` that is waited for, in milliseconds; a longer one is an error at once. */
  longestWaitMs?: number;
  fetch?: typeof fetch;
}

/** Paths of lists that are read by `limit` and `offset`. */
export type ListPath = {
  [P in PathsWith<'get'>]: Init<P, 'get'> extends { params?: { query?: infer Q } } ? ('offset' extends keyof Q ? P : never) : never;
}[PathsWith<'get'>];

/** Row of a list: an element of the only array of its answer. */
export type Row<P extends ListPath> = { [K in keyof Answer<P, 'get'>]: Answer<P, 'get'>[K] extends (infer R)[] ? R : never }[keyof Answer<
  P,
  'get'
>];

/** Paths of event streams. */
export type EventPath = { [P in PathsWith<'get'>]: Paths[P] extends { get: { events: unknown } } ? P : never }[PathsWith<'get'>];

/** Data of an event of a stream. */
export type EventData<P extends EventPath> = Paths[P] extends { get: { events: infer E } } ? E : never;

/** A page as a crawler gets it. */
export interface RenderedPage {
  /** Status of the page itself; 304: the origin is to answer. */
  status: number;
  html: string;
  /** Address that the page or a rule redirects to; with 304, the address at the origin. */
  location: string | null;
  /** Source of the page: `edge-hit`, `hit` or `miss`; null: it is no page. */
  cache: string | null;
  headers: Headers;
}

/** Options of waiting. */
export interface WaitOptions<T> {
  /** Time between two questions, in milliseconds. */
  everyMs?: number;
  /** Ends the wait, for instance `AbortSignal.timeout(60_000)`. */
  signal?: AbortSignal;
  onProgress?: (progress: T) => void;
}

type Read<T> = (response: Response) => Promise<T>;

export class Glasshouse {
  readonly #address: string;
  readonly #options: ClientOptions;

  /** Makes a client of the service at an address, such as `http://127.0.0.1:3000`. */
  constructor(address: string, options: ClientOptions = {}) {
    this.#address = address.replace(/\/+$/, '');
    this.#options = options;
  }

  get<P extends PathsWith<'get'>>(path: P, ...init: Rest<Init<P, 'get'>>): Promise<Answer<P, 'get'>> {
    return this.#send('get', path, init[0] ?? {}, answerOf) as Promise<Answer<P, 'get'>>;
  }

  post<P extends PathsWith<'post'>>(path: P, ...init: Rest<Init<P, 'post'>>): Promise<Answer<P, 'post'>> {
    return this.#send('post', path, init[0] ?? {}, answerOf) as Promise<Answer<P, 'post'>>;
  }

  put<P extends PathsWith<'put'>>(path: P, ...init: Rest<Init<P, 'put'>>): Promise<Answer<P, 'put'>> {
    return this.#send('put', path, init[0] ?? {}, answerOf) as Promise<Answer<P, 'put'>>;
  }

  patch<P extends PathsWith<'patch'>>(path: P, ...init: Rest<Init<P, 'patch'>>): Promise<Answer<P, 'patch'>> {
    return this.#send('patch', path, init[0] ?? {}, answerOf) as Promise<Answer<P, 'patch'>>;
  }

  delete<P extends PathsWith<'delete'>>(path: P, ...init: Rest<Init<P, 'delete'>>): Promise<Answer<P, 'delete'>> {
    return this.#send('delete', path, init[0] ?? {}, answerOf) as Promise<Answer<P, 'delete'>>;
  }

  /** Opens an answer without reading its body: files, other forms of a list, headers. */
  open<V extends Verb, P extends PathsWith<V>>(verb: V, path: P, ...init: Rest<Init<P, V>>): Promise<Response> {
    return this.#send(verb, path, (init[0] ?? {}) as AnyInit, (response) => Promise.resolve(response));
  }

  /** Reads a list row by row, asking for the next part when it is needed. `limit` is the number of rows of a part. */
  async *rows<P extends ListPath>(path: P, ...[init]: Rest<Init<P, 'get'>>): AsyncGenerator<Row<P>, void, undefined> {
    const given: AnyInit = init ?? {};
    const query: { offset?: number } = { ...given.params?.query };
    for (let offset = query.offset ?? 0; ;) {
      const part = { ...given, params: { ...given.params, query: { ...query, offset } } };
      const answer = (await this.#send('get', path, part, answerOf)) as Record<string, unknown>;
      const rows = Object.values(answer).find(Array.isArray) as Row<P>[];
      yield* rows;
      offset += rows.length;
      const total = answer['total'] ?? answer['pageTotal'];
      if (rows.length === 0 || (typeof total === 'number' && offset >= total)) return;
    }
  }

  /** Follows a stream of events until it ends. Events whose data is no object, such as a count of missed ones, are left out. */
  async *events<P extends EventPath>(path: P, ...[init]: Rest<Init<P, 'get'>>): AsyncGenerator<EventData<P>, void, undefined> {
    const response = await this.#send('get', path, init ?? {}, (opened) => Promise.resolve(opened));
    let rest = '';
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (/^data: ?\{/.test(line)) yield JSON.parse(line.slice('data:'.length)) as EventData<P>;
    }
  }

  /** Renders a page as a crawler gets it. `headers` are those of the visitor, such as `user-agent`. */
  async render(url: string, headers: Record<string, string> = {}): Promise<RenderedPage> {
    const init = { params: { query: { url } }, headers };
    return this.#send('get', '/api/prerender/render', init, async (response) => ({
      status: response.status,
      html: await response.text(),
      location: response.headers.get('location'),
      cache: response.headers.get('x-service-render-cache'),
      headers: response.headers,
    }));
  }

  /** Waits until a refresh is over. */
  waitForBatch(batchGroupId: string, options: WaitOptions<Schemas['BatchProgress']> = {}): Promise<Schemas['BatchProgress']> {
    const init = { params: { path: { batchGroupId } }, signal: options.signal };
    const read = () => this.get('/api/prerender/batches/{batchGroupId}', init);
    return waitUntil(read, ({ completedAt }) => completedAt != null, options);
  }

  /** Waits until an audit is over, whatever its end: see `status` and `closeReason`. */
  waitForAudit(runId: string, options: WaitOptions<Schemas['RunView']> = {}): Promise<Schemas['RunView']> {
    const init = { params: { path: { runId }, query: { limit: 1 } }, signal: options.signal };
    const read = async () => (await this.get('/api/seo-spider/runs/{runId}', init)).run;
    return waitUntil(read, ({ completedAt }) => completedAt != null, options);
  }

  async #send<T>(verb: Verb, path: string, init: AnyInit, read: Read<T>): Promise<T> {
    const { key, headers, retries = 3, longestWaitMs = 60_000 } = this.#options;
    const all = { ...headers, ...(key === undefined ? {} : { 'x-service-api-key': key }), ...init.headers };
    const [url, request] = requestOf(this.#address, verb, path, { ...init, headers: all });
    for (let attempt = 0; ; attempt += 1) {
      const result = await this.#ask(url, request, read, (response) => {
        const wait = secondsToWait(response);
        const isPassing = response.status === 429 || response.status === 503;
        return attempt < retries && isPassing && wait !== null && wait * 1000 <= longestWaitMs ? wait * 1000 : null;
      });
      if ('value' in result) return result.value;
      await pause(result.waitMs, init.signal);
    }
  }

  async #ask<T>(
    url: string,
    request: RequestInit,
    read: Read<T>,
    waitOf: (response: Response) => number | null,
  ): Promise<{ value: T } | { waitMs: number }> {
    const { timeoutMs = 60_000, fetch: ask = fetch } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, late.signal]) : late.signal;
    try {
      const response = await ask(url, { ...request, redirect: 'manual', signal });
      if (!isRefusal(response)) return { value: await read(response) };
      const waitMs = waitOf(response);
      const error = await errorOf(response);
      if (waitMs === null) throw error;
      return { waitMs };
    } catch (error) {
      if (error instanceof ApiError || request.signal?.aborted === true) throw error;
      throw new ApiError(0, '', {}, null, null, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Waits; an abort of the signal ends the wait with its reason. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

async function waitUntil<T>(
  read: () => Promise<T>,
  isOver: (progress: T) => boolean,
  { everyMs = 1000, signal, onProgress }: WaitOptions<T>,
): Promise<T> {
  for (;;) {
    const progress = await read();
    onProgress?.(progress);
    if (isOver(progress)) return progress;
    await pause(everyMs, signal);
  }
}
