// Three nodes of the service on one PostgreSQL, a fourth process with browsers, a customer's server behind them, and restarts of
// one node at a time.
// GLASSHOUSE_TEST_POSTGRES names the database (scripts/with-postgres.sh).
import crypto from 'node:crypto';
import http from 'node:http';
import { answers, freePort, listen } from '../lib/ports.mjs';
import { scratch } from '../lib/programs.mjs';
import { createAccount, createKey, prepare, startService } from '../lib/service.mjs';

export const SHOP = 'shop.test';
/** `server.drain_s` of the nodes: what the files in deploy/proxies ask for. */
export const DRAIN_S = 5;
const OWNER = 'owner@deploy.test';

/** Text of a page that is there only after its script ran. */
export const WRITTEN = 'Seventeen teapots';
const PAGE = '<!doctype html><title>Teapots</title><h1>Teapots</h1><p></p><script>document.querySelector("p").textContent = "Seventeen " + "teapots"</script>';

/**
 * A customer's server. Has a page, answers otherwise with what it was sent, slowly on demand (`?ms=`), has events that never end, and accepts
 * WebSockets.
 */
export async function startOrigin() {
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
  const { port } = await listen(server);
  return { port, streams };
}

/** Begins the processes; resolves once each can serve visitors. */
export async function startNodes(originPort) {
  const database = process.env.GLASSHOUSE_TEST_POSTGRES;
  if (!database) throw new Error('GLASSHOUSE_TEST_POSTGRES is not set: run this through scripts/with-postgres.sh');
  // Addresses of their own and the same ports, as on three machines.
  const ports = { api: await freePort(), edge: await freePort(), metrics: await freePort() };
  const shared = {
    'storage.database_url': database,
    'storage.object_store_url': `file:${scratch('objects')}`,
    'edge.secret': crypto.randomBytes(32).toString('hex'),
    'edge.trusted_proxies': '127.0.0.1/32',
    'edge.proxy_protocol': 'required',
    'limits.connections_per_address': 10_000,
    'edge.origin_scheme': 'http',
    'network.allow_private': [],
    'network.hosts': { [SHOP]: `127.0.0.1:${originPort}` },
    'server.drain_s': DRAIN_S,
  };
  const processes = await Promise.all([1, 2, 3, 4].map(async (number) => {
    const address = `127.90.0.1${number}`;
    const settings = {
      ...shared, 'server.roles': number === 4 ? 'render' : 'api,edge,worker', 'edge.http_listen': `${address}:${ports.edge}`, 'telemetry.metrics_listen': `${address}:${ports.metrics}`,
    };
    return { number, address, prepared: await prepare({ name: `node${number}`, host: address, port: ports.api, settings }) };
  }));
  const nodes = processes.slice(0, 3);
  await createAccount(nodes[0].prepared, { email: OWNER, domains: [SHOP] });
  const key = await createKey(nodes[0].prepared, OWNER);

  const begin = async (node) => {
    node.service = await startService(node.prepared, { ready: () => answers(`http://${node.address}:${ports.metrics}/readyz/traffic`) });
  };
  await Promise.all(processes.map(begin));
  return {
    nodes, processes, ports, key,
    /** Ends a node and begins it again; the status with which it ended. */
    async restart(node) {
      const code = await node.service.stop({ graceMs: (DRAIN_S + 25) * 1000 });
      await begin(node);
      return code;
    },
    /** Ends a node as a loss of power does; `begin` starts it again. */
    kill: (node) => node.service.stop({ signal: 'SIGKILL' }),
    begin,
  };
}
