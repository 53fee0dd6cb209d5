// Three nodes of the service on one PostgreSQL, a fourth process with browsers, a customer's server behind them, and restarts of
// one node at a time.
// GLASSHOUSE_TEST_POSTGRES names the database (scripts/with-postgres.sh).
import { execFile, spawn } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort, scratch } from '../integrations/processes.mjs';
import { findBinary } from '../integrations/service.mjs';

export const SHOP = 'shop.test';
/** `server.drain_s` of the nodes: what the files in deploy/proxies ask for. */
export const DRAIN_S = 5;
const OWNER = 'owner@deploy.test';
const running = new Set();
process.on('exit', () => { for (const child of running) child.kill('SIGKILL'); });
export const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** Text of a page that is there only after its script ran. */
export const WRITTEN = 'Seventeen teapots';
const PAGE = '<!doctype html><title>Teapots</title><h1>Teapots</h1><p></p><script>document.querySelector("p").textContent = "Seventeen " + "teapots"</script>';

/**
 * A customer's server. Has a page, answers otherwise with what it was sent, slowly on demand (`?ms=`), has events that never end, and accepts
 * WebSockets.
 */
export async function startOrigin() {
  const port = await freePort();
  const streams = new Set();
  const server = http.createServer((request, response) => {
    if (request.url === '/page') return response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    if (request.url === '/events') {
      streams.add(response);
      response.on('close', () => streams.delete(response));
      return response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).write('data: first\n\n');
    }
    let bytes = 0;
    return request.on('data', (piece) => { bytes += piece.length; }).on('end', () => {
      const delay = Number(new URL(request.url, 'http://x').searchParams.get('ms') ?? 0);
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
        .end(JSON.stringify({ url: request.url, method: request.method, headers: request.headers, bytes })), delay);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => {});
    const accept = crypto.createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    socket.pipe(socket);
  });
  await new Promise((resolve) => { server.listen(port, '127.0.0.1', resolve); });
  return { port, streams, close: () => { server.close(); server.closeAllConnections(); } };
}

/** Begins the processes; resolves once each can serve visitors. */
export async function startNodes(originPort) {
  const database = process.env.GLASSHOUSE_TEST_POSTGRES;
  if (!database) throw new Error('GLASSHOUSE_TEST_POSTGRES is not set: run this through scripts/with-postgres.sh');
  const binary = findBinary();
  const shared = {
    GLASSHOUSE_STORAGE__DATABASE_URL: database,
    GLASSHOUSE_STORAGE__OBJECT_STORE_URL: `file:${path.join(scratch, 'objects')}`,
    GLASSHOUSE_EDGE__SECRET: crypto.randomBytes(32).toString('hex'),
    GLASSHOUSE_EDGE__TRUSTED_PROXIES: '127.0.0.1/32',
    GLASSHOUSE_EDGE__PROXY_PROTOCOL: 'required',
    GLASSHOUSE_LIMITS__CONNECTIONS_PER_ADDRESS: '10000',
    GLASSHOUSE_EDGE__ORIGIN_SCHEME: 'http',
    GLASSHOUSE_NETWORK__HOSTS: JSON.stringify({ [SHOP]: `127.0.0.1:${originPort}` }),
    GLASSHOUSE_SERVER__DRAIN_S: String(DRAIN_S),
  };
  // Addresses of their own and the same ports, as on three machines.
  const ports = { api: await freePort(), edge: await freePort(), metrics: await freePort() };
  const processes = [1, 2, 3, 4].map((number) => {
    const [folder, address] = [path.join(scratch, `node${number}`), `127.90.0.1${number}`];
    fs.mkdirSync(folder, { recursive: true });
    const env = {
      ...process.env, ...shared,
      GLASSHOUSE_SERVER__ROLES: number === 4 ? 'render' : 'api,edge,worker',
      GLASSHOUSE_STORAGE__DATA_DIR: folder,
      GLASSHOUSE_SERVER__LISTEN: `${address}:${ports.api}`,
      GLASSHOUSE_EDGE__HTTP_LISTEN: `${address}:${ports.edge}`,
      GLASSHOUSE_TELEMETRY__METRICS_LISTEN: `${address}:${ports.metrics}`,
    };
    return { number, folder, address, env };
  });
  const nodes = processes.slice(0, 3);
  const cli = async (...args) => (await promisify(execFile)(binary, args, { env: nodes[0].env, cwd: nodes[0].folder })).stdout.trim();
  await cli('account', 'create', '--email', OWNER, '--plan', 'enterprise', '--quiet');
  await cli('domain', 'add', SHOP, '--account', OWNER, '--status', 'connected', '--quiet');
  const key = await cli('key', 'create', '--account', OWNER, '--quiet');

  const begin = async (node) => {
    const log = fs.openSync(path.join(scratch, `node${node.number}.log`), 'a');
    node.child = spawn(binary, ['serve'], { cwd: node.folder, env: node.env, stdio: ['ignore', log, log] });
    fs.closeSync(log);
    running.add(node.child);
    node.ended = new Promise((resolve) => { node.child.on('exit', (code, signal) => { running.delete(node.child); resolve(code ?? signal); }); });
    const until = Date.now() + 60_000;
    while (!(await fetch(`http://${node.address}:${ports.metrics}/readyz/traffic`).then((answer) => answer.ok, () => false))) {
      if (node.child.exitCode !== null || Date.now() > until) {
        throw new Error(`node ${node.number} did not start: ${fs.readFileSync(path.join(scratch, `node${node.number}.log`), 'utf8').slice(-1500)}`);
      }
      await pause(100);
    }
  };
  const end = async (node) => {
    node.child.kill('SIGTERM');
    const late = setTimeout(() => node.child.kill('SIGKILL'), (DRAIN_S + 25) * 1000);
    const code = await node.ended;
    clearTimeout(late);
    return code;
  };
  await Promise.all(processes.map(begin));
  return {
    nodes, processes, ports, key,
    /** Ends a node and begins it again; the status with which it ended. */
    async restart(node) {
      const code = await end(node);
      await begin(node);
      return code;
    },
    /** Ends a node as a loss of power does; `begin` starts it again. */
    async kill(node) {
      node.child.kill('SIGKILL');
      await node.ended;
    },
    begin,
    close: () => Promise.all(processes.map((node) => { node.child.kill('SIGINT'); return end(node); })),
  };
}
