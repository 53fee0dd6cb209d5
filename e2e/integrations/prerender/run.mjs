// Asks sites with middlewares for Prerender, unchanged but for address and token, sixty requests each, with the real service, Chromium and a
// React app behind; then the operations on stored pages. Ends with status 1 when anything went wrong. See docs/decisions/0540.
//
//   node prerender/run.mjs [middleware ...]
//   GLASSHOUSE   the binary (default: the one in target that was built last)
//   PYTHON       Python with the packages of requirements.txt
import fs from 'node:fs';
import path from 'node:path';
import { ask } from '../../lib/ask.mjs';
import { freePort, pause } from '../../lib/ports.mjs';
import { endAll, folderFor, keepScratch, scratch, start } from '../../lib/programs.mjs';
import { buildApp, startApp } from '../app/server.mjs';
import { nginxMain, startNginx } from '../runtimes/servers.mjs';
import { e2e } from '../runtimes/files.mjs';
import { startService } from '../service.mjs';
import { cases } from './cases.mjs';

const here = path.join(e2e, 'prerender');
const out = (line) => process.stdout.write(`${line}\n`);
let passed = 0;
let failed = 0;

const express = ({ port, env }) => start('prerender-node', process.execPath, ['express.mjs'], { port, cwd: here, env });
const django = ({ name, port, env }) => start(name, process.env.PYTHON ?? 'python3', ['site.py'], { port, cwd: here, env: { ...env, MIDDLEWARE: name } });
function nginx({ port, env }) {
  const folder = folderFor('nginx-prerender');
  const values = { PORT: port, FOLDER: env.FOLDER, API_KEY: env.API_KEY, SERVICE: new URL(env.SERVICE_URL).host };
  const form = fs.readFileSync(path.join(here, 'nginx.conf'), 'utf8').replace(/__(\w+?)__/g, (_, name) => values[name]);
  fs.writeFileSync(path.join(folder, 'nginx.conf'), nginxMain(folder, `  include /etc/nginx/mime.types;\n${form}`));
  return startNginx('nginx-prerender', folder, port);
}
const ALL = [
  { name: 'prerender-node', begin: express }, { name: 'prerender-django', begin: django },
  { name: 'django-seo-js', begin: django }, { name: 'nginx-prerender', begin: nginx },
];
const wanted = process.argv.slice(2);

const shown = (body) => /<p id="address">([^<]*)<\/p>/.exec(body)?.[1].replaceAll('&amp;', '&') ?? null;

async function tryCase(site, one) {
  const { name, path: target, agent, method, headers, status, address, check } = { ...one, ...one.differs?.[site.name] };
  const got = await ask(site.port, { method, path: target, headers: { host: site.domain, ...(agent && { 'user-agent': agent }), ...headers } });
  const problems = [];
  if (got.status !== status) problems.push(`status ${got.status}, not ${status}: ${got.body.slice(0, 80)}`);
  if (address !== undefined && shown(got.body) !== address) problems.push(`the page of ${shown(got.body)}, not of ${address}: ${got.body.slice(0, 80)}`);
  if (check && !check(got)) problems.push(`${JSON.stringify(got.headers)} ${got.body.slice(0, 80)}`);
  return problems.map((problem) => `${name}: ${problem}`);
}

function report(name, problems, count) {
  passed += count - problems.length;
  failed += problems.length;
  out(`${name.padEnd(24)} ${problems.length === 0 ? `${count} ok` : `${problems.length} of ${count} FAILED`}`);
  for (const problem of problems) out(`    ${problem}`);
}

async function ordinary(site) {
  const problems = [];
  for (const one of cases) {
    const found = await tryCase(site, one).catch((error) => [`${one.name}: ${error.message}`]);
    if (found.length > 0) problems.push(found.join('; '));
  }
  report(site.name, problems, cases.length);
}

/** Operations that scripts of sites call. */
async function operations(service, { domain }) {
  const problems = [];
  const post = async (operation, body, status, holds) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${service.port}${operation}`, { method: 'POST', headers, body: JSON.stringify({ prerenderToken: service.key, ...body }) });
    const text = await answer.text();
    if (answer.status !== status || !holds(text)) problems.push(`${operation}: ${answer.status} ${text}`);
  };
  const has = (fields) => (text) => Object.entries(fields).every(([name, value]) => JSON.parse(text)[name] === value);
  const page = `http://${domain}/shoes`;
  await post('/recache', { url: page }, 200, has({ ok: true, prewarmed: 1 }));
  await post('/recache', { urls: [page, 'https://stranger.test/'] }, 403, () => true);
  await post('/recache', { url: page, prerenderToken: 'false' }, 401, () => true);
  await post('/cache-clear', { query: `http://${domain}/semi;%` }, 200, has({ ok: true, deleted: 1 }));
  await post('/cache-clear', { query: `http://${domain}/a%2Fb` }, 200, has({ ok: true, deleted: 1 }));
  await post('/sitemap', { sitemapUrl: `http://${domain}/sitemap.xml` }, 200, has({ ok: false, error: 'parse_failed' }));
  report('operations', problems, 6);
}

try {
  const appFolder = scratch('app');
  await buildApp(appFolder);
  const app = await startApp(appFolder);
  const sites = [];
  for (const one of ALL.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    sites.push({ ...one, way: 'api', domain: `${one.name}.test`, port: await freePort() });
  }
  const service = await startService(sites, app.port);
  const env = { FOLDER: appFolder, SERVICE_URL: `http://127.0.0.1:${service.port}`, API_KEY: service.key };
  await Promise.all(sites.map(async (site) => {
    await site.begin({ ...site, env: { ...env, PORT: String(site.port) } });
    const check = await service.cli('domain', 'check', site.domain).catch((error) => error.stdout || error.message);
    report(`${site.name}: check`, /via api/.test(check) || site.name === 'prerender-django' ? [] : [check], 1);
    await service.api('PATCH', `/api/domains/${site.domain}/settings`, {
      ignorePaths: '/account/**',
      redirectRules: [{ source: '/old', destination: '/new', status: 301 }, { source: '/temporary', destination: '/now', status: 307 }],
      customResponseHeaders: [{ pathPattern: '/tea', headers: [{ name: 'x-tea', value: 'green' }] }],
    });
    const match = { crawler: 'googlebot' };
    await service.api('PUT', `/api/domains/${site.domain}/crawler-policy`, {
      mode: 'enforce',
      rules: [
        { match, paths: ['/blocked'], action: 'block', text: 'Not here.' }, { match, paths: ['/charged'], action: 'pay', text: 'Ask for a licence.' },
        { match, paths: ['/limited'], action: 'limit', perMinute: 1, text: 'Slowly.' },
      ],
    });
    // The browsers start at the first render.
    const warm = () => service.render(`https://${site.domain}/warm`);
    await warm().catch(warm);
  }));
  await pause(2500); // A change holds in every process within two seconds.
  await Promise.all(sites.map(ordinary));
  const first = sites.find(({ name }) => name === 'prerender-node');
  if (first) await operations(service, first);
} catch (error) {
  failed += 1;
  out(error.stack ?? String(error));
} finally {
  await endAll();
  if (failed > 0) out(`logs: ${keepScratch()}`);
}
out(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
