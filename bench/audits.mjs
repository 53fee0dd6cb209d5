// Audits beside the `spider` crate on a site of plain files, what a run of 50,000 pages costs and answers, and what is in large_audits.mjs: measureAudits().
// Used by run.mjs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../e2e/lib/ports.mjs';
import { folderFor } from '../e2e/lib/programs.mjs';
import { keyApi, variables } from '../e2e/lib/service.mjs';
import { measureAddresses, measureRendered } from './large_audits.mjs';
import { fetchPage } from './load.mjs';
import { percentile, runMeasured } from './meter.mjs';
import { auditCost } from './seo/cost.mjs';
import { random, sentence, words } from './seo/words.mjs';
import { buildPeer, createKey, prepareGlasshouse, startGlasshouse, startNginx } from './services.mjs';

const DOMAIN = 'audited.test';

/** Pictures that the pages share, as those of real sites do. */
const PICTURES = 30;

/** One page of about 23 KB: 40 links, a thousand words, six pictures, the usual head. */
function pageOf(number, count, dice) {
  const title = `${words(dice, 'en', 3)} ${number}`;
  const links = [...Array.from({ length: 8 }, (_, at) => number * 8 + at + 1).filter((target) => target < count),
    ...Array.from({ length: 32 }, () => Math.floor(dice() * count))];
  const filling = '<div class="card card--wide grid grid-cols-2 gap-4 p-6 shadow"><span class="icon icon-small" aria-hidden="true"></span></div>'.repeat(60);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><meta name="description" content="${sentence(dice, 'en')} ${sentence(dice, 'en')} ${number}"><link rel="canonical" href="/page-${number}.html">
<meta property="og:title" content="${title}"><meta property="og:type" content="article"><meta property="og:image" content="/${number % PICTURES}.png">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"${title}","datePublished":"2026-01-02"}</script></head>
<body><header><nav><a href="/index.html">Start</a></nav></header><main><h1>${title}</h1>
${Array.from({ length: 14 }, (_, part) => `<h2>${words(dice, 'en', 2)} ${part}</h2><p>${Array.from({ length: 9 }, () => sentence(dice, 'en')).join(' ')}</p>`).join('\n')}
${Array.from({ length: 6 }, (_, part) => `<img src="/${(number + part) % PICTURES}.png" alt="${words(dice, 'en', 1)}" width="320" height="200">`).join('')}
<ul>${links.map((target) => `<li><a href="/page-${target}.html">${words(dice, 'en', 2)} ${target}</a></li>`).join('')}</ul></main>
${filling}<footer>The end</footer></body></html>`;
}

/** Writes the site and serves it by nginx. */
async function serveSite(count) {
  const folder = folderFor(`audited-${count}`), dice = random(count);
  for (let number = 0; number < count; number += 1) {
    const html = pageOf(number, count, dice);
    writeFileSync(join(folder, `page-${number}.html`), html);
    if (number === 0) writeFileSync(join(folder, 'index.html'), html);
  }
  for (let number = 0; number < PICTURES; number += 1) writeFileSync(join(folder, `${number}.png`), Buffer.alloc(8 * 1024));
  writeFileSync(join(folder, 'robots.txt'), 'User-agent: *\nAllow: /\n');
  return startNginx(join(folder, 'index.html'), 'text/html');
}

/** One crawl by the peer, in the same terms as an audit. */
async function spiderCost(program, url) {
  const { out, cpuMs, peakMb, seconds } = await runMeasured(program, [url]);
  const [, pages, missed] = /^(\d+) pages, (\d+) missed/m.exec(out).map(Number);
  if (missed > 0) console.error(`  spider: its reader missed ${missed} pages`);
  return { cpuPerPage: cpuMs / pages, peakMb, perSecond: pages / seconds };
}

const LOOPBACK = variables({ 'network.allow_private': ['127.0.0.0/8'] });
const say = (name, cost) => console.error(`  ${name}: ${cost.cpuPerPage.toFixed(3)} ms processor time a page, ${cost.peakMb} MB, ${cost.perSecond.toFixed(0)} pages/s`);

async function besideSpider({ binary, site, reps, add }) {
  const spider = buildPeer('peers/spider', 'bench-spider');
  for (let rep = 0; rep < reps; rep += 1) {
    const turns = [['audit', () => auditCost(binary, site.address, [], LOOPBACK)], ['spider', () => spiderCost(spider, site.address)]];
    for (const [name, run] of rep % 2 ? turns.reverse() : turns) {
      const cost = await run();
      say(name, cost);
      add(name, cost);
    }
  }
}

/** Milliseconds that each of `count` answers took, to the last byte; the keys take turns. */
async function answers(count, address, keys) {
  const taken = [];
  for (let turn = 0; turn < count; turn += 1) {
    const begun = performance.now(), { status } = await fetchPage(address(turn), { 'x-service-api-key': keys[turn % keys.length] });
    taken.push(performance.now() - begun);
    if (status !== 200) throw new Error(`${status} from ${address(turn)}`);
  }
  return taken;
}

/** Audits the site in the service, tells how long it takes from the last page to the first readable result, and asks for its pages. */
async function inService({ binary, nginx, count, add }) {
  const prepared = await prepareGlasshouse(binary, nginx, [DOMAIN], { folder: `audits-${count}` });
  const service = await startGlasshouse(prepared), api = keyApi(service, prepared.key);
  await api('PATCH', `/api/domains/${DOMAIN}/auditing`, { javascript: false });
  const { runId } = await api('POST', '/api/seo-spider/runs', { domain: DOMAIN, urls: [`http://${DOMAIN}/index.html`], mode: 'follow', allowSampling: false });
  const at = `${service.address}/api/seo-spider/runs/${runId}`;
  let crawledAt, run;
  do {
    // A key's requests of a minute are for the questions below.
    await pause(count > 10_000 ? 1000 : 100);
    ({ run } = await api('GET', `/api/seo-spider/runs/${runId}?limit=1`));
    if (run.pagesCrawled >= count) crawledAt ??= performance.now();
  } while (run.completedAt === null);
  const list = (query) => `${at}?limit=100&${query}`;
  const { issueBreakdown } = JSON.parse((await fetchPage(list('offset=0'), service.headers)).html);
  add(`audited${count}`, { latencyMs: performance.now() - (crawledAt ?? performance.now()) });
  console.error(`  ${run.pagesCrawled} pages in the service: ${run.status} in ${((run.completedAt - run.startedAt) / 1000).toFixed(1)} s`);
  const [frequent] = Object.entries(issueBreakdown).sort(([, one], [, other]) => other - one)[0];
  const keys = await Promise.all(Array.from({ length: 10 }, (_, number) => createKey(prepared, `questions-${number}`)));
  for (const [name, times, share, query] of [
    ['List', 1000, 0.99, (turn) => `offset=${(turn * 7919) % (count - 100)}`],
    ['Search', 200, 0.95, (turn) => `offset=0&search=${(turn * 7919) % count}`],
    ['Issue', 200, 0.95, (turn) => `offset=${turn}&issueId=${frequent}`],
    ['Sort', 200, 0.95, (turn) => `offset=${(turn * 7919) % (count - 100)}&sort=healthScore&order=desc`],
  ]) add(`audited${count}${name}`, { latencyMs: percentile(await answers(times, (turn) => list(query(turn)), keys), share) });
  await service.stop();
}

async function withoutRendering({ binary, reps, quick, add }) {
  const [small, large] = quick ? [500, 2_000] : [5_000, 50_000];
  const site = await serveSite(small);
  await besideSpider({ binary, site, reps, add });
  await inService({ binary, nginx: site, count: small, add: (name, result) => add(name.replace(String(small), 'Small'), result) });
  await site.stop();
  const wide = await serveSite(large), cost = await auditCost(binary, wide.address, [], LOOPBACK);
  say(`audit of ${cost.pages} pages`, cost);
  add('auditLarge', cost);
  await inService({ binary, nginx: wide, count: large, add: (name, result) => add(name.replace(String(large), 'Large'), result) });
  await wide.stop();
}

/** All of it, or only what `only` names: plain, addresses, rendered. */
export async function measureAudits({ binary, site, reps, quick, only, add }) {
  console.error('audits');
  const runs = {
    plain: () => withoutRendering({ binary, reps, quick, add }),
    addresses: () => measureAddresses({ binary, count: quick ? 100_000 : 1_000_000, env: LOOPBACK, add }),
    rendered: () => measureRendered({ binary, site, pages: quick ? 40 : 400, reps, add }),
  };
  for (const name of only ? [only] : Object.keys(runs)) await runs[name]();
}
