// The service's API as somebody with a key or a session uses it, for making a world. Every answer that refuses ends the making.
import { pause } from '../../lib/ports.mjs';
import { apiWith, Refused } from '../../lib/service.mjs';
import type { ServiceInfo } from './service.ts';

export interface Api {
  get<T>(path: string, query?: Record<string, string | number>): Promise<T>;
  send<T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown): Promise<T>;
}

/** How often a read is repeated while the service is not available. */
const MOST_TRIES = 60;

/** Uses the API with headers that say who asks. */
function apiOf(service: ServiceInfo, headers: Record<string, string>): Api {
  const send = apiWith(service, headers);
  return {
    async get(path, query = {}) {
      const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
      for (let tries = 0; ; tries += 1) {
        try {
          return await send('GET', `${path}?${search}`);
        } catch (error) {
          // A busy machine makes the database late; reading again changes nothing.
          if (!(error instanceof Refused && error.status === 503) || tries === MOST_TRIES) throw error;
          await pause(1_000);
        }
      }
    },
    send,
  };
}

/** Uses the API with a key. */
export function keyApi(service: ServiceInfo, key: string): Api {
  return apiOf(service, { 'x-service-api-key': key });
}

/** Signs in, and uses the API as the dashboard does. */
export async function sessionApi(service: ServiceInfo, account: { email: string; password: string }): Promise<Api> {
  const body = JSON.stringify({ email: account.email, password: account.password });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${service.address}/api/session`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`signing in answered ${answer.status}: ${await answer.text()}`);
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const session = await apiOf(service, { cookie }).get<{ csrfToken: string }>('/api/session');
  return apiOf(service, { cookie, 'x-csrf-token': session.csrfToken });
}

/** Asks again and again until something is so. */
export async function until(what: string, seconds: number, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`${what}: not after ${seconds} s`);
    await pause(250);
  }
}
