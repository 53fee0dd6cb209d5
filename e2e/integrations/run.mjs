// Asks every integration, in its real runtime, the same questions, with the real service, Chromium and a React app behind.
// Prints one line per integration and group, and what went wrong; ends with status 1 when anything did. Called by `make test`.
// See docs/decisions/0007.
//
//   node run.mjs [integration ...]
//   GLASSHOUSE   the binary (default: the one in target that was built last)
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { ask } from '../lib/ask.mjs';
import { freePort, pause } from '../lib/ports.mjs';
import { endAll, keepScratch, scratch } from '../lib/programs.mjs';
import { findBinary } from '../lib/service.mjs';
import { buildApp, startApp } from './app/server.mjs';
import { cases, CHROME, GOOGLEBOT, troubles } from './cases.mjs';
import { startFront } from './front.mjs';
import { deno } from './runtimes/deno.mjs';
import { blockOf, e2e } from './runtimes/files.mjs';
import { nextjs } from './runtimes/next.mjs';
import { nodeRuntime } from './runtimes/node.mjs';
import { apache, caddy, files, nginx, nginxCache, varnish } from './runtimes/servers.mjs';
import { vercel } from './runtimes/vercel.mjs';
import { workerd } from './runtimes/workerd.mjs';
import { startService } from './service.mjs';
import { askBySocket } from './sockets.mjs';

const ALL = [
  { name: 'cloudflare-workers', way: 'api', begin: workerd }, { name: 'vercel', way: 'api', begin: vercel },
  { name: 'netlify', way: 'api', begin: deno },
  { name: 'nextjs', way: 'api', begin: nextjs('nextjs') }, { name: 'nextjs-15', like: 'nextjs', way: 'api', begin: nextjs('nextjs-15') },
  { name: 'express', way: 'api', begin: nodeRuntime('express') }, { name: 'fastify', way: 'api', begin: nodeRuntime('fastify') },
  { name: 'nginx', way: 'edge', begin: nginx }, { name: 'apache', way: 'edge', begin: apache }, { name: 'caddy', way: 'edge', begin: caddy },
];
const wanted = process.argv.slice(2);
const integrations = ALL.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
/** Name by which the cases know an integration. */
const knownAs = ({ like, name }) => like ?? name;
const out = (line) => process.stdout.write(`${line}\n`);
let failed = 0;
let passed = 0;

function report(site, group, problems, count) {
  failed += problems.length;
  passed += count - problems.length;
  out(`${site.name.padEnd(20)} ${group.padEnd(34)} ${problems.length === 0 ? `${count} ok` : `${problems.length} of ${count} FAILED`}`);
  for (const problem of problems) out(`    ${problem}`);
}

/** The requests that a front saw for a site since `from`. */
function seenBy(site, from) {
  const isOfSite = (host) => host?.toLowerCase().replace(/^www\./, '').replace(/:\d+$/, '') === site.domain;
  return site.front.seen.slice(from).filter((request) => isOfSite(site.way === 'api' ? new URL(askedFor(site, request)).host : request.headers.host));
}

/** The address that the service was asked for, as it stood in the request. */
function askedFor(site, request) {
  if (site.way === 'edge') return `http://${request.headers.host}${request.url}`;
  return decodeURIComponent(/[?&]url=([^&]*)/.exec(request.url)[1]);
}

function headersFor(site, headers) {
  const sent = { host: site.domain, ...headers };
  if (headers.host === 'www') sent.host = `www.${site.domain}`;
  if (headers.host === 'odd') sent.host = `${site.domain.toUpperCase()}:8080`;
  if (headers['if-none-match'] === 'etag') sent['if-none-match'] = site.etag;
  if (headers['if-none-match'] === 'list') sent['if-none-match'] = `"other", ${site.etag}`;
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
}

/** Reasons of answers that came too late. */
const LATE = /reason=(?:timeout|unreachable|unavailable)$/;

