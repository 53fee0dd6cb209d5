// One good customer among attackers: what its quiet requests take while one process is attacked in eight ways: measureAttacks(). Used by run.mjs.
// Nothing else is sampled meanwhile: reading the browsers' memory stops them, and this process, for tens of milliseconds.
// Attackers ask for other customers' domains: what clients of one domain do to it is limited to that domain (record 0061).
// The good customer asks from 127.0.0.1 for a stored page and an asset at the edge and for a stored page of the API; before each attack it is measured alone.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { writeFileSync } from 'node:fs';
import { freePort, listen } from '../e2e/lib/ports.mjs';
import { scratch } from '../e2e/lib/programs.mjs';
import { createAccount, createKey, runCommand } from '../e2e/lib/service.mjs';
import { fetchPage } from './load.mjs';
import { mostMb, percentile, watchWaiting } from './meter.mjs';
import { OWNER, prepareGlasshouse, startGlasshouse, startNginx } from './services.mjs';

const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const ATTACKERS = fileURLToPath(new URL('attackers.mjs', import.meta.url));
const PER_SECOND = 20;

/**
 * Asks in turn for each of `asks` ([{name, address, headers}]) at a quiet pace: p95 in ms, how many were not answered with 200, and `details`:
 * what happened to whom in which second, the slowest answer to what was asked in each, and how late this process itself was.
 */
async function goodCustomer(asks, seconds) {
  const took = [], open = [], details = { failures: {}, p95: {}, slowest: [] }, byName = {};
  const own = monitorEventLoopDelay({ resolution: 1 });
  own.enable();
  let errors = 0;
  const begun = performance.now();
  const fail = (name, started, what) => {
    errors += 1;
    const key = `${name} ${what}`;
    details.failures[key] = [...(details.failures[key] ?? []), Math.floor((started - begun) / 1000)];
  };
  for (let number = 0; number < seconds * PER_SECOND; number += 1) {
    const due = begun + (number * 1000) / PER_SECOND;
    if (due > performance.now()) await new Promise((done) => setTimeout(done, due - performance.now()));
    const { name, address, headers } = asks[number % asks.length], started = performance.now();
    open.push(fetchPage(address, headers).then(({ status }) => {
      const ms = performance.now() - started;
      took.push(ms);
      byName[name] = [...(byName[name] ?? []), ms];
      const second = Math.floor((started - begun) / 1000);
      details.slowest[second] = Math.max(details.slowest[second] ?? 0, Math.round(ms));
      if (status !== 200) fail(name, started, status);
    }, (error) => fail(name, started, error.code ?? error.message)));
  }
  await Promise.all(open);
  own.disable();
  for (const [name, times] of Object.entries(byName)) details.p95[name] = Number(percentile(times, 0.95).toFixed(1));
  details.ownP95 = Number((own.percentile(95) / 1e6).toFixed(1));
  return { latencyMs: percentile(took, 0.95), errors, details };
}

/** Runs one attacker in a process of its own; what it counted. */
const attack = (kind, order) => new Promise((resolve, reject) => {
  execFile(process.execPath, [ATTACKERS, kind, JSON.stringify(order)], { timeout: (order.seconds + 90) * 1000 }, (error, output) => {
    if (error) reject(error); else resolve(JSON.parse(output));
  });
});

/** An origin that takes requests and does not answer them for a minute. */
const startHanging = () => listen(createServer((_, response) => { setTimeout(() => response.end('late'), 60_000).unref(); }));

