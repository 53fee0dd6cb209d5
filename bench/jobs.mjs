// The job queue beside graphile_worker on the same PostgreSQL, and how busy a refresh keeps the browsers: measureJobs().
// Used by run.mjs. What the queue takes for itself is read off the service's own metrics, with millions of jobs in it. A refresh stands against the rate at which the same service renders when it is asked directly, and is looked
// at for the share of the processors it uses and for what it does to a page that somebody asks for meanwhile.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listen, pause } from '../e2e/lib/ports.mjs';
import { keyApi } from '../e2e/lib/service.mjs';
import { fetchPage, measure } from './load.mjs';
import { percentile, watchProcessors } from './meter.mjs';
import { buildPeer, prepareGlasshouse, privateServer, startGlasshouse } from './services.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const NAMES = {
  'ours on PostgreSQL': 'jobsPostgres',
  'ours on SQLite': 'jobsSqlite',
  'graphile_worker as it comes': 'graphile',
  'graphile_worker tuned': 'graphileTuned',
};

/** Builds the program that runs the queues, with a private PostgreSQL, and adds its figures. */
function measureQueues({ jobs, reps, add }) {
  const program = buildPeer('jobs', 'bench-jobs');
  const command = `"$0" "$GLASSHOUSE_TEST_POSTGRES" ${jobs} ${reps}`;
  const report = execFileSync(join(root, 'scripts/with-postgres.sh'), ['bash', '-c', command, program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  for (const line of report.split('\n').filter((text) => text.startsWith('{'))) {
    const result = JSON.parse(line);
    console.error(`  ${result.name}: ${result.bothPerSecond} jobs/s queued and run`);
    add(NAMES[result.name], { perSecond: result.bothPerSecond });
  }
}

/** Runs a batch of so many pages, one of whose four origins is dead; the program fails unless every other page ran once. */
function measureLargeBatch({ pages, add }) {
  const program = buildPeer('jobs', 'bench-jobs');
  const command = `"$0" "$GLASSHOUSE_TEST_POSTGRES" batch ${pages}`;
  const report = execFileSync(join(root, 'scripts/with-postgres.sh'), ['bash', '-c', command, program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  for (const line of report.split('\n').filter((text) => text.startsWith('{'))) {
    const result = JSON.parse(line);
    console.error(`  ${result.name}: ${result.ranPerSecond} pages/s of the living origins, the dead one asked ${result.deadAsked} times`);
    add(result.name.endsWith('SQLite') ? 'batchSqlite' : 'batchPostgres', { perSecond: result.ranPerSecond, asked: result.deadAsked });
  }
}

/** Fills a queue: half of it gave up, half waits for 200 servers that rest. `numbers` makes rows with a number `i`. */
const deepQueue = (numbers) => [
  `insert into jobs (id, kind, account_id, priority, turn, state, payload, attempts, max_attempts, run_at, again, created_at, ended_at)
     select 'dead' || i, 'RefreshPage', 'account' || (i % 500), 2, i, 'dead', '{}', 3, 3, 0, false, NOW, NOW from ${numbers}`,
  `insert into jobs (id, kind, account_id, lane, priority, turn, state, payload, attempts, max_attempts, run_at, again, created_at)
     select 'waiting' || i, 'RefreshPage', 'account' || (i % 500), 'resting' || (i % 200), 2, i, 'waiting', '{}', 0, 3, 0, false, NOW from ${numbers}`,
  `insert into job_lanes (lane, failures, rest_until, rest_id, troubled_since)
     select 'resting' || (i - 1), 5, NOW + 86400000, 'bench', NOW from ${numbers} where i <= 200`,
  'analyze',
].map((sql) => `${sql.replaceAll('NOW', String(Date.now()))};`).join('\n');

/** What the queue takes for itself when it holds so many jobs that gave up and wait: a claim, a sweep, counting depths. */
async function measureDeepQueue({ engine, settings, fill, binary, site, jobs, add }) {
  const prepared = await prepareGlasshouse(binary, site, ['bench.test'], { folder: `deep-${engine}`, ...settings });
  const half = Math.ceil(jobs / 2);
  fill(prepared, half);
  const service = await startGlasshouse(prepared);
  await pause(30_000);
  const text = await (await fetch(`http://${prepared.env.GLASSHOUSE_TELEMETRY__METRICS_LISTEN}/metrics`)).text();
  await service.stop();
  for (const what of ['claim', 'sweep', 'depth']) {
    const of = (part) => Number(new RegExp(`^glasshouse_jobs_upkeep_seconds_${part}{[^}]*what="${what}"[^}]*} (\\S+)`, 'm').exec(text)?.[1] ?? NaN);
    const latencyMs = (1000 * of('sum')) / of('count');
    console.error(`  ${engine} with ${jobs} jobs: one ${what} takes ${latencyMs.toFixed(1)} ms`);
    add(`deep-${engine}-${what}`, { latencyMs });
  }
}

async function measureDeepQueues({ binary, site, jobs, add }) {
  const common = { binary, site, jobs, add };
  const counted = (half) => `(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${half}) select i from n) as numbers`;
  const sqlite = ({ folder }, half) => execFileSync('sqlite3', [join(folder, 'glasshouse.db')], { input: deepQueue(counted(half)) });
  await measureDeepQueue({ ...common, engine: 'sqlite', settings: {}, fill: sqlite });
  const server = await privateServer('with-postgres.sh', 'GLASSHOUSE_TEST_POSTGRES');
  const postgres = (_, half) => execFileSync('psql', [server.url, '-q'], { input: deepQueue(`generate_series(1, ${half}) as numbers (i)`) });
  try {
    await measureDeepQueue({ ...common, engine: 'postgres', settings: { 'storage.database_url': server.url }, fill: postgres });
  } finally {
    await server.stop();
  }
}

/** Refreshes so many pages of a sitemap; answers pages per second from the call to the end of the batch. */
async function refresh(api, first, count, map) {
  map.body = `<urlset>${Array.from({ length: count }, (_, index) => `<url><loc>https://bench.test/article/${first + index}</loc></url>`).join('')}</urlset>`;
  const start = performance.now();
  const answer = await api('POST', '/api/prerender/cache/invalidate-site-cache', { domain: 'bench.test', sitemapUrl: 'https://map.test/sitemap.xml' });
  if (!answer.accepted) throw new Error(`the refresh was not accepted: ${JSON.stringify(answer)}`);
  for (;;) {
    const batch = await api('GET', `/api/prerender/batches/${answer.batchGroupId}`);
    if (batch.completedAt) {
      if (batch.done !== count) throw new Error(`the refresh ended with ${JSON.stringify(batch)}`);
      return count / ((performance.now() - start) / 1000);
    }
    await pause(100);
  }
}

/** Renders one page after the other with a breath between them, as visitors come, until told to stop: how long each took. */
async function onDemand(service, pages, isOver) {
  const latencies = [];
  for (const { address } of pages) {
    if (isOver()) break;
    const started = performance.now(), answer = await fetchPage(address, service.headers);
    if (answer.status !== 200) throw new Error(`${address} answered ${answer.status}`);
    latencies.push(performance.now() - started);
    await pause(250);
  }
  return latencies;
}

export async function measureJobs({ site, binary, reps, quick, add }) {
  measureQueues({ jobs: quick ? 5_000 : 100_000, reps, add });
  measureLargeBatch({ pages: quick ? 20_000 : 1_000_000, add });
  await measureDeepQueues({ binary, site, jobs: quick ? 20_000 : 5_000_000, add });

  const map = { body: '' }, server = await listen(createServer((_, response) => response.end(map.body)));
  const prepared = await prepareGlasshouse(binary, site, ['bench.test'], {
    folder: 'refresh',
    'network.hosts': { 'bench.test': `127.0.0.1:${site.port}`, 'map.test': server.host },
  });
  const service = await startGlasshouse(prepared), count = quick ? 40 : 1_000;
  const pages = (first, length) => Array.from({ length }, (_, index) => ({
    address: service.base + encodeURIComponent(`https://bench.test/article/${first + index}`), kind: 'article', number: first + index,
  }));
  for (let rep = 0; rep < reps; rep += 1) {
    const first = 700_000 + rep * 10_000;
    const direct = await measure({ pid: service.pid, pages: pages(first, Math.min(count, 200)), inFlight: 18, headers: service.headers });
    add('direct', { perSecond: direct.perSecond });
    const alone = await onDemand(service, pages(first + 1_000, 20), () => false);
    const processors = watchProcessors();
    let ended = false;
    const meanwhile = onDemand(service, pages(first + 2_000, 500), () => ended);
    const refreshed = await refresh(keyApi(prepared, prepared.key), first + 5_000, count, map);
    add('refreshBusy', { percent: 100 * processors.stop() });
    ended = true;
    const asked = await meanwhile;
    // The browsers rendered both.
    add('refresh', { perSecond: refreshed + (asked.length * refreshed) / count });
    add('onDemandAlone', { latencyMs: percentile(alone, 0.5) });
    add('onDemandMeanwhile', { latencyMs: percentile(asked, 0.5) });
  }
  await service.stop();
  server.close();
}