async function tryCase(site, one) {
  let from = site.front.seen.length;
  const headers = headersFor(site, one.headers);
  const target = one.isAbsolute ? `http://${site.domain}${one.path}` : one.path;
  let answer = await ask(site.port, { ...one, path: target, headers });
  if (one.asked && LATE.test(answer.headers['x-service-integration'])) {
    // A render that waits for a busy machine is the app's, by the rules. The page is there the next time.
    from = site.front.seen.length;
    answer = await ask(site.port, { ...one, path: target, headers });
  }
  const asked = seenBy(site, from);
  const problems = [];
  const expect = (is, sentence) => { if (!is) problems.push(sentence); };
  const { body } = answer;
  if (one.status) expect(answer.status === one.status, `status ${answer.status}, not ${one.status}`);
  if (one.asked === true) {
    expect(asked.length === 1, `the service was asked ${asked.length} times`);
    const scheme = site.way === 'api' ? 'https' : 'http';
    // The host of an integration is known by its name alone; web servers pass it on as it is.
    const host = site.way === 'api' ? headers.host.toLowerCase().replace(/:\d+$/, '') : headers.host;
    if (asked[0]) expect(askedFor(site, asked[0]) === `${scheme}://${host}${one.path}`, `the service was asked for ${askedFor(site, asked[0])}`);
  }
  if (one.asked === false) expect(asked.length === 0, `the service was asked ${asked.length} times`);
  if (one.snapshot === true) expect(body.includes('Written by React') && body.includes('Seventeen teapots'), `no snapshot: ${answer.status} ${answer.headers['x-service-integration']} ${body.slice(0, 120)}`);
  if (one.snapshot === false) expect(!body.includes('Seventeen teapots stand') || /json|javascript/.test(answer.headers['content-type']), 'a snapshot');
  const said = answer.headers['x-service-integration'];
  if (one.reason && site.way === 'api' && !one.silent?.includes(knownAs(site))) expect(said === `app; reason=${one.reason}`, `x-service-integration ${said}, not ${one.reason}`);
  const checked = one.check?.(answer, { domain: site.domain, way: site.way, request: asked[0] ?? { headers: {} } }) ?? [];
  for (const [holds, sentence] of checked) expect(holds, sentence);
  if (answer.headers.etag && one.path === '/shoes' && one.snapshot) site.etag = answer.headers.etag;
  return problems.map((problem) => `${one.name}: ${problem}`);
}

async function ordinary(site) {
  const mine = cases.filter((one) => (!one.way || one.way === site.way) && !one.except?.[knownAs(site)]);
  const problems = [];
  for (const one of mine) {
    problems.push(...(await tryCase(site, one).catch((error) => [`${one.name}: ${error.message}`])));
  }
  report(site, 'requests and answers', problems, mine.length);
}

async function together(site) {
  const path1 = `/together/${site.name}`;
  const request = { path: path1, headers: { host: site.domain, 'user-agent': GOOGLEBOT } };
  const all = () => Promise.all([ask(site.port, request), ask(site.port, request), ask(site.port, { ...request, headers: { ...request.headers, 'user-agent': CHROME } })]);
  let answers = await all();
  // As in tryCase.
  if (answers.some(({ headers }) => LATE.test(headers['x-service-integration']))) answers = await all();
  const problems = [];
  for (const answer of answers.slice(0, 2)) if (!answer.body.includes('Seventeen teapots')) problems.push(`a crawler got ${answer.status} ${answer.body.slice(0, 80)}`);
  if (answers[2].body.includes('Seventeen teapots stand')) problems.push('a person got the snapshot');
  report(site, 'two crawlers and a person at once', problems, 1);
}

const corpusOf = (name) => fs.readFileSync(path.join(e2e, '../../crates/analytics/data/corpus', name));
const entries = (text) => text.toString().split('\n').filter((line) => line && !line.startsWith('#'));
const NAVIGATION = { 'accept-language': 'en', 'upgrade-insecure-requests': '1' };

/** User agents of the corpus, whether each is a crawler's, and further headers. Of browsers that were seen: those with a word of the list, and some. */
function agentsOfCorpus() {
  const read = (name) => entries(corpusOf(name));
  const seen = entries(gunzipSync(corpusOf('browsers-seen.txt.gz'))).filter((agent, at) => at % 50 === 0 || /bot|crawl|spider|fetch|preview/i.test(agent));
  return [
    ...read('crawlers.tsv').map((line) => [line.split('\t')[1], true, {}]), ...read('browsers.txt').map((line) => [line, false, {}]),
    ...read('own.txt').map((line) => [line, false, {}]), ...seen.map((line) => [line, false, NAVIGATION]),
  ];
}

