// Starting an audit, and what a refusal of it means for the fields and for where one goes. Used by the dialog, by Check again and by the list of domains.
import { ApiError, post, type Schemas } from './client';
import { forget } from './queries';
import { codeOf, refusalOf } from './refusals';
import type { Refusal } from '../lib/refusal';
import * as m from '../messages/audits/starting';

export interface Order {
  domain: string;
  urls: string[];
  mode: Schemas['CrawlMode'];
  allowSampling?: boolean;
  newPagesOnly?: boolean;
  sitemapUrl?: string;
}

export type Outcome =
  | { kind: 'started'; runId: string }
  /** The domain is being audited already. */
  | { kind: 'running'; runId: string }
  | { kind: 'addresses'; error: string }
  | { kind: 'sitemap'; error: string }
  | { kind: 'refused'; refusal: Refusal };

/** Starts an audit. */
export async function startAudit(order: Order): Promise<Outcome> {
  try {
    const { runId } = await post('/api/seo-spider/runs', { body: order as unknown as Schemas['StartRequest'] });
    void forget('/api/seo-spider/runs');
    void forget('/api/usage');
    return { kind: 'started', runId };
  } catch (error) {
    return outcomeOf(error);
  }
}

function outcomeOf(error: unknown): Outcome {
  const refusal = refusalOf(error);
  const code = codeOf(error);
  if (code === 'run_already_active' && error instanceof ApiError && typeof error.body.runId === 'string')
    return { kind: 'running', runId: error.body.runId };
  if (code === 'no_sitemap') return { kind: 'sitemap', error: m.noSitemap() };
  const issues = refusal.kind === 'invalid' ? refusal.issues : [];
  const sitemap = issues.find(({ path }) => path === 'sitemapUrl');
  if (sitemap !== undefined) return { kind: 'sitemap', error: m.fieldProblem(sitemap.message) };
  const line = issues.map(({ path, message }) => ({
    message,
    line: Number(/^urls\.(\d+)$/.exec(path)?.[1] ?? -1) + 1,
  }));
  const first = line.find(({ line }) => line > 0);
  if (first !== undefined) return { kind: 'addresses', error: m.lineProblem(first.line, first.message, line.length) };
  return { kind: 'refused', refusal };
}
