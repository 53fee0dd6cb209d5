// `glasshouse up` on a bare Debian with the package: one command leads from nothing to a page that a crawler gets, within a minute, and `verify`
// finds nothing wrong. The Debian has a network namespace of its own with one public address; that of the caller is the internet, with the origin,
// a DNS and a crawler.
//
//   node up.mjs ROOT      ROOT: a mount point with the Debian
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import readline from 'node:readline';
import { promisify } from 'node:util';
import { listen, pause } from '../lib/ports.mjs';
import { root as repository, variables } from '../lib/service.mjs';

const [root] = process.argv.slice(2);
const MOST_MS = 60_000;
/** The machine's only public address, that of origin and DNS, and one of Google's crawler. */
const MACHINE = '203.0.114.10', ORIGIN = '203.0.114.20', CRAWLER = '66.249.66.1';
const COMMAND = ['glasshouse', 'up', 'shop.example', '--origin', 'app.shop.test'];
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const ENTER = path.join(repository, 'e2e/package/enter.sh');
const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tea pots</title></head><body><div id="app"></div>
<script>if (location.pathname === '/') document.getElementById('app').innerHTML = '<h1>Tea pots</h1><p>Twelve pots, made by hand in a small workshop by the river.</p>';</script></body></html>`;
const say = (line) => process.stdout.write(`    ${line}\n`);
const run = async (...command) => (await promisify(execFile)(command[0], command.slice(1))).stdout;

/** Answers questions for addresses (A) of known names, and says of every other name that there is none. */
async function startDns(names) {
  const socket = dgram.createSocket('udp4').bind(53, ORIGIN);
  socket.on('message', (query, { port, address }) => {
    const labels = [];
    let at = 12;
    for (; query[at] > 0; at += query[at] + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]));
    const found = names[labels.join('.').toLowerCase()], question = query.subarray(12, at + 5), isA = query.readUInt16BE(at + 1) === 1;
    const head = Buffer.from([query[0], query[1], 0x85, found ? 0x80 : 0x83, 0, 1, 0, found && isA ? 1 : 0, 0, 0, 0, 0]);
    const answer = found && isA ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, ...found.split('.').map(Number)]) : Buffer.alloc(0);
    socket.send(Buffer.concat([head, question, answer]), port, address);
  });
  await once(socket, 'listening');
  return socket;
}

/** Asks the edge as Google's crawler does, from its address. */
async function askAsCrawler() {
  const request = http.get({ host: MACHINE, localAddress: CRAWLER, path: '/', headers: { host: 'shop.example', 'user-agent': GOOGLEBOT, accept: 'text/html' } });
  const [answer] = await once(request, 'response');
  return { status: answer.statusCode, text: (await answer.toArray()).join('') };
}

const holder = spawn('unshare', ['--net', 'sleep', 'infinity']);
await once(holder, 'spawn');
const inMachine = ['nsenter', `--net=/proc/${holder.pid}/ns/net`];
const onDebian = (...command) => [...inMachine, ENTER, root, ...command];
// Until the holder has a namespace of its own.
while (fs.readlinkSync(`/proc/${holder.pid}/ns/net`) === fs.readlinkSync('/proc/self/ns/net')) await pause(10);
await run('ip', 'link', 'add', 'internet', 'type', 'veth', 'peer', 'name', 'uplink', 'netns', String(holder.pid));
for (const address of [`${ORIGIN}/24`, `${CRAWLER}/32`]) await run('ip', 'address', 'add', address, 'dev', 'internet');
await run('ip', 'link', 'set', 'internet', 'up');
await run(...inMachine, 'ip', 'address', 'add', `${MACHINE}/24`, 'dev', 'uplink');
for (const link of ['lo', 'uplink']) await run(...inMachine, 'ip', 'link', 'set', link, 'up');
await run(...inMachine, 'ip', 'route', 'add', 'default', 'via', ORIGIN);
fs.writeFileSync(path.join(root, 'etc/resolv.conf'), `nameserver ${ORIGIN}\n`);
const dns = await startDns({ 'shop.example': MACHINE, 'www.shop.example': MACHINE, 'app.shop.test': ORIGIN });
const site = await listen(http.createServer((request, response) => {
  const isPage = request.url === '/' || request.url?.startsWith('/?');
  response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
}), 80, ORIGIN);

process.stdout.write('==> up: on a bare Debian with the package\n');
const began = Date.now();
const [program, ...rest] = onDebian(...COMMAND);
const up = spawn(program, rest, {
  env: { ...process.env, ...variables({ 'edge.origin_scheme': 'http' }) }, stdio: ['ignore', 'pipe', 'pipe'],
});
const lines = [], log = [];
readline.createInterface(up.stdout).on('line', (line) => lines.push(line));
up.stderr.on('data', (piece) => log.push(piece));
const told = () => `${lines.join('\n')}\n${log.join('').slice(-3000)}`;
async function until(what, holds) {
  while (!(await holds())) {
    assert.ok(Date.now() - began < MOST_MS && up.exitCode === null, `not in time: ${what}\n${told()}`);
    await pause(50);
  }
}
try {
  await until('ready', () => lines.some((line) => line === 'ready: crawlers get pages of shop.example'));
  const { status, text } = await askAsCrawler();
  assert.equal(status, 200, told());
  assert.match(text, /<h1>Tea pots<\/h1>/);
  await until('the crawler is told', () => lines.some((line) => line.startsWith('crawler: Googlebot got shop.example/ (render, ')));
  say(`a crawler got a page ${Math.round((Date.now() - began) / 1000)} s after \`${COMMAND.join(' ')}\``);
  assert.match(await run(...onDebian('curl', '--silent', '--fail', 'http://127.0.0.1:3000/')), /<!doctype html>/i);
  say('the dashboard is open');
  await run(...onDebian('glasshouse', 'verify', 'http://shop.example/'));
  say('`glasshouse verify` finds nothing wrong');
  const ended = once(up, 'exit');
  up.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null], told());
  say('SIGTERM: the exit code is 0');
} catch (error) {
  process.stdout.write(`${error.stdout ?? ''}${told()}\n`);
  throw error;
} finally {
  up.kill('SIGKILL');
  holder.kill('SIGKILL');
  dns.close();
  await site.close();
}