/** Every user agent of the corpus, while the service declines: a crawler's is asked for, nobody else's. */
async function corpus(site) {
  const agents = agentsOfCorpus();
  const from = site.front.seen.length;
  let at = 0;
  const worker = async () => {
    while (at < agents.length) {
      const number = at;
      at += 1;
      await ask(site.port, { path: `/corpus/${site.name}/${number}-`, headers: { host: site.domain, 'user-agent': agents[number][0], ...agents[number][2] } });
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  const numbers = site.front.seen.slice(from).map(({ url }) => new RegExp(`/corpus/${site.name}/(\\d+)-`).exec(decodeURIComponent(url))?.[1]);
  const asked = new Set(numbers.filter(Boolean).map(Number));
  const problems = agents.flatMap(([agent, isCrawler], number) => (asked.has(number) === isCrawler ? [] : [`${isCrawler ? 'not asked for' : 'asked for'}: ${agent}`]));
  report(site, 'user agents of the corpus', problems, agents.length);
}

async function trouble(site, { mode, name, reason, withinMs }) {
  const problems = [];
  const headers = { host: site.domain, 'user-agent': GOOGLEBOT };
  const answer = await ask(site.port, { path: `/shoes?trouble=${mode}`, headers }).catch((error) => ({ status: 0, headers: {}, body: error.message, ms: 0 }));
  const said = answer.headers['x-service-integration'];
  if (answer.status !== 200 || !/The shell/.test(answer.body)) problems.push(`${name}: ${answer.status} ${answer.body.slice(0, 80)}`);
  const reasons = (site.way === 'api' ? [reason].flat() : ['unavailable']).map((one) => `app; reason=${one}`);
  if (!reasons.includes(said)) problems.push(`${name}: x-service-integration ${said}, not ${reasons.join(' or ')}`);
  const most = withinMs?.[site.way];
  if (most && answer.ms > most + SLOW_MACHINE_MS) problems.push(`${name}: the app after ${Math.round(answer.ms)} ms`);
  site.troubles.push(...problems);
  site.troubled += 1;
}
/** Other work on the machine must not fail a test; `make bench` measures. */
const SLOW_MACHINE_MS = 1000;

/** One success, so that the failures of one trouble do not add to those of the next. */
async function recover(site) {
  const answer = await ask(site.port, { path: '/shoes', headers: { host: site.domain, 'user-agent': GOOGLEBOT } });
  if (answer.headers['x-service-integration'] !== 'snapshot') site.troubles.push(`not back after a trouble: ${answer.headers['x-service-integration']}`);
}


/** Requests that Node's own client does not send, through the servers that stand in front of an app. */
async function bySocket(site) {
  const problems = [];
  const shake = `GET /socket HTTP/1.1\r\nHost: ${site.domain}\r\nUser-Agent: ${CHROME}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
  const socket = await askBySocket(site.port, [{ after: /^$/, text: shake }, { after: /101 Switching/, text: 'hello' }]);
  if (!/echo hello$/.test(socket)) problems.push(`a WebSocket does not get through: ${socket.slice(0, 120)}`);
  const old = await askBySocket(site.port, [{ after: /^$/, text: `GET /shoes HTTP/1.0\r\nUser-Agent: ${GOOGLEBOT}\r\n\r\n` }]);
  if (site.name !== 'caddy' && !/ 200 [\s\S]*Seventeen teapots/.test(old)) problems.push(`a crawler without Host got ${old.slice(0, 120)}`);
  const events = await askBySocket(site.port, [{ after: /^$/, text: `GET /events HTTP/1.1\r\nHost: ${site.domain}\r\nUser-Agent: ${CHROME}\r\nAccept: text/event-stream\r\n\r\n` }]);
  if (!/echo one/.test(events)) problems.push(`an event does not get through: ${events.slice(0, 120)}`);
  const posted = `POST /streamed/${site.name} HTTP/1.1\r\nHost: ${site.domain}\r\nUser-Agent: ${CHROME}\r\nContent-Type: text/plain\r\nContent-Length: 200000\r\n\r\n${'a'.repeat(100_000)}`;
  await askBySocket(site.port, [{ after: /^$/, text: posted }], 2000);
  const begun = await ask(site.port, { path: '/begun', headers: { host: site.domain, 'user-agent': CHROME } });
  if (!begun.body.includes(`/streamed/${site.name}`)) problems.push('an upload is kept until its end');
  const upload = 'a'.repeat(3 * 1024 * 1024);
  const { status, body } = await ask(site.port, { method: 'POST', path: '/upload', headers: { host: site.domain, 'user-agent': CHROME, 'content-type': 'text/plain' }, body: upload });
  if (status !== 200 || body !== `echo ${upload}`) problems.push(`an upload of 3 MiB: ${status} ${body.slice(0, 80)}`);
  report(site, 'WebSocket, streams, uploads, HTTP without Host', problems, 5);
}

/** Blocks of a web server's page as they stand there: the service's settings, and the configuration for a folder of files. */
async function pageOf(site) {
  const problems = [];
  const settings = scratch(`${site.name}.toml`);
  fs.writeFileSync(settings, blockOf(`${site.name}/README.md`, 'glasshouse.toml'));
  const known = await promisify(execFile)(findBinary(), ['--config', settings, 'config']).catch((error) => error);
  if (!/app\.internal/.test(known.stdout)) problems.push(`the settings are refused: ${known.stderr}`);
  const port = await freePort();
  const server = await files(site.name, { port, root: appFolder });
  for (const [target, status, content] of [['/', 200, /The shell/], ['/shoes?size=42', 200, /The shell/], ['/a%2Fb', 200, /The shell/], ['/app.js', 200, /teapots|createElement/]]) {
    const answer = await ask(port, { path: target, headers: { host: 'app.internal' } });
    if (answer.status !== status || !content.test(answer.body)) problems.push(`${target} of a folder of files: ${answer.status} ${answer.body.slice(0, 80)}`);
  }
  await server.stop();
  report(site, 'its page, as it stands', problems, 5);
}

/** Lines that an integration wrote: never a key or a query, and failures once a minute. */
function logs(site, key, minutes) {
  const text = fs.readFileSync(scratch(`${site.name}.log`), 'utf8');
  const problems = [];
  if (text.includes(key)) problems.push('the key is in the log');
  if (/trouble=|H%26M/.test(text)) problems.push('a query is in the log');
  const lines = text.match(/glasshouse: the app answered/g)?.length ?? 0;
  if (lines < 1 || lines > minutes) problems.push(`${lines} lines about failures in ${minutes} minutes`);
  report(site, 'log', problems, 3);
}

/** Person and crawler through a cache, in both orders. */
async function behindCache(site, name, begin) {
  const port = await freePort();
  const cache = await begin({ port, behind: site.port });
  const problems = [];
  const get = (agent, target) => ask(port, { path: target, headers: { host: site.domain, 'user-agent': agent } });
  const isSnapshot = ({ body }) => body.includes('Seventeen teapots stand');
  for (const order of [[CHROME, GOOGLEBOT, CHROME, GOOGLEBOT], [GOOGLEBOT, CHROME, GOOGLEBOT, CHROME]]) {
    const target = `/shoes?cache=${order[0].length}`;
    for (const agent of order) {
      const answer = await get(agent, target);
      if (isSnapshot(answer) !== (agent === GOOGLEBOT)) problems.push(`${agent === GOOGLEBOT ? 'the crawler got the shell' : 'the person got the snapshot'} (${answer.status})`);
    }
  }
  await cache.stop();
  report(site, `behind ${name}`, problems, 8);
}

const began = Date.now();
const appFolder = scratch('app');
try {
  await buildApp(appFolder);
  const app = await startApp(appFolder);
  const sites = [];
  for (const one of integrations) sites.push({ ...one, domain: `${one.name}.test`, port: await freePort(), troubles: [], troubled: 0 });
  const service = await startService(sites, app.port);
  const fronts = { api: await startFront(service.port), edge: await startFront(service.edgePort) };
  await Promise.all(sites.map(async (site) => {
    site.front = fronts[site.way];
    await site.begin({
      port: site.port, domain: site.domain, key: service.key, appPort: app.port, appFolder, servicePort: fronts.api.port,
      serviceUrl: `http://127.0.0.1:${fronts.api.port}`, edgeAddress: `127.0.0.1:${fronts.edge.port}`, appAddress: `127.0.0.1:${app.port}`,
    });
  }));

  await Promise.all(sites.map(async (site) => {
    const check = await service.cli('domain', 'check', site.domain).catch((error) => error.stdout || error.message);
    report(site, 'connection check', /via api/.test(check) ? [] : [check], 1);
    await service.api('PATCH', `/api/domains/${site.domain}/settings`, {
      ignorePaths: '/account/**',
      redirectRules: [{ source: '/old', destination: '/new', status: 301 }, { source: '/temporary', destination: '/now', status: 307 }],
      customResponseHeaders: [{ pathPattern: '/tea', headers: [{ name: 'x-tea', value: 'green' }] }],
    });
    await service.api('PUT', `/api/domains/${site.domain}/crawler-policy`, {
      mode: 'enforce',
      rules: [
        { match: { crawler: 'ccbot' }, action: 'block', text: 'Not for archives.' },
        { match: { crawler: 'bytespider' }, action: 'pay', text: 'Ask for a licence.' },
        { match: { crawler: 'diffbot' }, action: 'limit', perMinute: 1, text: 'Slowly.' },
      ],
    });
  }));
  // The browsers start at the first render, which on a busy machine takes longer than an integration waits.
  for (const { domain } of sites) {
    const warm = () => service.render(`https://${domain}/warm`);
    await warm().catch(warm);
  }
  await pause(2500); // A change holds in every process within two seconds.

  await Promise.all(sites.map(ordinary));
  await Promise.all(sites.map(together));
  await Promise.all(sites.filter(({ way }) => way === 'edge').map((site) => Promise.all([bySocket(site), pageOf(site)])));
  const [first, second] = [sites.find(({ way, name }) => way === 'api' && name !== 'nextjs'), sites.find(({ way }) => way === 'edge')];
  for (const site of [first, second].filter(Boolean)) {
    await behindCache(site, 'nginx\'s cache', nginxCache);
    await behindCache(site, 'Varnish', varnish);
  }
  for (const { mode } of [{ mode: 'declined' }]) {
    for (const front of Object.values(fronts)) await front.set(mode);
    await Promise.all(sites.map(corpus));
    for (const front of Object.values(fronts)) await front.set('pass');
  }
  await Promise.all(Object.entries(fronts).map(async ([way, front]) => {
    const mine = sites.filter((site) => site.way === way);
    for (const one of troubles.filter(({ mode, ways }) => mode !== 'refuse' && ways.includes(way))) {
      await front.set(one.mode);
      await Promise.all(mine.map((site) => trouble(site, one)));
      await front.set('pass');
      await Promise.all(mine.map(recover));
    }
  }));
  // At the end: Apache does not ask for 30 s after one refusal.
  for (const front of Object.values(fronts)) await front.set('refuse');
  await Promise.all(sites.map((site) => trouble(site, troubles.find(({ mode }) => mode === 'refuse'))));
  for (const site of sites) report(site, 'a service in trouble', site.troubles, site.troubled);

  // Three failures in a row: then nobody asks, and the app is there at once.
  await Promise.all(sites.map(async (site) => {
    const headers = { host: site.domain, 'user-agent': GOOGLEBOT };
    for (let count = 0; count < 3; count += 1) await ask(site.port, { path: '/shoes', headers });
  }));
  for (const front of Object.values(fronts)) await front.set('pass');
  await Promise.all(sites.map(async (site) => {
    const from = site.front.seen.length;
    const problems = [];
    const reason = site.way === 'api' ? 'paused' : 'unavailable';
    // As many as a server has processes, which must all know.
    for (let count = 0; count < 8; count += 1) {
      const answer = await ask(site.port, { path: '/shoes', headers: { host: site.domain, 'user-agent': GOOGLEBOT } });
      if (!/The shell/.test(answer.body)) problems.push(`no app: ${answer.status}`);
      if (answer.headers['x-service-integration'] !== `app; reason=${reason}`) problems.push(answer.headers['x-service-integration']);
    }
    if (seenBy(site, from).length > 0) problems.push('the service is asked after three failures in a row');
    report(site, 'three failures in a row', problems, 1);
  }));
  for (const site of sites.filter(({ way }) => way === 'api')) logs(site, service.key, Math.ceil((Date.now() - began) / 60_000));
} catch (error) {
  failed += 1;
  out(error.stack ?? String(error));
} finally {
  await endAll();
  if (failed > 0) out(`logs: ${keepScratch()}`);
}
out(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
