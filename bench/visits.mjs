// Crawler analytics on SQLite, PostgreSQL and ClickHouse: how fast logs are imported and spools are applied, how long the reports
// of the largest domain take, and how much disk a visit needs: measureVisits(). Used by run.mjs. The data are made from a fixed
// seed: 180 days, 30 crawlers, 200 domains of very different sizes; a domain has a page for every 20 visits, at most 20,000.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { accepts, pause } from '../e2e/lib/ports.mjs';
import { keyApi } from '../e2e/lib/service.mjs';
import { percentile } from './meter.mjs';
import { measureRecording } from './recording.mjs';
import { random } from './seo/words.mjs';
import { createKey, prepareGlasshouse, privateServer, startGlasshouse } from './services.mjs';

const DAYS = 180, VISITS_PER_PAGE = 20, MOST_PAGES = 20_000;
// A spool with so many rows, all of different pages, is what a busy hour without the database leaves.
const SPOOL_FILES = 100, SPOOL_ROWS = 1_000;
// A key may ask 60 times a minute.
const REQUESTS = 50, WARM = 5;
const LARGE_SEED = 10_000;
const connections = new Agent({ keepAlive: true });
const CRAWLERS = [
  'Googlebot/2.1', 'bingbot/2.0', 'GPTBot/1.2', 'ClaudeBot/1.0', 'PerplexityBot/1.0', 'OAI-SearchBot/1.0', 'ChatGPT-User/1.0', 'Applebot/0.1', 'YandexBot/3.0',
  'Baiduspider/2.0', 'DuckDuckBot/1.1', 'AhrefsBot/7.0', 'SemrushBot/7', 'MJ12bot/v1.4.8', 'DotBot/1.2', 'CCBot/2.0', 'Amazonbot/0.1', 'Bytespider', 'facebookexternalhit/1.1',
  'Twitterbot/1.0', 'LinkedInBot/1.0', 'PetalBot', 'meta-externalagent/1.1', 'Claude-User/1.0', 'Perplexity-User/1.0', 'Slackbot 1.0', 'Pinterestbot/1.0', 'YouBot/1.0', 'SeznamBot/4.0', 'Discordbot/2.0',
];

/** How many visits each domain has: the logarithms are even, the first domain is the largest. */
function sizes(visits, domains) {
  const next = random(1), weights = Array.from({ length: domains }, (_, index) => (index === 0 ? 700 : Math.exp(next() * Math.log(500))));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => Math.max(1, Math.round((visits * weight) / all)));
}

/** The log of a domain in pieces of some thousand lines, oldest first. */
function* log(domain, visits, now) {
  const pages = Math.min(MOST_PAGES, Math.max(20, Math.round(visits / VISITS_PER_PAGE)));
  const next = random(1000 + domain), step = (DAYS * 86_400_000) / visits, start = now - DAYS * 86_400_000;
  let lines = '';
  for (let visit = 0; visit < visits; visit += 1) {
    const way = next(), crawler = CRAWLERS[Math.floor(CRAWLERS.length * next() ** 2)];
    const [servedBy, ms] = way < 0.85 ? ['cache', 2 + 20 * next()] : way < 0.95 ? ['render', 500 + 3000 * next()] : ['origin', 200 * next()];
    const item = Math.floor(pages * next() ** 3), path = `/products/category-${item % 40}/item-${item}`;
    const status = next() < 0.03 ? 404 : 200;
    lines += `{"ts":${Math.floor(start + visit * step)},"path":"${path}","userAgent":"Mozilla/5.0 (compatible; ${crawler})","servedBy":"${servedBy}","status":${status},"durationMs":${ms.toFixed(1)}}\n`;
    if (lines.length > 1_000_000) {
      yield lines;
      lines = '';
    }
  }
  yield lines;
}

