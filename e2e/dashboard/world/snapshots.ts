// Snapshots of the made world, by the API.
import { until, type Api } from './api.ts';

/** Renders some pages of a domain again, and waits until they are new. */
export async function renderAgain(key: Api, domain: string, paths: readonly string[]): Promise<void> {
  type Stored = { snapshots: { path: string; createdAt: string }[] };
  // Other pages may be renewed meanwhile.
  const newest = async (): Promise<string[]> => {
    const order = { domain, limit: paths.length + 100, sort: 'createdAt', order: 'desc' };
    const { snapshots } = await key.get<Stored>('/api/prerender/snapshots', order);
    return snapshots.map(({ path }) => path);
  };
  await key.send('POST', '/api/prerender/cache/invalidate-paths-cache', { domain, paths });
  await until('the snapshots of some pages', 300, async () => {
    const found = new Set(await newest());
    return paths.every((path) => found.has(path));
  });
}

/** Renders every page of a domain's sitemap and returns how many are stored. */
export async function renderSite(key: Api, domain: string): Promise<number> {
  await key.send('POST', '/api/prerender/cache/invalidate-site-cache', { domain });
  const stored = async () => (await key.get<{ total: number }>('/api/prerender/snapshots', { domain, limit: 1 })).total;
  type Batches = { batches: { done: number; failed: number; completedAt: string | null }[] };
  await until('the refresh of the site', 60, async () => {
    const { batches } = await key.get<Batches>('/api/prerender/batches', { domain, limit: 1 });
    return batches.length > 0;
  });
  let [last, since] = [0, Date.now()];
  await until('the snapshots of the site', 1_500, async () => {
    const { batches } = await key.get<Batches>('/api/prerender/batches', { domain, limit: 1 });
    const now = await stored();
    if (now !== last) [last, since] = [now, Date.now()];
    if (Date.now() - since > 120_000) throw new Error(`the refresh stands still at ${now}: ${JSON.stringify(batches)}`);
    return batches.every(({ completedAt }) => completedAt !== null);
  });
  return stored();
}
