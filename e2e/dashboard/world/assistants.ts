// Data that the stand-ins of the AI vendors (`fakeai`) make for the journeys.
// ChatGPT, Perplexity and Google's overviews answer as the vendors do; Gemini is a server of chat completions, a "local model";
// Claude has no key.
import type { APIRequestContext } from '@playwright/test';
import type { Settings } from '../../lib/service.mjs';

/** Settings of a service whose assistants are the stand-ins at an address; none: no assistant has a key. */
export function assistantSettings(address: string | undefined): Settings {
  if (address === undefined || address === '') return {};
  const of = (provider: string, base: string, extra: Record<string, string>) =>
    Object.fromEntries(
      Object.entries({ base_url: `${address}${base}`, ...extra }).map(([name, value]) => [
        `providers.${provider}.${name}`,
        value,
      ]),
    );
  return {
    ...of('chatgpt', '/openai/v1', { api_key: 'sk-journeys' }),
    ...of('perplexity', '/perplexity', { api_key: 'pplx-journeys' }),
    ...of('gemini', '/chat/v1', { api_style: 'chat', model: 'llama4' }),
    ...of('google_ai_overview', '/dataforseo/v3', { api_key: 'login:password' }),
  };
}

/** A prompt as the service takes it. */
export interface NewPrompt {
  promptText: string;
  intent?: string;
  tags?: string;
  providers?: string[];
  active?: 0 | 1;
  monitorInterval?: string;
}

/** Sends a change with the session's token. */
export async function send(
  request: APIRequestContext,
  method: 'POST' | 'PUT' | 'PATCH',
  where: string,
  data: unknown,
): Promise<{ status: number; body: unknown }> {
  const { csrfToken } = (await (await request.get('/api/session')).json()) as { csrfToken: string };
  const answer = await request.fetch(where, { method, data, headers: { 'x-csrf-token': csrfToken } });
  return { status: answer.status(), body: await answer.json().catch(() => null) };
}

/** Adds prompts by the API and waits until every answer is read. */
export async function askPrompts(request: APIRequestContext, domain: string, prompts: NewPrompt[]): Promise<void> {
  const full = prompts.map((prompt) => ({ intent: 'comm', ...prompt }));
  const { status, body } = await send(request, 'POST', '/api/ai-mentions/prompts/import', { domain, prompts: full });
  if (status !== 200) throw new Error(`prompts were not added: ${status} ${JSON.stringify(body)}`);
  await untilAnswered(request, domain);
}

/** Waits until no question of a domain is under way. */
export async function untilAnswered(request: APIRequestContext, domain: string): Promise<void> {
  const until = Date.now() + 40_000;
  for (;;) {
    const answer = await request.get('/api/ai-mentions/runs', { params: { domain, limit: 1 } });
    const { summary } = (await answer.json()) as { summary: { byStatus: Record<string, number> } };
    const open = ['queued', 'running', 'answered'].some((status) => (summary.byStatus[status] ?? 0) > 0);
    if (!open) return;
    if (Date.now() > until) throw new Error(`answers did not come: ${JSON.stringify(summary)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Waits for the first report of a domain and returns its id. */
export async function untilReported(request: APIRequestContext, domain: string): Promise<string> {
  const until = Date.now() + 90_000;
  for (;;) {
    const answer = await request.get('/api/ai-mentions/reports', { params: { domain, limit: 1 } });
    const { reports } = (await answer.json()) as { reports: { id: string }[] };
    if (reports[0] !== undefined) return reports[0].id;
    if (Date.now() > until) throw new Error('no report came');
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
