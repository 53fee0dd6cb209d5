// Kills the service or its ClickHouse at random moments while spools are applied, and counts: nothing may be lost or be there twice.
//   scripts/with-clickhouse.sh node bench/kills.mjs --binary FILE [--kills N] [--seed N]
// Both are killed by SIGKILL, by the process ids of those that this run started. Each round leaves files in the spool, as a
// process does that is killed before it applied them, and starts what is not running.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { accepts, pause } from '../e2e/lib/ports.mjs';
import { endAll, endOfLog } from '../e2e/lib/programs.mjs';
import { keyApi } from '../e2e/lib/service.mjs';
import { random } from './seo/words.mjs';
import { prepareGlasshouse, startGlasshouse } from './services.mjs';
import { leaveSpool } from './visits.mjs';

const { values: options } = parseArgs({ options: { binary: { type: 'string' }, kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } } });
const server = process.env.GLASSHOUSE_TEST_CLICKHOUSE, pidFile = process.env.GLASSHOUSE_TEST_CLICKHOUSE_PID;
if (!options.binary || !server || !pidFile) throw new Error('usage: scripts/with-clickhouse.sh node bench/kills.mjs --binary FILE');

// Together no more than a day has room for: pages beyond would be counted as one.
const FILES = 2, kills = Number(options.kills), ROWS = Math.min(200, Math.floor(90_000 / ((kills + 1) * FILES)));
const next = random(Number(options.seed));

/** Kills the server, unless it is dead already: it takes a moment to come back. */
function killServer() {
  const pid = Number(readFileSync(pidFile, 'utf8'));
  if (!(pid > 1)) throw new Error(`${pidFile} names no process`);
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}

/** What the reports say of the domain; null while they cannot. */
async function counted(prepared) {
  return keyApi(prepared, prepared.key)('GET', '/api/analytics/bots/summary?days=2&domain=kills.test').catch((error) => {
    if (error.status === 503 || error.status === 429) return null;
    throw error;
  });
}

/** Waits until the spool is empty and the reports answer. */
async function settled(prepared, spool) {
  for (let tries = 0; tries < 60; tries += 1) {
    await pause(1_000);
    const summary = readdirSync(spool).length === 0 ? await counted(prepared) : null;
    if (summary) return summary;
  }
  const log = endOfLog(join(prepared.folder, 'service.log'));
  throw new Error(`the spool was not applied within a minute: ${readdirSync(spool).length} files are left; the end of the log:\n${log}`);
}

try {
  const prepared = await prepareGlasshouse(options.binary, { port: 9 }, ['kills.test'], { 'analytics.store_url': server });
  const spool = join(prepared.folder, 'spool');
  // Killed while it starts too.
  const start = () => startGlasshouse(prepared, { ready: () => accepts(prepared.port) });
  let service = await start();
  const { domains } = await keyApi(prepared, prepared.key)('GET', '/api/domains');
  await service.stop({ signal: 'SIGKILL' });
  const killed = { service: 0, server: 0 }, began = Date.now();
  let files = 0;
  for (let round = 0; round <= kills; round += 1) {
    leaveSpool(spool, domains[0].id, began, { first: files, files: FILES, rows: ROWS });
    files += FILES;
    service = await start();
    if (round === kills) break;
    await pause(next() * 150);
    if (next() < 0.5) {
      if (killServer()) killed.server += 1;
      // The service is there while it comes back, and tries again; then it goes as well, without a kill that counts.
      await pause(next() * 1_500);
    } else {
      killed.service += 1;
    }
    await service.stop({ signal: 'SIGKILL' });
  }
  const summary = await settled(prepared, spool), expected = files * ROWS;
  console.log(JSON.stringify({ killed, expected, visits: summary.totalCrawlsServed, pages: summary.totalPagesCrawled }));
  if (summary.totalCrawlsServed !== expected || summary.totalPagesCrawled !== expected) process.exitCode = 1;
} finally {
  await endAll();
}
