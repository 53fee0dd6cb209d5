// The service's API as somebody with a key or a session uses it, for making a world. Every answer that refuses ends the making.
import type { ServiceInfo } from './service.ts';

export interface Api {
  get<T>(path: string, query?: Record<string, string | number>): Promise<T>;
  send<T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown): Promise<T>;
}

/** How often a read is repeated while the service is not available. */
const MOST_TRIES = 60;

async function answerOf<T>(answer: Response, what: string): Promise<T> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${what} answered ${answer.status}: ${text.slice(0, 400)}`);
  return (text === '' ? null : JSON.parse(text)) as T;
}

/** Uses the API with headers that say who asks. */
function apiWith(service: ServiceInfo, headers: Record<string, string>): Api {
  return {
    async get(path, query = {}) {
      const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
      const ask = () => fetch(`${service.address}${path}?${search}`, { headers });
      let answer = await ask();
      // A busy machine makes the database late; reading again changes nothing.
      for (let tries = 0; answer.status === 503 && tries < MOST_TRIES; tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        answer = await ask();
      }
      return answerOf(answer, `GET ${path}`);
    },
    async send(method, path, body) {
      const sent = { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
      return answerOf(await fetch(`${service.address}${path}`, sent), `${method} ${path}`);
    },
  };
}

/** Uses the API with a key. */
export function keyApi(service: ServiceInfo, key: string): Api {
  return apiWith(service, { 'x-service-api-key': key });
}

/** Signs in, and uses the API as the dashboard does. */
export async function sessionApi(service: ServiceInfo, account: { email: string; password: string }): Promise<Api> {
  const body = JSON.stringify({ email: account.email, password: account.password });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${service.address}/api/session`, { method: 'POST', headers, body });
  await answerOf(answer, 'signing in');
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const session = await apiWith(service, { cookie }).get<{ csrfToken: string }>('/api/session');
  return apiWith(service, { cookie, 'x-csrf-token': session.csrfToken });
}

/** Asks again and again until something is so. */
export async function until(what: string, seconds: number, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`${what}: not after ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
