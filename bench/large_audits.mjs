// What an audit keeps of a site that it knows a million addresses of, and how fast it is where every page is rendered:
// measureAddresses(), measureRendered(). Used by audits.mjs.
import { createServer } from 'node:http';
import { freePort, listen, pause } from '../e2e/lib/ports.mjs';
import { keyApi } from '../e2e/lib/service.mjs';
import { measure } from './load.mjs';
import { prepareGlasshouse, startGlasshouse } from './services.mjs';
import { auditCost } from './seo/cost.mjs';

const LINKS = 200, MAP = 50_000;
const TOPICS = ['harbour', 'morning-letters', 'window', 'river', 'winter-garden', 'market', 'paper-lanterns', 'stone-bridge'];
const pathOf = (number) => `/${TOPICS[number % TOPICS.length]}/number-${number}.html`;
const numbers = (first, count) => Array.from({ length: count }, (_, index) => first + index);

/** A site of `count` addresses, which pages link and sitemaps list: each page names two hundred that no other page does. */
async function serveMany(count) {
  const port = await freePort(), root = `http://127.0.0.1:${port}`;
  const mapsOf = numbers(0, Math.ceil(count / MAP)).map((map) => `<sitemap><loc>${root}/map-${map}.xml</loc></sitemap>`).join('');
  const answers = [
    [/^\/robots\.txt$/, () => ['text/plain', `User-agent: *\nAllow: /\nSitemap: ${root}/sitemap.xml\n`]],
    [/^\/sitemap\.xml$/, () => ['application/xml', `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${mapsOf}</sitemapindex>`]],
    [/^\/map-(\d+)\.xml$/, (map) => ['application/xml', `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${
      numbers(map * MAP, Math.min(MAP, count - map * MAP)).map((number) => `<url><loc>${root}${pathOf(number)}</loc></url>`).join('')}</urlset>`]],
    [/^(?:\/|\/.*-(\d+)\.html)$/, (number = 0) => ['text/html', `<!doctype html><html lang="en"><head><title>Number ${number} of many</title></head><body><main><h1>Number ${number}</h1><ul>${
      numbers(Number(number) * LINKS + 1, LINKS).filter((target) => target < count).map((target) => `<li><a href="${pathOf(target)}">Number ${target}</a></li>`).join('')}</ul></main></body></html>`]],
  ];
  const site = await listen(createServer((request, response) => {
    for (const [pattern, answer] of answers) {
      const found = pattern.exec(request.url);
      if (!found) continue;
      const [type, body] = answer(found[1]);
      response.writeHead(200, { 'content-type': type });
      return response.end(body);
    }
    response.writeHead(404);
    return response.end();
  }), port);
  return { address: `${root}/`, close: site.close };
}

/** Audits a few thousand pages of a site of `count` addresses, known by links and by sitemaps, and tells the memory. */
export async function measureAddresses({ binary, count, env, add }) {
  const site = await serveMany(count), pages = ['--max-pages', String(Math.ceil(count / LINKS))];
  for (const [name, more] of [['manyLinks', pages], ['manyListed', [...pages, '--mode', 'sitemap']]]) {
    const { pages: audited, peakMb } = await auditCost(binary, site.address, more, env);
    console.error(`  ${audited} pages of ${count} addresses, ${name}: ${peakMb} MB`);
    add(name, { peakMb });
  }
  await site.close();
}

/** Audits pages that scripts make, and renders as many others of the same kind by asking for them. */
export async function measureRendered({ binary, site, pages, reps, add }) {
  const prepared = await prepareGlasshouse(binary, site, ['bench.test'], { folder: 'rendered' });
  const service = await startGlasshouse(prepared), api = keyApi(service, prepared.key), runs = '/api/seo-spider/runs';
  const article = (number) => `http://bench.test/article/${number}`;
  const audit = async (first) => {
    const { runId } = await api('POST', runs, { domain: 'bench.test', urls: numbers(first, pages).map(article), mode: 'selected', allowSampling: false });
    for (;;) {
      await pause(1000);
      const { run } = await api('GET', `${runs}/${runId}?limit=1`);
      if (run.completedAt === null) continue;
      if (run.pagesCrawled !== pages) throw new Error(`${run.pagesCrawled} of ${pages} pages: ${run.status}`);
      const perSecond = (1000 * pages) / (run.completedAt - run.startedAt);
      console.error(`  an audit that renders: ${perSecond.toFixed(2)} pages/s`);
      return { perSecond };
    }
  };
  const direct = (first) => measure({
    pid: service.pid, headers: service.headers, inFlight: 18,
    pages: numbers(first, pages).map((number) => ({ address: service.base + encodeURIComponent(article(number)), kind: 'article', number })),
  });
  await direct(300_000);
  for (let rep = 0; rep < reps; rep += 1) {
    const turns = [['auditRendered', audit], ['renderedDirectly', direct]];
    for (const [at, [name, run]] of (rep % 2 ? turns.reverse() : turns).entries()) {
      add(name, await run(310_000 + (2 * rep + at) * pages));
    }
  }
  await service.stop();
}
