// Answers per second of stored pages beside nginx serving the same bytes from a file and Varnish from memory, with wrk: measureServing(). Used by run.mjs.
// One page of about 60 KB, keep-alive, as a crawler with a key asks for it; nginx and the service take turns.
import { writeFileSync } from 'node:fs';
import { pause } from '../e2e/lib/ports.mjs';
import { scratch } from '../e2e/lib/programs.mjs';
import { keyApi } from '../e2e/lib/service.mjs';
import { wrk } from './edge.mjs';
import { fetchPage } from './load.mjs';
import { prepareGlasshouse, startGlasshouse, startNginx, startVarnish } from './services.mjs';

const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const TARGET = 'http://bench.test/long/77';

/** Lets the stored page grow older than it keeps, and nothing be rendered any more. */
async function letAge(prepared) {
  await keyApi(prepared, prepared.key)('PATCH', '/api/domains/bench.test/settings', { onDemandRenderEnabled: false });
  await pause(3_500); // its age, and the time in which settings take effect
}

export async function measureServing({ site, binary, reps, seconds, add }) {
  // A page that is over its age and is not rendered on demand is answered by the durable tier: a `hit`. Without any memory
  // for pages each one is read from the disk again.
  const aged = { 'render.default_refresh_interval_s': 1 };
  const tiers = [
    ['edgeHit', 'nginxEdge', 'edge-hit', {}],
    ['hit', 'nginxHit', 'hit', aged],
    ['diskHit', 'nginxDisk', 'hit', { ...aged, 'render.memory_cache_bytes': 0 }],
  ];
  let nginx, varnish;
  for (const [ours, theirs, tier, extra] of tiers) {
    const prepared = await prepareGlasshouse(binary, site, ['bench.test'], { folder: `serving-${ours}`, ...extra });
    const headers = { 'x-service-api-key': prepared.key, 'user-agent': CRAWLER };
    const service = await startGlasshouse(prepared);
    const address = `${service.api}?url=${encodeURIComponent(TARGET)}`;
    const page = await fetchPage(address, headers);
    if (page.status !== 200) throw new Error(`the page of the serving benchmark answers ${page.status}`);
    if (tier === 'hit') await letAge(prepared);
    const file = scratch('page.html');
    writeFileSync(file, page.html);
    nginx ??= await startNginx(file, page.headers['content-type']);
    varnish ??= await startVarnish(nginx);
    console.error(`serving ${Buffer.byteLength(page.html)} bytes as ${tier}`);

    const expectTier = async () => {
      const [answer, plain] = [await fetchPage(address, headers), await fetchPage(nginx.address)];
      const got = answer.headers['x-service-render-cache'];
      if (got !== tier || answer.html !== plain.html) throw new Error(`expected the bytes of nginx as ${tier}, got ${answer.status} ${got}`);
    };
    const asMarkdown = { ...headers, accept: 'text/markdown' };
    const isMarkdown = (await fetchPage(address, asMarkdown)).headers['content-type']?.startsWith('text/markdown');
    if (!isMarkdown) throw new Error('the page of the serving benchmark is no Markdown');
    await expectTier();
    wrk(address, headers, 1);
    for (let rep = 0; rep < reps; rep += 1) {
      add(theirs, { perSecond: wrk(nginx.address, { 'user-agent': CRAWLER }, seconds) });
      await expectTier();
      add(ours, { perSecond: wrk(address, headers, seconds) });
      await expectTier();
      if (tier !== 'edge-hit') continue;
      add('varnish', { perSecond: wrk(varnish.address, { 'user-agent': CRAWLER }, seconds) });
      add('markdown', { perSecond: wrk(address, asMarkdown, seconds) });
    }
    await service.stop();
  }
  await varnish.stop();
  await nginx.stop();
}
