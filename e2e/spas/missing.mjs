// Proves that no real page is called missing by comparison (`notFound.compare`). Each app of apps/ is a site of its own, as is the demo shop: every real
// page of theirs is rendered, and some addresses that nobody has made. Prints a line per site; ends with status 1 when a real page is 404, or
// when sites whose missing pages can be told are fewer than they were. Called by `make test-all`.
//
//   node missing.mjs     GLASSHOUSE as for run.mjs; the demo must be built (npm run build in demo/)
import fs from 'node:fs';
import path from 'node:path';
import { createAccount, createKey, keyApi, prepare, startService } from '../lib/service.mjs';
import { freePort } from '../lib/ports.mjs';
import { start } from '../lib/programs.mjs';
import { paths as demoPaths } from '../../demo/pages.mjs';
import { build } from './build.mjs';
import { startSite } from './origin.mjs';
import { pages } from './pages.mjs';

const OWNER = 'owner@spas.test';
const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const NEVER_MADE = ['/nobody-has-made-this', '/nor/this-one', '/kettle-44?color=red'];
/** Sites whose missing pages are told, at least. */
const LEAST_TOLD = 4;
const here = import.meta.dirname;

await build();
const apps = fs.readdirSync(path.join(here, 'apps')).sort();
const sites = [];
for (const app of apps) {
  const origin = await startSite(app);
  const real = pages.filter((page) => page.path.split('/')[1] === app && !page.status).map((page) => page.path.slice(app.length + 1) || '/');
  sites.push({ host: `${app}.spas.test`, port: origin.port, real });
}
const port = await freePort(), demo = path.join(here, '../../demo/server.mjs');
const shop = await start('demo', process.execPath, [demo, String(port)], { port });
sites.push({ host: 'demo.glasshouse.test', port, real: demoPaths });

const hosts = Object.fromEntries(sites.map((site) => [site.host, `127.0.0.1:${site.port}`]));
const prepared = await prepare({ name: 'missing', settings: { 'network.hosts': hosts, 'render.concurrency': 2 } });
await createAccount(prepared, { email: OWNER, domains: sites.map((site) => site.host) });
const key = await createKey(prepared, OWNER);
const service = await startService(prepared);
const api = keyApi(service, key);
const status = async (host, where) => {
  const url = encodeURIComponent(`https://${host}${where}`);
  const answer = await fetch(`${service.address}/api/prerender/render?url=${url}`, { headers: { 'x-service-api-key': key, 'user-agent': CRAWLER }, redirect: 'manual' });
  await answer.text();
  return answer.status;
};

const wrong = [];
let real = 0, told = 0;
try {
  for (const site of sites) {
    await api('PATCH', `/api/domains/${site.host}/rendering`, { notFound: { compare: true } });
    for (const page of site.real) {
      real += 1;
      const is = await status(site.host, page);
      if (is !== 200) wrong.push(`${site.host}${page} is ${is}`);
    }
    let missing = 0;
    for (const page of NEVER_MADE) if (await status(site.host, page) === 404) missing += 1;
    const { notFoundProblem } = await api('GET', `/api/domains/${site.host}/rendering`);
    if (!notFoundProblem && missing === NEVER_MADE.length) told += 1;
    console.log(`${site.host.padEnd(24)} ${String(site.real.length).padStart(3)} real pages  ${missing} of ${NEVER_MADE.length} that nobody has made are 404  ${notFoundProblem ?? ''}`);
  }
} finally {
  await service.stop();
  fs.rmSync(prepared.folder, { recursive: true, force: true });
  await shop.stop();
}
for (const problem of wrong) console.log(`FAILED: ${problem}`);
if (told < LEAST_TOLD) console.log(`FAILED: missing pages are told on ${told} sites, on ${LEAST_TOLD} before`);
console.log(`${wrong.length} of ${real} real pages of ${sites.length} sites are called missing; on ${told} sites every address that nobody has made is.`);
process.exit(wrong.length === 0 && told >= LEAST_TOLD ? 0 : 1);
