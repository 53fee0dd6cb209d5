// Audits of the made world, by the API.
import type { Api } from './api.ts';

interface Run {
  completedAt: string | number | null;
  status: string;
  pagesCrawled: number;
  healthScore: number | null;
}

/** What an audit came to. */
export interface Ended {
  id: string;
  pages: number;
  health: number | null;
}

/** Audits a domain as it is, and waits for the end. */
export async function auditSite(key: Api, domain: string): Promise<Ended> {
  const order = { domain, urls: [`https://${domain}/`], mode: 'follow', allowSampling: false };
  const { runId } = await key.send<{ runId: string }>('POST', '/api/seo-spider/runs', order);
  const end = Date.now() + 15 * 60_000;
  for (;;) {
    const { run } = await key.get<{ run: Run }>(`/api/seo-spider/runs/${runId}`, { limit: 1, fields: 'path' });
    if (run.completedAt !== null) return { id: runId, pages: run.pagesCrawled, health: run.healthScore };
    if (Date.now() > end) throw new Error(`the audit did not end: ${JSON.stringify(run).slice(0, 300)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
