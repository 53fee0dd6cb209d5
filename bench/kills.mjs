// Kills the service or its ClickHouse at random moments while spools are applied, and counts: nothing may be lost or be there twice.
//   scripts/with-clickhouse.sh node bench/kills.mjs --binary FILE [--kills N] [--seed N]
// Both are killed by SIGKILL, by the process ids of those that this run started. Each round leaves files in the spool, as a
// process does that is killed before it applied them, and starts what is not running.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { random } from './seo/words.mjs';
import { prepareGlasshouse, scratch, startGlasshouse, stopAll } from './services.mjs';
import { leaveSpool } from './visits.mjs';

const { values: options } = parseArgs({ options: { binary: { type: 'string' }, kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } } });
const server = process.env.GLASSHOUSE_TEST_CLICKHOUSE, pidFile = process.env.GLASSHOUSE_TEST_CLICKHOUSE_PID;
if (!options.binary || !server || !pidFile) throw new Error('usage: scripts/with-clickhouse.sh node bench/kills.mjs --binary FILE');

// Together no more than a day has room for: pages beyond would be counted as one.
const FILES = 2, kills = Number(options.kills), ROWS = Math.min(200, Math.floor(90_000 / ((kills + 1) * FILES)));
const next = random(Number(options.seed)), wait = (ms) => new Promise((done) => setTimeout(done, ms));

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
  const answer = await fetch(`http://127.0.0.1:${prepared.port}/api/analytics/bots/summary?days=2&domain=kills.test`, { headers: { 'x-service-api-key': prepared.key } });
  if (answer.status === 503 || answer.status === 429) return null;
  if (answer.status !== 200) throw new Error(`the summary answers ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Waits until the spool is empty and the reports answer. */
async function settled(prepared, spool) {
  for (let tries = 0; tries < 60; tries += 1) {
    await wait(1_000);
    const summary = readdirSync(spool).length === 0 ? await counted(prepared) : null;
    if (summary) return summary;
  }
  const log = readFileSync(join(scratch, 'glasshouse.log'), 'utf8').split('\n').slice(-12).join('\n');
  throw new Error(`the spool was not applied within a minute: ${readdirSync(spool).length} files are left; the end of the log:\n${log}`);
}

try {
  const prepared = await prepareGlasshouse(options.binary, { port: 9 }, ['kills.test'], { GLASSHOUSE_ANALYTICS__STORE_URL: server });
  const spool = join(prepared.folder, 'spool');
  let service = await startGlasshouse(prepared);
  const { domains } = await (await fetch(`http://127.0.0.1:${prepared.port}/api/domains`, { headers: { 'x-service-api-key': prepared.key } })).json();
  await service.stop({ signal: 'SIGKILL' });
  const killed = { service: 0, server: 0 }, began = Date.now();
  let files = 0;
  for (let round = 0; round <= kills; round += 1) {
    leaveSpool(spool, domains[0].id, began, { first: files, files: FILES, rows: ROWS });
    files += FILES;
    service = await startGlasshouse(prepared);
    if (round === kills) break;
    await wait(next() * 150);
    if (next() < 0.5) {
      if (killServer()) killed.server += 1;
      // The service is there while it comes back, and tries again; then it goes as well, without a kill that counts.
      await wait(next() * 1_500);
    } else {
      killed.service += 1;
    }
    await service.stop({ signal: 'SIGKILL' });
  }
  const summary = await settled(prepared, spool), expected = files * ROWS;
  console.log(JSON.stringify({ killed, expected, visits: summary.totalCrawlsServed, pages: summary.totalPagesCrawled }));
  if (summary.totalCrawlsServed !== expected || summary.totalPagesCrawled !== expected) process.exitCode = 1;
} finally {
  await stopAll();
}