/** Imports a domain's log; answers its bytes. */
async function importLog(prepared, domain, pieces) {
  const args = ['analytics', 'import', '--domain', domain, '--format', 'ndjson', '-'];
  const child = spawn(prepared.binary, args, { cwd: prepared.folder, env: { ...process.env, ...prepared.env }, stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  let bytes = 0;
  for (const piece of pieces) {
    bytes += piece.length;
    if (!child.stdin.write(piece)) await new Promise((again) => child.stdin.once('drain', again));
  }
  child.stdin.end();
  if (await ended !== 0) throw new Error(`the log of ${domain} was not imported`);
  return bytes;
}

/** Asks once, with gzip, to the last byte; the answer is not unpacked: that is the client's time. */
const ask = (service, key, path) => new Promise((resolve, reject) => {
  const headers = { 'x-service-api-key': key, 'accept-encoding': 'gzip' };
  const request = get({ host: '127.0.0.1', port: service.port, agent: connections, path: `/api/analytics/${path}`, headers }, (answer) => {
    answer.on('error', reject).on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${path} answered ${answer.statusCode}`)))).resume();
  });
  request.on('error', reject);
});

/** The 95th percentile of how long a report takes. */
async function report(service, key, path) {
  const times = [];
  for (let request = 0; request < WARM + REQUESTS; request += 1) {
    const start = performance.now();
    await ask(service, key, path);
    if (request >= WARM) times.push(performance.now() - start);
  }
  return percentile(times, 0.95);
}

/** The service once it has done what a start does beside answering: its browser starts as well. */
async function started(prepared) {
  const service = await startGlasshouse(prepared);
  await pause(3_000);
  return service;
}

async function measureReports({ prepared, name, domain, now, what, add, suffix = '' }) {
  const asked = Object.entries(reports(domain, now)).filter(([report]) => what.includes(report));
  const service = await started(prepared);
  for (const [of, path] of asked) {
    const latencyMs = await report(service, await createKey(prepared, of + suffix), path);
    console.error(`  ${name}: ${of}${suffix} ${latencyMs.toFixed(1)} ms at p95`);
    add(`${name}${of}${suffix}`, { latencyMs });
  }
  await service.stop();
}

const day = (now, daysAgo) => new Date(now - daysAgo * 86_400_000).toISOString().slice(0, 10);
const reports = (domain, now) => ({
  Page: `page-insights?days=30&url=${encodeURIComponent(`https://${domain}/products/category-1/item-0`)}&domain=${domain}`,
  Daily: `bots/daily?days=30&domain=${domain}`,
  Summary: `bots/summary?days=30&domain=${domain}`,
  Bots: `bots?domain=${domain}`,
  BotsLong: `bots?domain=${domain}&from=${day(now, 179)}&to=${day(now, 0)}`,
});

/** Values as postcard writes them: numbers seven bits to a byte, signed ones zigzag, texts and lists behind their length. */
const postcard = {
  number(value) {
    const bytes = [];
    for (let rest = value; ; rest = Math.floor(rest / 128)) {
      if (rest < 128) return Buffer.from([...bytes, rest]);
      bytes.push((rest % 128) + 128);
    }
  },
  signed: (value) => postcard.number(value < 0 ? -2 * value - 1 : 2 * value),
  text: (value) => Buffer.concat([postcard.number(Buffer.byteLength(value)), Buffer.from(value)]),
  list: (values) => Buffer.concat([postcard.number(values.length), ...values]),
};

/** A spool that a killed process left behind: files of records (length, checksum, 1, counts) with rows of different pages. */
export function leaveSpool(folder, domain, now, { first, files, rows }) {
  mkdirSync(folder, { recursive: true });
  const today = Math.floor(now / 86_400_000), UNKNOWN = 2, CACHE = 0, { number, signed, text, list } = postcard;
  for (let file = first; file < first + files; file += 1) {
    const page = (row) => Buffer.concat([text(domain), signed(today), text(`/spooled/${file}/${row}`), text('googlebot'), number(UNKNOWN), number(CACHE), number(200), number(1)]);
    const times = [Buffer.concat([text(domain), signed(today), number(CACHE), signed(file % 500), number(rows)])];
    const record = Buffer.concat([number(1), list(Array.from({ length: rows }, (_, row) => page(row))), list(times), list([])]);
    const head = Buffer.alloc(8);
    head.writeUInt32LE(record.length, 0);
    head.writeUInt32LE(crc32(record), 4);
    writeFileSync(join(folder, `${String(file).padStart(8, '0')}.visits`), Buffer.concat([head, record]));
  }
}

/** Starts the service on a full spool: rows a second, from the first file that is gone to the last one. */
async function applySpool(prepared, domain) {
  const folder = join(prepared.folder, 'spool'), service = await startGlasshouse(prepared);
  const { domains } = await keyApi(service, prepared.key)('GET', '/api/domains');
  await service.stop();
  leaveSpool(folder, domains.find((known) => known.domain === domain).id, Date.now(), { first: 0, files: SPOOL_FILES, rows: SPOOL_ROWS });
  const left = () => readdirSync(folder).filter((file) => file.startsWith('0')).length;
  const started = startGlasshouse(prepared, { ready: () => accepts(prepared.port) });
  let first = null;
  for (;;) {
    const files = left();
    if (files < SPOOL_FILES) first ??= { files, at: performance.now() };
    if (files === 0) break;
    await pause(5);
  }
  const rows = first.files * SPOOL_ROWS, seconds = (performance.now() - first.at) / 1000;
  await (await started).stop();
  return rows / seconds;
}

async function measureStore({ name, settings, disk, binary, site, visits, domains, quick, add }) {
  const names = Array.from({ length: domains }, (_, index) => `visits-${index}.test`), now = Date.now();
  const prepared = await prepareGlasshouse(binary, site, names, { folder: `visits-${name}`, ...settings });
  let [bytes, seconds] = [0, 0];
  for (const [index, count] of sizes(visits, domains).entries()) {
    const pieces = [...log(index, count, now)], start = performance.now();
    bytes += await importLog(prepared, names[index], pieces);
    seconds += (performance.now() - start) / 1000;
  }
  console.error(`  ${name}: ${Math.round(visits / seconds)} visits/s, ${(bytes / 1e6 / (seconds / 60)).toFixed(0)} MB of log a minute imported`);
  add(`${name}Import`, { perSecond: visits / seconds });
  add(`${name}ImportMb`, { perSecond: bytes / 1e6 / (seconds / 60) });
  await measureReports({ prepared, name, domain: names[0], now, what: Object.keys(reports('', now)), add });
  const applied = await applySpool(prepared, names[1]);
  console.error(`  ${name}: ${Math.round(applied)} rows/s applied from the spool`);
  add(`${name}Apply`, { perSecond: applied });
  const perVisit = (await disk(prepared)) / visits;
  console.error(`  ${name}: ${perVisit.toFixed(1)} bytes a visit`);
  add(`${name}Disk`, { perSecond: perVisit });
  if (quick) return;
  // Days and first days are looked up by domain: of ten times the visits only the largest domain's matter.
  await importLog(prepared, names[0], log(LARGE_SEED, 9 * sizes(visits, domains)[0], now));
  await measureReports({ prepared, name, domain: names[0], now, what: ['Daily', 'Summary'], add, suffix: 'Large' });
}

const filesOf = (folder, prefix) => readdirSync(folder).filter((file) => file.startsWith(prefix)).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);

/** Asks ClickHouse for one number. */
async function askClickHouse(url, sql) {
  const { host, username, password, pathname } = new URL(url.replace('clickhouse:', 'http:'));
  const headers = { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password };
  return Number(await (await fetch(`http://${host}/?database=${pathname.slice(1)}`, { method: 'POST', headers, body: sql })).text());
}

async function withPostgres(run) {
  const server = await privateServer('with-postgres.sh', 'GLASSHOUSE_TEST_POSTGRES');
  try {
    await run(server.url);
  } finally {
    await server.stop();
  }
}

async function onPostgres({ common, recording }) {
  await withPostgres(async (url) => {
    const size = () => Number(execFileSync('psql', [url, '-Atc', 'select pg_database_size(current_database())'], { encoding: 'utf8' }));
    await measureStore({ ...common, name: 'visitsPostgres', settings: { 'storage.database_url': url }, disk: size });
  });
  await withPostgres((url) => recording('recordedPostgres', { 'storage.database_url': url }));
}

async function onClickHouse({ common }) {
  const clickhouse = await privateServer('with-clickhouse.sh', 'GLASSHOUSE_TEST_CLICKHOUSE');
  const parts = () => askClickHouse(clickhouse.url, "select sum(bytes_on_disk) from system.parts where active and database = currentDatabase()");
  try {
    await measureStore({ ...common, name: 'visitsClickHouse', settings: { 'analytics.store_url': clickhouse.url }, disk: parts });
  } finally {
    await clickhouse.stop();
  }
}

export async function measureVisits({ site, binary, visits, stores, quick, reps, seconds, add }) {
  const common = { binary, site, visits, domains: quick ? 5 : 200, quick, add };
  const recording = (name, settings) => measureRecording({ name, settings, binary, site, crawlers: CRAWLERS, seconds, reps, add });
  if (stores.includes('sqlite')) {
    await measureStore({ ...common, name: 'visitsSqlite', settings: {}, disk: ({ folder }) => filesOf(folder, 'glasshouse.db') });
    await recording('recordedSqlite', {});
  }
  if (stores.includes('postgres')) await onPostgres({ common, recording });
  if (stores.includes('clickhouse')) await onClickHouse({ common });
}
