/** Settings of an integration. */
export interface Settings {
  /** Address of the service's API, such as `https://glasshouse.example`. */
  serviceUrl: string;
  /** API key of the account that has the domain. Without a key, every request goes to the app. */
  apiKey: string;
  /** Host names of the site. Each stands for itself and its `www.` twin. Requests for other hosts go to the app. */
  domain: string | string[];
  /** Public address of the site, such as `https://shop.example`, where the app does not see the public host name. */
  origin?: string;
  /** Believe `X-Forwarded-Host`, `X-Forwarded-Proto` and `X-Forwarded-For`. Only behind a proxy that overwrites them. */
  trustForwarded?: boolean;
}

/** A request, as far as the integration looks at it. */
export interface RequestFacts {
  method: string;
  /** Path and query as received. */
  target: string;
  /** `Host`, with or without a port. */
  host: string;
  /** Returns the value of a header by its lower-case name. */
  header(name: string): string | null | undefined;
  /** Address of the client, where the platform knows it. */
  client?: string | null;
}

/** Reason why the app answers a request of a crawler. */
export type Reason =
  | 'method' | 'own' | 'credentials' | 'upgrade' | 'asset' | 'data' | 'prefetch' | 'host' | 'address' | 'no-key' | 'paused'
  | 'declined' | 'unreachable' | 'timeout' | 'broken' | 'loop' | 'error' | `status-${number}`;

/** An answer of the service, ready to be sent. */
export interface Answer {
  status: number;
  headers: Headers;
  /** null: without a body (HEAD, 304, redirects). */
  body: Uint8Array | null;
}

/** The answer to a request: the service's, or the app's for a reason. */
export interface Outcome {
  answer: Answer | null;
  /** The request is a crawler's: the app's answer gets `x-service-integration`. */
  isCrawler: boolean;
  /** null: a snapshot, or a person's request. */
  reason: Reason | null;
}

/** The outside world of an integration. */
export interface Surroundings {
  fetch?: typeof fetch;
  /** Additional options of each request to the service, such as `cache`. */
  fetchOptions?: Record<string, unknown>;
  /** Milliseconds of a clock. */
  now?: () => number;
  log?: (line: string) => void;
}

export interface Integration {
  /** Answers a request. Never throws. A person's request causes no request to the service. */
  respond(facts: RequestFacts): Promise<Outcome>;
  /** Decides without asking: null, or the outcome for a request that never leaves the site. */
  decide(facts: RequestFacts): Outcome | null;
}

export function createIntegration(settings: Settings, surroundings?: Surroundings): Integration;

/** Facts of a web-standard request. */
export function factsOfRequest(request: Request, client?: string | null): RequestFacts;
/** The answer as a web-standard response. */
export function toResponse(answer: Answer): Response;
/** Adds `Vary: User-Agent` to HTML of the app, and `x-service-integration` for a crawler. Returns other responses unchanged. */
export function markResponse(response: Response, outcome: Outcome): Response;

/** Lets the app answer where a middleware does not see its answer (Vercel, Next.js): `x-middleware-next` and the marks. */
export function goOn(outcome: Outcome): Response;

/** Facts of a request of Node's http module. `target`: path and query, where a framework has changed `request.url`. */
export function factsOfNode(
  request: import('node:http').IncomingMessage, client?: string | null, target?: string,
): RequestFacts;
/** Sends the answer. Returns false when it cannot be sent, and nothing of it was. */
export function writeAnswer(response: import('node:http').ServerResponse, answer: Answer): boolean;
/** Does what `markResponse` does, to a response of Node that has not begun. */
export function markNodeResponse(response: import('node:http').ServerResponse, outcome: Outcome): void;
