// The edge beside nginx: an asset passed through, a crawler's stored page, and idle connections: measureEdge(). Used by run.mjs.
// Both proxies keep their connections to the same origin; every answer is compared with the origin's bytes; they take turns.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { cpus } from 'node:os';
import { readFileSync, writeFileSync } from 'node:fs';
import { ask } from '../e2e/lib/ask.mjs';
import { keyApi } from '../e2e/lib/service.mjs';
import { freePort, pause } from '../e2e/lib/ports.mjs';
import { scratch } from '../e2e/lib/programs.mjs';
import { prepareGlasshouse, startGlasshouse, startNginx, startProxy } from './services.mjs';

const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const IDLE_CONNECTIONS = 10_000;
const UNREAD_CLIENTS = 3_000;

/** Requests per second of one address; throws when an answer was not 2xx or a socket failed. */
export function wrk(address, headers, seconds) {
  const threads = String(Math.min(2, cpus().length));
  const args = ['-t', threads, '-c', '32', '-d', `${seconds}s`, ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]), address];
  const report = execFileSync('wrk', args, { encoding: 'utf8' });
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(`wrk saw failures at ${address}:\n${report}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(report)[1]);
}

const bytesOf = (address, headers) => ask(new URL(address).port, { path: new URL(address).pathname, headers });

/** Throws unless both addresses answer with the same bytes. */
async function compare(ours, theirs) {
  const [mine, other] = [await bytesOf(...ours), await bytesOf(...theirs)];
  if (mine.status !== 200 || !mine.bytes.equals(other.bytes)) throw new Error(`${ours[0]} answers ${mine.status} with other bytes than ${theirs[0]}`);
  return mine;
}

/** A hundred rules of a crawler policy that are looked at and let the crawler in. */
const policyRules = () => Array.from({ length: 100 }, (_, at) => (at % 2 === 0
  ? { match: { crawler: 'gptbot' }, action: 'block' }
  : { match: {}, paths: [`/section-${at}/**`], action: 'allow' }));

/** As many files at the root as a domain may have, none of which is the page. */
const rootFiles = () => Array.from({ length: 20 }, (_, at) => ({ path: `/file-${at}.txt`, mode: 'always', source: 'text', body: 'A file.' }));

/** Memory of one process, without the browsers below it, in MB. */
const pssMb = (pid) => Math.round(Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) / 1024);

/** Opens connections, asks once on each, and leaves them idle: {pss in MB, close()}. */
async function idle(pid, port, host, count) {
  const sockets = [];
  const request = `GET /asset.png HTTP/1.1\r\nHost: ${host}\r\nRange: bytes=0-0\r\n\r\n`;
  const open = () => new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.once('data', () => resolve(socket));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('an idle connection was closed before it was answered')));
    sockets.push(socket);
  });
  for (let opened = 0; opened < count; opened += 100) await Promise.all(Array.from({ length: 100 }, open));
  const pss = pssMb(pid), alive = sockets.filter((socket) => socket.readyState === 'open').length;
  for (const socket of sockets) socket.destroy();
  if (alive < count) throw new Error(`only ${alive} of ${count} idle connections were kept`);
  return pss;
}

/** Clients that ask for a large file and read nothing of it: how much the process grew at most, in MB. */
async function unread(pid, port, host, count) {
  const before = pssMb(pid), sockets = [];
  let most = before;
  const look = () => { most = Math.max(most, pssMb(pid)); };
  for (let number = 0; number < count; number += 1) {
    const socket = connect(port, '127.0.0.1', () => { socket.write(`GET /large.bin HTTP/1.1\r\nHost: ${host}\r\n\r\n`); socket.pause(); });
    socket.on('error', () => {});
    sockets.push(socket);
    if (number % 100 === 99) { look(); await pause(50); }
  }
  for (let second = 0; second < 20; second += 1) { await pause(1_000); look(); }
  for (const socket of sockets) socket.destroy();
  return most - before;
}

export async function measureEdge({ site, binary, reps, seconds, add }) {
  const asset = scratch('asset.png');
  writeFileSync(asset, randomBytes(60 * 1024));
  const origin = await startNginx(asset, 'image/png');
  const proxy = await startProxy(origin.port);
  const edge = await freePort();
  const prepared = await prepareGlasshouse(binary, site, ['bench.test', 'asset.test'], {
    folder: 'edge',
    'edge.http_listen': `127.0.0.1:${edge}`,
    // All of them are from one address here.
    'limits.connections_per_address': 2 * IDLE_CONNECTIONS,
    // By default a quarter of the open files, which is too few on some machines: further ones would wait for ever.
    'limits.connections': 2 * IDLE_CONNECTIONS,
    'network.hosts': { 'bench.test': `127.0.0.1:${site.port}`, 'asset.test': `127.0.0.1:${origin.port}` },
  });
  const service = await startGlasshouse(prepared);

  const ours = [`http://127.0.0.1:${edge}/asset.png`, { Host: 'asset.test' }], theirs = [`http://127.0.0.1:${proxy.port}/asset.png`, {}];
  await compare(ours, theirs);
  wrk(ours[0], ours[1], 1);
  for (let rep = 0; rep < reps; rep += 1) {
    add('nginxProxy', { perSecond: wrk(theirs[0], theirs[1], seconds) });
    add('edgeProxy', { perSecond: wrk(ours[0], ours[1], seconds) });
    await compare(ours, theirs);
  }

  const crawler = [`http://127.0.0.1:${edge}/long/77`, { Host: 'bench.test', 'user-agent': CRAWLER }];
  await bytesOf(...crawler);
  const page = await bytesOf(...crawler), file = scratch('edge-page.html');
  if (page.headers['x-service-render-cache'] !== 'edge-hit') throw new Error(`the crawler's page is ${page.status} ${page.headers['x-service-render-cache']}`);
  writeFileSync(file, page.bytes);
  const plain = [`http://127.0.0.1:${origin.port}/edge-page.html`, {}];
  const api = keyApi(prepared, prepared.key);
  const set = async (rules, files) => {
    await api('PUT', '/api/domains/bench.test/crawler-policy', { mode: rules.length === 0 ? 'off' : 'enforce', rules });
    await api('PUT', '/api/domains/bench.test/root-files', { files });
    await pause(2_000); // a change holds within two seconds
  };
  console.error(`serving ${page.bytes.length} bytes to crawlers at the edge`);
  for (let rep = 0; rep < reps; rep += 1) {
    add('nginxPage', { perSecond: wrk(plain[0], plain[1], seconds) });
    await compare(crawler, plain);
    await set([], []);
    add('edgePage', { perSecond: wrk(crawler[0], crawler[1], seconds) });
    await set(policyRules(), rootFiles());
    add('edgePolicy', { perSecond: wrk(crawler[0], crawler[1], seconds) });
  }
  await service.stop();

  const fresh = await startGlasshouse(prepared);
  add('idle', { peakMb: await idle(fresh.pid, edge, 'asset.test', IDLE_CONNECTIONS) });
  await fresh.stop();

  writeFileSync(scratch('large.bin'), randomBytes(8 << 20));
  const crowded = await startGlasshouse(prepared);
  add('unreadFiles', { peakMb: await unread(crowded.pid, edge, 'asset.test', UNREAD_CLIENTS) });
  await crowded.stop();
  await proxy.stop();
  await origin.stop();
}
