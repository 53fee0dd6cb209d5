// 100,000 domains on SQLite and on PostgreSQL: how much longer the start takes, what a domain costs in memory, and what random hosts ask of
// the database: measureDirectory(). Used by run.mjs. The service is an edge alone; every domain has the same settings and an nginx for an origin.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepts, freePort, pause } from '../e2e/lib/ports.mjs';
import { scratch } from '../e2e/lib/programs.mjs';
import { fetchPage } from './load.mjs';
import { pssMb } from './meter.mjs';
import { prepareGlasshouse, privateServer, startGlasshouse, startNginx } from './services.mjs';

const SETTINGS = JSON.stringify({ originHost: 'asset.test', ignorePaths: '', preferredHost: null, redirectRules: [], customResponseHeaders: [], onDemandRenderEnabled: true, sitemapUrl: '', discoveredUrlCount: 0 });
const RENDERING = JSON.stringify({ refreshIntervalSeconds: 86400, refreshRules: [], waitForSelector: null, blockedUrls: [] });
const uuid = (number) => `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
const host = (number) => `a-shop-with-a-name-${number}.example`;

/** One database: `run` executes statements, `queries` says how many transactions it has had. */
const databases = {
  sqlite: (folder) => ({
    run: (sql) => execFileSync('sqlite3', [join(folder, 'glasshouse.db')], { input: `begin;${sql}commit;` }),
    queries: async () => null,
  }),
  postgres: (_, url) => ({
    run: (sql) => execFileSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', url], { input: sql }),
    queries: async () => {
      // Backends tell of their transactions once a second.
      await pause(1_500);
      return Number(execFileSync('psql', ['-qAt', url, '-c', 'select xact_commit from pg_stat_database where datname = current_database()'], { encoding: 'utf8' }));
    },
  }),
};

/** Accounts with ten domains each, in statements of a thousand rows. */
function rows(count) {
  const statements = [];
  const insert = (table, columns, all) => {
    for (let at = 0; at < all.length; at += 1_000) statements.push(`insert into ${table} (${columns}) values ${all.slice(at, at + 1_000).join(',')};`);
  };
  const accounts = Array.from({ length: count / 10 }, (_, number) => `('${uuid(number)}','owner-${number}@shop.example','enterprise',true,0)`);
  insert('accounts', 'id, email, plan, active, created_at', accounts);
  const domains = Array.from({ length: count }, (_, number) => `('${uuid(count + number)}','${uuid(Math.floor(number / 10))}','${host(number)}','connected',false,'${SETTINGS}','${RENDERING}',1,0,0,'${host(number)}')`);
  insert('domains', 'id, account_id, host, status, suspended, settings, rendering, version, created_at, updated_at, site', domains);
  return statements.join('\n');
}

/** Starts the service and waits for its first answer about a host: how long that took, and its memory then. */
async function start(prepared, edge) {
  const began = performance.now(), service = await startGlasshouse(prepared, { ready: () => accepts(edge) });
  while ((await fetchPage(`http://127.0.0.1:${edge}/`, { Host: 'nobody.example' }).catch(() => ({}))).status !== 421) await pause(10);
  return { service, seconds: (performance.now() - began) / 1000, memory: pssMb(service.pid) };
}

/** Asks for random hosts, one after another: how long that took, and how many transactions more than in as long a time without. */
async function ask(address, { asked, expected, name, database }) {
  const before = await database.queries(), began = performance.now();
  for (let number = 0; number < asked; number += 1) {
    const host = name(), { status } = await fetchPage(address, { Host: host });
    if (status !== expected) throw new Error(`${host} answers ${status}`);
  }
  const seconds = (performance.now() - began) / 1000, between = await database.queries();
  await pause(performance.now() - began);
  const after = await database.queries();
  return { seconds, queries: before === null ? null : Math.max(0, between - before - (after - between)) };
}

export async function measureDirectory({ site, binary, reps, quick, add }) {
  const asset = scratch('directory.png');
  writeFileSync(asset, randomBytes(1024));
  const origin = await startNginx(asset, 'image/png'), postgres = await privateServer('with-postgres.sh', 'GLASSHOUSE_TEST_POSTGRES');
  const count = quick ? 10_000 : 100_000, known = quick ? 500 : 3_000;
  for (const engine of ['sqlite', 'postgres']) {
    const edge = await freePort();
    const prepared = await prepareGlasshouse(binary, site, [], {
      folder: `directory-${engine}`,
      'server.roles': ['edge'],
      'edge.http_listen': `127.0.0.1:${edge}`,
      'network.hosts': { 'asset.test': `127.0.0.1:${origin.port}` },
      ...(engine === 'postgres' ? { 'storage.database_url': postgres.url } : {}),
    });
    const database = databases[engine](prepared.folder, postgres.url);
    const empty = await start(prepared, edge);
    await empty.service.stop();
    database.run(rows(count));
    for (let rep = 0; rep < reps; rep += 1) {
      const full = await start(prepared, edge);
      const bytes = ((full.memory - empty.memory) * 1024 * 1024) / count;
      add(`directory-${engine}`, { latencyMs: full.seconds * 1000, bytes });
      const told = [`${full.seconds.toFixed(2)} s to the first answer, ${empty.seconds.toFixed(2)} s without domains`, `${bytes.toFixed(0)} bytes a domain`];
      const kinds = { known: [200, known, () => host(Math.floor(Math.random() * count))], unknown: [421, 200, () => `${randomBytes(8).toString('hex')}.example`] };
      for (const [kind, [expected, asked, name]] of Object.entries(kinds)) {
        const { queries, seconds } = await ask(`http://127.0.0.1:${edge}/directory.png`, { asked, expected, name, database });
        if (queries === null) continue;
        add(`directory-${engine}-${kind}`, { queries: queries / asked, perSecond: queries / seconds });
        told.push(`${queries} more transactions than without for ${asked} ${kind} hosts in ${seconds.toFixed(1)} s`);
      }
      console.error(`  ${engine}: ${told.join('; ')}`);
      await full.service.stop();
    }
  }
  await origin.stop();
  await postgres.stop();
}
