// What is real on the demo's screens: snapshots of its pages, a sitemap made of them, an audit, and both again every day; and a crawler policy, with
// requests that it would refuse.
import { CRAWLERS } from '../made/crawlers.mjs';
import { paths } from '../pages.mjs';
import { Refused, waitFor } from './service.mjs';

/** Snapshots of every page of the sitemap, by a refresh as anybody asks for one. It goes on in the service when this is cut off. */
export async function startSnapshots({ service, state, domain, say }) {
  if (state.get('refresh') !== undefined) return;
  say('rendering the pages of the demo shop');
  const body = { domain, prewarm: true, sitemapUrl: `https://${domain}/sitemap.xml` };
  const { ok, batchGroupId, error } = await service.ask('POST', '/api/prerender/cache/invalidate-site-cache', body);
  if (!ok) throw new Error(`the refresh of the demo shop did not begin (${error})`);
  state.set('refresh', batchGroupId ?? null);
}

export async function finishSnapshots({ service, state, say }) {
  const batch = state.get('refresh');
  if (typeof batch !== 'string' || state.get('snapshots') !== undefined) return;
  const look = async () => {
    const progress = await service.ask('GET', `/api/prerender/batches/${batch}`);
    return progress.completedAt ? progress : undefined;
  };
  const late = 'the pages of the demo shop are still being rendered; they will be there in a while';
  const { done, failed } = await waitFor(look, { seconds: 180, late });
  state.set('snapshots', done);
  say(`${done - failed} snapshots${failed > 0 ? `, ${failed} pages failed` : ''}`);
}

/** The sitemap of the stored pages in place of the shop's own, which refreshes go on to read, unless the owner has chosen. */
export async function manageSitemap({ service, state, domain }) {
  if (state.get('rootFiles') !== undefined) return;
  const path = `/api/domains/${encodeURIComponent(domain)}/root-files`;
  const { files } = await service.ask('GET', path);
  const managed = files.map((file) => (file.source === 'sitemap' && file.mode === 'fallback' ? { ...file, mode: 'always' } : file));
  await service.ask('PUT', path, { files: managed });
  state.set('rootFiles', true);
}

/** An audit of the whole site. One that was begun before is waited for. */
export async function audit({ service, state, domain, say }) {
  if (state.get('audited') !== undefined) return;
  if (state.get('audit') === undefined) {
    say('auditing the demo shop');
    state.set('audit', await startAudit(service, domain));
  }
  const look = async () => {
    const { run } = await service.ask('GET', `/api/seo-spider/runs/${state.get('audit')}?limit=1&fields=path`);
    return run.completedAt ? run : undefined;
  };
  const run = await waitFor(look, { seconds: 300, late: 'the audit of the demo shop is still running; its results will be there in a while' });
  state.set('audited', run.status);
  say(`audit: ${run.pagesCrawled} pages, health ${run.healthScore}, ${run.issueCount} findings`);
}

async function startAudit(service, domain) {
  const before = await service.ask('GET', `/api/seo-spider/runs?domain=${encodeURIComponent(domain)}`);
  // Begun by a start that was cut off before it could remember, or by the owner of an older data folder.
  const [known] = before.runs;
  if (known !== undefined) return known.id;
  try {
    const { runId } = await service.ask('POST', '/api/seo-spider/runs', { domain, urls: [`https://${domain}/`], mode: 'follow' });
    return runId;
  } catch (error) {
    if (error instanceof Refused && error.code === 'run_already_active') return error.body.runId;
    throw error;
  }
}

/** An audit every day from now on, unless the owner has chosen. Snapshots are renewed daily by default. */
export async function schedule({ service, state, domain }) {
  if (state.get('scheduled') !== undefined) return;
  const path = `/api/domains/${encodeURIComponent(domain)}/auditing`;
  const { frequency } = await service.ask('GET', path);
  if (frequency === 'manual') await service.ask('PATCH', path, { frequency: 'daily' });
  state.set('scheduled', true);
}

/** A crawler policy that only counts what it would refuse, unless the owner has chosen. */
export async function logPolicy({ service, state, domain }) {
  if (state.get('policy') !== undefined) return;
  const path = `/api/domains/${encodeURIComponent(domain)}/crawler-policy`;
  const { mode, rules } = await service.ask('GET', path);
  if (mode === 'off' && rules.length === 0) {
    await service.ask('PUT', path, {
      mode: 'log',
      rules: [
        { match: { purpose: 'llm-training' }, paths: ['/journal/**'], action: 'pay', text: 'The journal is licensed. Write to licences@glasshouse.test.' },
        { match: { purpose: 'seo' }, action: 'limit', perMinute: 30 },
        { match: { unverified: true }, action: 'block' },
      ],
    });
  }
  state.set('policy', true);
}

/** Training crawlers and pages that meet the first rule of the policy. */
const REFUSED = { crawlers: ['gptbot', 'ccbot'], pages: paths.filter((path) => path.startsWith('/journal/')) };

/** Number of requests that the first start makes as crawlers. */
export const REQUESTS_AS_CRAWLERS = REFUSED.crawlers.length * REFUSED.pages.length;

/**
 * Requests of crawlers by the render API, so that the report says what the policy would refuse. They are visits, made up like those of the log. A
 * start that was cut off repeats those of the crawler that it was at.
 */
export async function askAsCrawlers({ service, state, domain }) {
  for (const id of REFUSED.crawlers) {
    if (state.get('asked')?.includes(id)) continue;
    const { agent } = CRAWLERS.find((crawler) => crawler.id === id);
    for (const path of REFUSED.pages) await service.askAsCrawler(`https://${domain}${path}`, agent);
    state.set('asked', [...(state.get('asked') ?? []), id]);
  }
}
