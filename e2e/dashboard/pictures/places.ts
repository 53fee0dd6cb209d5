// Addresses of the made world that pictures and Lighthouse open: what the service chose ids for is looked up.
import type { APIRequestContext } from '@playwright/test';
import type { Made } from '../world/make.ts';
import { MAIN } from '../world/plan.ts';

/** The made world as open.ts found it. */
export function madeWorld(): Made {
  return JSON.parse(process.env.DASHBOARD_WORLD ?? '') as Made;
}

export interface Places {
  /** Audits, the oldest first. */
  runs: string[];
  issue: string;
  page: string;
  batch: string;
  prompt: string;
  answer: string;
  report: string;
  shareToken: string;
}

async function read<T>(request: APIRequestContext, path: string, params: Record<string, string | number>): Promise<T> {
  const answer = await request.get(path, { params });
  if (!answer.ok()) throw new Error(`${path} answered ${answer.status()}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

interface Answer {
  id: string;
  mentionPosition: number;
  provider: string;
}

/** Looks up ids of the world. The session must be the owner's. */
export async function findPlaces(request: APIRequestContext): Promise<Places> {
  const { runs, shareToken } = madeWorld();
  const last = runs.at(-1) ?? '';
  const [audit, found, batches, prompts, answers, reports] = await Promise.all([
    read<{ issueBreakdown: Record<string, number> }>(request, `/api/seo-spider/runs/${last}`, { limit: 1 }),
    read<{ pages: { id: string }[] }>(request, `/api/seo-spider/runs/${last}`, { limit: 1, search: '/features' }),
    read<{ batches: { batchGroupId: string }[] }>(request, '/api/prerender/batches', { domain: MAIN, limit: 1 }),
    read<{ id: string; promptText: string }[]>(request, '/api/ai-mentions/prompts', { domain: MAIN }),
    read<{ runs: Answer[] }>(request, '/api/ai-mentions/runs', { domain: MAIN, limit: 100 }),
    read<{ reports: { id: string }[] }>(request, '/api/ai-mentions/reports', { domain: MAIN, limit: 1 }),
  ]);
  const named = answers.runs.find(({ provider, mentionPosition }) => provider === 'perplexity' && mentionPosition > 1);
  const issues = Object.keys(audit.issueBreakdown);
  return {
    runs,
    shareToken,
    issue: issues.find((id) => id === 'META_DESC_MISSING') ?? issues[0] ?? '',
    page: found.pages[0]?.id ?? '',
    batch: batches.batches[0]?.batchGroupId ?? '',
    prompt: prompts[0]?.id ?? '',
    answer: (named ?? answers.runs[0])?.id ?? '',
    report: reports.reports[0]?.id ?? '',
  };
}
