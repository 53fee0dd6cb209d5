// Changes of prompts and of the brand profile, and what has to be read again after them.
import { get, post, put, type Schemas } from '../../api/client';
import { forget } from '../../api/queries';

/** Has everything read again that follows from prompts. */
export async function forgetPrompts(): Promise<void> {
  await Promise.all([
    forget('/api/ai-mentions/prompts'),
    forget('/api/ai-mentions/prompt-stats'),
    forget('/api/ai-mentions/runs'),
    forget('/api/ai-mentions/costs'),
    forget('/api/ai-mentions/suggestions'),
    forget('/api/usage'),
  ]);
}

/** Fields of a prompt that a change may have. */
export interface PromptChange {
  promptText?: string;
  intent?: string;
  providers?: string[];
  monitorInterval?: string;
  tags?: string;
  active?: 0 | 1;
  /** Place and language of those who ask. */
  personaLocation?: Record<string, string>;
}

/** Changes a prompt. */
export async function changePrompt(domain: string, id: string, change: PromptChange): Promise<void> {
  const body = { action: 'update', domain, id, ...change };
  await post('/api/ai-mentions/prompts', { body: body as unknown as Schemas['PromptRequest'] });
}

/** Asks an assistant a question once, by a prompt that is paused when the answer is there. Returns the id of the prompt. */
export async function askOnce(domain: string, promptText: string, fields: PromptChange): Promise<string> {
  const body = { action: 'create', domain, promptText, ...fields, monitorInterval: 'monthly', active: 1 };
  await post('/api/ai-mentions/prompts', { body: body as unknown as Schemas['PromptRequest'] });
  const prompts = await get('/api/ai-mentions/prompts', { params: { query: { domain } } });
  const made = prompts.find((prompt) => prompt.promptText === promptText);
  if (made === undefined) throw new Error('the prompt that was created is not in the list');
  return made.id;
}

/** Deletes a prompt. */
export async function deletePrompt(domain: string, id: string): Promise<void> {
  await post('/api/ai-mentions/prompts', { body: { action: 'delete', domain, id } });
}

/** Changes the competitors of the brand profile as it is now, and returns the saved profile. */
export async function changeCompetitors(
  domain: string,
  change: (competitors: Schemas['CompetitorBody'][]) => Schemas['CompetitorBody'][],
): Promise<void> {
  const params = { path: { domain } };
  const { name, aliases, domains, competitors } = await get('/api/domains/{domain}/brand', { params });
  const body = { name, aliases, domains, competitors: change(competitors) };
  await put('/api/domains/{domain}/brand', { params, body });
  await forget('/api/domains/{domain}/brand');
}
