// Answers per second of stored pages beside nginx serving the same bytes from a file, with wrk: measureServing(). Used by run.mjs.
// One page of about 60 KB, keep-alive, as a crawler with a key asks for it; nginx and the service take turns.
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { fetchPage } from './load.mjs';
import { prepareGlasshouse, scratch, startGlasshouse, startNginx } from './services.mjs';

const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const TARGET = 'http://bench.test/long/77';

/** Requests per second of one address; throws when an answer was not 2xx or a socket failed. */
function wrk(address, headers, seconds) {
  const threads = String(Math.min(2, cpus().length));
  const args = ['-t', threads, '-c', '32', '-d', `${seconds}s`, ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]), address];
  const report = execFileSync('wrk', args, { encoding: 'utf8' });
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(`wrk saw failures at ${address}:\n${report}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(report)[1]);
}

/** Lets the stored page grow older than it keeps, and nothing be rendered any more. */
async function letAge(prepared, headers) {
  const answer = await fetch(`http://127.0.0.1:${prepared.port}/api/domains/bench.test/settings`, {
    method: 'PATCH', headers: { ...headers, 'content-type': 'application/json' }, body: '{"onDemandRenderEnabled":false}',
  });
  if (!answer.ok) throw new Error(`on-demand rendering could not be switched off: ${answer.status} ${await answer.text()}`);
  await new Promise((done) => setTimeout(done, 3_500)); // its age, and the time in which settings take effect
}

export async function measureServing({ site, binary, reps, seconds, add }) {
  // A page that is over its age and is not rendered on demand is answered by the durable tier: a `hit`. Without any memory
  // for pages each one is read from the disk again.
  const aged = { GLASSHOUSE_RENDER__DEFAULT_REFRESH_INTERVAL_S: '1' };
  const tiers = [
    ['edgeHit', 'nginxEdge', 'edge-hit', {}],
    ['hit', 'nginxHit', 'hit', aged],
    ['diskHit', 'nginxDisk', 'hit', { ...aged, GLASSHOUSE_RENDER__MEMORY_CACHE_BYTES: '0' }],
  ];
  let nginx;
  for (const [ours, theirs, tier, extra] of tiers) {
    const prepared = await prepareGlasshouse(binary, site, ['bench.test'], { folder: `serving-${ours}`, ...extra });
    const headers = { 'x-service-api-key': prepared.key, 'user-agent': CRAWLER };
    const service = await startGlasshouse(prepared);
    const address = `${service.api}?url=${encodeURIComponent(TARGET)}`;
    const page = await fetchPage(address, headers);
    if (page.status !== 200) throw new Error(`the page of the serving benchmark answers ${page.status}`);
    if (tier === 'hit') await letAge(prepared, headers);
    const file = join(scratch, 'page.html');
    writeFileSync(file, page.html);
    nginx ??= await startNginx(file, page.headers['content-type']);
    console.error(`serving ${Buffer.byteLength(page.html)} bytes as ${tier}`);

    const expectTier = async () => {
      const [answer, plain] = [await fetchPage(address, headers), await fetchPage(nginx.address)];
      const got = answer.headers['x-service-render-cache'];
      if (got !== tier || answer.html !== plain.html) throw new Error(`expected the bytes of nginx as ${tier}, got ${answer.status} ${got}`);
    };
    await expectTier();
    wrk(address, headers, 1);
    for (let rep = 0; rep < reps; rep += 1) {
      add(theirs, { perSecond: wrk(nginx.address, { 'user-agent': CRAWLER }, seconds) });
      await expectTier();
      add(ours, { perSecond: wrk(address, headers, seconds) });
      await expectTier();
    }
    await service.stop();
  }
  await nginx.stop();
}
