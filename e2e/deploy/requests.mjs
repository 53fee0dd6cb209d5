// What arrives behind a balancer: the client's address, nothing that a client forged, path and body byte for byte, WebSockets.
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { ask as askOnce } from '../lib/ask.mjs';
import { pause } from '../lib/ports.mjs';
import { root } from '../lib/service.mjs';
import { CRAWLER } from './load.mjs';
import { SHOP, WRITTEN } from './nodes.mjs';

/** The client's own address, which the nodes do not trust. */
const CLIENT = '127.77.0.9';
const FORGED = '203.0.113.66';
const HEADERS = path.join(root, 'crates/edge/src/proxy/headers/mod.rs');

/** The headers by which the edge lets a trusted proxy say who a client is. */
function clientHeaders() {
  const list = /const CLIENT: \[&str; (\d+)\] = \[([^\]]*)\]/.exec(fs.readFileSync(HEADERS, 'utf8'));
  const names = [...list[2].matchAll(/"([^"]+)"/g)].map(([, name]) => name);
  if (names.length !== Number(list[1])) throw new Error(`could not read the list of headers in ${HEADERS}`);
  return names;
}

const ask = (port, request) => askOnce(port, { ...request, headers: { host: SHOP, ...request.headers }, localAddress: CLIENT });

/** Says something over a WebSocket and returns what comes back. */
function webSocket(port) {
  return new Promise((resolve, reject) => {
    const headers = { host: SHOP, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': crypto.randomBytes(16).toString('base64') };
    const request = http.request({ host: '127.0.0.1', port, path: '/socket', headers, agent: false });
    request.on('response', (response) => { response.resume(); reject(new Error(`no upgrade: ${response.statusCode}`)); });
    request.on('upgrade', (_, socket) => {
      socket.on('error', reject).on('data', (piece) => { resolve(piece.toString()); socket.destroy(); });
      socket.write('hello');
    });
    request.on('error', reject);
    request.setTimeout(10_000, () => request.destroy(new Error('no answer in 10 s')));
    request.end();
  });
}

/** The first event of a stream that does not end: a balancer that collects answers never passes it on. */
function firstEvent(port) {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port, path: '/events', headers: { host: SHOP }, agent: false }, (response) => {
      response.on('error', reject).on('data', (piece) => { resolve(piece.toString()); request.destroy(); });
    });
    request.on('error', reject);
    request.setTimeout(5_000, () => { resolve('nothing in 5 s'); request.destroy(); });
  });
}

/** Asks through a balancer; returns a sentence for each thing that is wrong. */
export async function requests({ port }, key, origin) {
  const problems = [];
  const expect = (is, sentence) => { if (!is) problems.push(sentence); };

  expect((await ask(port.api, { path: '/api/keys', headers: { 'x-service-api-key': key } })).status === 200, 'the API does not answer');
  expect((await ask(port.api, { path: '/api/keys' })).status === 401, 'the API does not refuse a request without a key');
  if (!port.edge) return problems;

  const names = clientHeaders();
  const forged = { ...Object.fromEntries(names.map((name) => [name, FORGED])), 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.test' };
  const arrived = JSON.parse((await ask(port.edge, { path: '/who', headers: forged })).body).headers;
  expect(arrived['x-forwarded-for'] === CLIENT, `X-Forwarded-For is ${arrived['x-forwarded-for']}`);
  expect(arrived['x-forwarded-proto'] === 'http', `X-Forwarded-Proto is ${arrived['x-forwarded-proto']}`);
  expect(arrived['x-forwarded-host'] === SHOP, `X-Forwarded-Host is ${arrived['x-forwarded-host']}`);
  const believed = Object.entries(arrived).filter(([, value]) => value.includes(FORGED) || value.includes('evil.test'));
  expect(believed.length === 0, `forged and passed on: ${believed.map(([name]) => name).join(', ')}`);

  // See docs/decisions/0496.
  const passed = JSON.parse((await ask(port.through, { path: '/who', headers: forged })).body).headers;
  expect(passed['x-forwarded-for'] === CLIENT, `passed through, X-Forwarded-For is ${passed['x-forwarded-for']}`);
  expect(!Object.values(passed).some((value) => value.includes(FORGED)), 'what a client says is believed where TLS is passed through');

  const target = '/a//b/%2F%41?q=H%26M&url=x&%C3%BC';
  const same = JSON.parse((await ask(port.edge, { path: target })).body);
  expect(same.url === target, `the path arrived as ${same.url}`);

  const body = Buffer.alloc(3 * 1024 * 1024, 'x');
  const posted = JSON.parse((await ask(port.edge, { method: 'POST', path: '/upload', headers: { 'content-length': body.length }, body })).body);
  expect(posted.bytes === body.length, `of ${body.length} bytes ${posted.bytes} arrived`);

  const page = await ask(port.edge, { path: '/page', headers: { 'user-agent': CRAWLER } });
  expect(page.body.includes(`<p>${WRITTEN}</p>`), `a crawler gets ${page.status} ${page.body.slice(0, 80)}`);

  const event = await firstEvent(port.edge);
  expect(event === 'data: first\n\n', `the first event of a stream: ${event}`);
  // Otherwise a node that stops waits for it until its time of grace is over.
  for (let tries = 0; origin.streams.size > 0 && tries < 30; tries += 1) await pause(100);
  expect(origin.streams.size === 0, 'a stream goes on after its client has gone');
  expect((await webSocket(port.edge)) === 'hello', 'a WebSocket does not echo');
  expect((await ask(port.edge, { headers: { host: 'nobody.test' } })).status === 421, 'a host that nobody has is not refused');
  return problems;
}
