// Verification of webhooks: the signature of Standard Webhooks, and `x-service-signature`, which messages of audits and mentions have alone.
// Must never hand out a body whose signature was not checked.

/** Greatest difference between the clock here and the time of a message, in milliseconds. */
const TOLERANCE_MS = 5 * 60_000;

/** Headers of a request: a `Headers`, or an object as Node has them. */
export type AnyHeaders = Headers | Record<string, string | string[] | undefined>;

/** Reason why a message is not the service's. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/**
 * Returns the JSON of a message once its signature and its time are right; else throws `WebhookError`.
 * `body` is the body as it was received, byte for byte; `secret` the webhook's, `whsec_…`, or the `webhookSecret` of audits or mentions.
 */
export async function verifyWebhook<T = unknown>(
  body: string | Uint8Array,
  headers: AnyHeaders,
  secret: string,
  now = Date.now(),
): Promise<T> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const [ms, content, key, signatures] =
    headerOf(headers, 'webhook-signature') === undefined ? ofService(headers, secret) : ofStandard(headers, secret);
  if (!(Math.abs(now - ms) <= TOLERANCE_MS)) throw new WebhookError('the time of the message is too far from now');
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = new TextEncoder().encode(content + text);
  for (const signature of signatures) {
    if (signature !== null && (await crypto.subtle.verify('HMAC', imported, signature, signed))) return JSON.parse(text) as T;
  }
  throw new WebhookError('no signature is that of the message');
}

type Signed = [ms: number, content: string, key: Uint8Array<ArrayBuffer>, signatures: (Uint8Array<ArrayBuffer> | null)[]];

function ofStandard(headers: AnyHeaders, secret: string): Signed {
  const [id, timestamp] = ['webhook-id', 'webhook-timestamp'].map((name) => required(headers, name));
  const signatures = required(headers, 'webhook-signature')
    .split(' ')
    .filter((one) => one.startsWith('v1,'));
  const key = fromBase64(secret.replace(/^whsec_/, ''));
  if (key === null) throw new WebhookError('the secret is none of a webhook: whsec_ and base64');
  return [Number(timestamp) * 1000, `${id}.${timestamp}.`, key, signatures.map((one) => fromBase64(one.slice('v1,'.length)))];
}

function ofService(headers: AnyHeaders, secret: string): Signed {
  const timestamp = required(headers, 'x-service-timestamp');
  const signatures = required(headers, 'x-service-signature')
    .split(',')
    .map((one) => fromHex(one.trim().replace(/^sha256=/, '')));
  return [Number(timestamp), `${timestamp}.`, new TextEncoder().encode(secret), signatures];
}

function headerOf(headers: AnyHeaders, name: string): string | undefined {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? undefined;
}

function required(headers: AnyHeaders, name: string): string {
  const value = headerOf(headers, name);
  if (value === undefined) throw new WebhookError(`the message has no header ${name}`);
  return value;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

const fromHex = (text: string): Uint8Array<ArrayBuffer> | null =>
  /^(?:[0-9a-f]{2})+$/i.test(text) ? Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16)) : null;