/** An origin that takes every upgrade and says nothing from then on. */
function startSilent() {
  const server = createServer((_, response) => response.end('ok'));
  server.on('upgrade', (_, socket) => {
    socket.on('error', () => {});
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  return listen(server);
}

export async function measureAttacks({ site, binary, reps, quick, only, add }) {
  const asset = scratch('quiet.png');
  writeFileSync(asset, randomBytes(60 * 1024));
  const [origin, other, hanging, silent] = [await startNginx(asset, 'image/png'), await startNginx(asset, 'image/png'), await startHanging(), await startSilent()];
  const [edge, tls] = [await freePort(), await freePort()];
  const crowd = Array.from({ length: quick ? 50 : 1000 }, (_, index) => `crowd-${index}.test`);
  const hosts = { 'good.test': site.port, 'asset.test': origin.port, 'other.test': other.port, 'slow.test': hanging.port, 'noisy.test': site.port, 'socket.test': silent.port };
  const floods = Array.from({ length: 20 }, (_, index) => `flood-${index}.test`);
  const prepared = await prepareGlasshouse(binary, site, [...Object.keys(hosts), ...crowd], {
    folder: 'attacks',
    'edge.http_listen': `127.0.0.1:${edge}`,
    'edge.https_listen': `127.0.0.1:${tls}`,
    // Nobody listens there: no certificate can be ordered, and nothing leaves the machine.
    'edge.acme_directory_url': 'https://127.0.0.1:9/directory',
    'network.hosts': Object.fromEntries([...Object.entries(hosts), ...floods.map((host) => [host, site.port])].map(([host, port]) => [host, `127.0.0.1:${port}`])),
  });
  const pending = await addPending(prepared, quick ? 5 : 50);
  const flood = { domains: floods, key: await addFlooder(prepared, floods) };
  const service = await startGlasshouse(prepared);

  const asks = [
    { name: 'stored', address: `http://127.0.0.1:${edge}/article/1`, headers: { Host: 'good.test', 'user-agent': CRAWLER } },
    { name: 'asset', address: `http://127.0.0.1:${edge}/quiet.png`, headers: { Host: 'asset.test' } },
    { name: 'api', address: `${service.api}?url=${encodeURIComponent('http://good.test/article/1')}`, headers: { ...service.headers, 'user-agent': CRAWLER } },
  ];
  for (const { address, headers } of asks) {
    const answer = await fetchPage(address, headers);
    if (answer.status !== 200) throw new Error(`the good customer's ${address} answers ${answer.status} before any attack`);
  }
  const seconds = quick ? 5 : 20;
  const attacks = [
    ['unread', { ports: [edge, prepared.port], count: quick ? 500 : 10_000, path: '/quiet.png', host: 'other.test' }],
    ['hang', { port: edge, host: 'slow.test', perSecond: 300 }],
    ['queries', { port: edge, host: 'noisy.test', perSecond: 200 }],
    ['doors', { port: prepared.port, perSecond: 200 }],
    ['tunnels', { port: edge, host: 'socket.test', count: quick ? 200 : 4_000 }],
    ['refresh', { port: prepared.port, ...flood, perSecond: 50 }],
    ['audits', { port: prepared.port, ...flood, perSecond: 20 }],
    ['handshakes', { port: tls, count: quick ? 1_000 : 50_000, pending }],
  ].filter(([kind]) => !only || kind === only);
  for (let rep = 0; rep < reps; rep += 1) {
    for (const [kind, order] of attacks) {
      add(`${kind}Quiet`, await goodCustomer(asks, seconds / 2));
      // The attack is under way before the good customer is measured, and lasts until it has been.
      const attacked = attack(kind, { ...order, seconds: seconds + 4 });
      await new Promise((done) => setTimeout(done, 2_000));
      const waiting = watchWaiting(service.pid);
      const during = await goodCustomer(asks, seconds);
      const { ran, waited } = waiting.stop();
      const counts = await attacked;
      add(kind, during);
      console.error(`  ${kind}: the good customer's p95 ${during.latencyMs.toFixed(1)} ms, ${during.errors} errors; the service ran on ${ran.toFixed(2)} processors and waited for ${waited.toFixed(2)}, ${mostMb(service.pid)} MB at most; the attacker saw ${JSON.stringify(counts)}; the good customer ${JSON.stringify(during.details)}`);
    }
  }
  await service.stop();
  await origin.stop();
  await other.stop();
  hanging.close();
  silent.close();
}

/** Adds another customer with these domains: the key. */
async function addFlooder(prepared, domains) {
  const email = 'flood@glasshouse.test';
  await createAccount(prepared, { email, domains });
  return createKey(prepared, email);
}

/** Adds domains that wait to be connected: their names. */
async function addPending(prepared, count) {
  const names = Array.from({ length: count }, (_, index) => `pending-${index}.test`);
  for (const name of names) await runCommand(prepared, 'domain', 'add', name, '--account', OWNER);
  return names;
}
