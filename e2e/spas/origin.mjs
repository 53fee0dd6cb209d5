// The origin of the apps: their shells and assets, and the data they ask for, on loopback. No packages.
// `node origin.mjs` serves on PORT (default 4300) for a look by hand; run.mjs starts it on a free port.
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { listen } from '../lib/ports.mjs';
import { articles, harvest, messages, products } from './content.mjs';

const dist = path.join(path.dirname(fileURLToPath(import.meta.url)), 'dist');
const TYPES = { '.js': 'text/javascript', '.css': 'text/css', '.map': 'application/json' };

function send(response, status, type, body, headers = {}) {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

/** Small answers to the few queries that the apps send; not a GraphQL engine. */
function graphql(query) {
  if (/\barticles\b/.test(query)) return { data: { articles: articles.map(({ id, title, summary }) => ({ __typename: 'Article', id, title, summary })) } };
  const id = /article\s*\(\s*id:\s*"([^"]+)"/.exec(query)?.[1];
  const found = articles.find((article) => article.id === id);
  return found ? { data: { article: { __typename: 'Article', ...found } } } : { errors: [{ message: 'There is no such article' }] };
}

function api(request, response, url, body) {
  const json = (value, status = 200) => {
    const answer = () => send(response, status, 'application/json', JSON.stringify(value), { 'cache-control': 'no-store' });
    const wait = Number(url.searchParams.get('wait')) || 0;
    if (wait > 0) setTimeout(answer, wait);
    else answer();
  };
  const [, , kind, id] = url.pathname.split('/');
  if (kind === 'articles' && !id) return json(articles.map(({ paragraphs, ...rest }) => rest));
  if (kind === 'articles') {
    const found = articles.find((article) => article.id === id);
    return found ? json(found) : json({ error: 'not_found' }, 404);
  }
  if (kind === 'products') return json(products);
  if (kind === 'harvest') return json(harvest);
  if (kind === 'messages') return messages[id] ? json(messages[id]) : json({}, 404);
  if (kind === 'graphql') return json(graphql(JSON.parse(body || '{}').query || ''));
  if (kind === 'ping') return json({ visitors: 3 });
  if (kind === 'feed') {
    const page = Number(id) || 1;
    return json(Array.from({ length: 6 }, (_, i) => ({ id: `${page}-${i}`, text: `Diary entry ${i + 1} of week ${page}: ${products[(page * 6 + i) % products.length].text}` })));
  }
  if (kind === 'fragment') {
    const entry = products[(Number(id) * 3) % products.length];
    return send(response, 200, 'text/html; charset=utf-8', `<p><b>Week ${id}.</b> ${entry.text}</p>`, { 'cache-control': 'no-store' });
  }
  if (kind === 'events') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const lines = articles.slice(0, 3).map((article, i) => ({ id: i, text: `${article.author} has published “${article.title}”.` }));
    setTimeout(() => response.write(`event: news\ndata: ${JSON.stringify(lines)}\n\n`), 120);
    const beat = setInterval(() => response.write(': still here\n\n'), 500);
    request.on('close', () => clearInterval(beat));
    return undefined;
  }
  if (kind === 'hang') return undefined; // never answers
  return send(response, 404, 'application/json', '{"error":"not_found"}');
}

/** One text frame of a WebSocket, server to client. */
function frame(text) {
  const data = Buffer.from(text);
  const head = data.length < 126 ? Buffer.from([0x81, data.length]) : Buffer.from([0x81, 126, data.length >> 8, data.length & 255]);
  return Buffer.concat([head, data]);
}

function upgrade(request, socket) {
  const accept = crypto.createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  setTimeout(() => socket.write(frame(JSON.stringify({ kind: 'stock', rows: products.slice(0, 5).map(({ name, stock }) => ({ name, stock })) }))), 150);
}

/** Moves the addresses that an app's code names to the root of its host, and keeps the app from saying itself that a page is missing. */
function atRoot(code, app) {
  const below = new RegExp(`(["'\`])/${app}/`, 'g'), itself = new RegExp(`(["'\`])/${app}\\1`, 'g');
  // Mithril puts its prefix before every route.
  return code.replace(below, '$1/').replace(itself, app === 'mithril' ? '$1$1' : '$1/$1').replaceAll('prerender-status-code', 'status-of-the-app');
}

/** Serves one app at the root of its host, as a site that is nothing else. */
export function startSite(app) {
  const shell = fs.readFileSync(path.join(dist, app, 'index.html'));
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, 'http://origin');
    if (url.pathname.startsWith('/api/')) {
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () => api(request, response, url, body));
      return;
    }
    const file = path.join(dist, app, path.normalize(url.pathname).replace(`/${app}/assets/`, '/assets/'));
    if (!(path.extname(file) in TYPES)) return send(response, 200, 'text/html; charset=utf-8', shell);
    if (!file.startsWith(dist) || !fs.existsSync(file)) return send(response, 404, 'text/plain', 'not found');
    send(response, 200, TYPES[path.extname(file)], atRoot(fs.readFileSync(file, 'utf8'), app));
  });
  server.on('upgrade', upgrade);
  return listen(server, 0);
}

export function startOrigin(port = 0) {
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, 'http://origin');
    if (url.pathname.startsWith('/api/')) {
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () => api(request, response, url, body));
      return;
    }
    if (url.pathname === '/moved') return send(response, 301, 'text/plain', '', { location: '/react/' });
    const [, app] = url.pathname.split('/');
    if (!fs.existsSync(path.join(dist, app || '-', 'index.html'))) return send(response, 404, 'text/plain', 'not found');
    if (path.extname(url.pathname) in TYPES) {
      const file = path.join(dist, path.normalize(url.pathname));
      if (!file.startsWith(dist) || !fs.existsSync(file)) return send(response, 404, 'text/plain', 'not found');
      return send(response, 200, TYPES[path.extname(file)], fs.readFileSync(file), { 'cache-control': 'public, max-age=3600' });
    }
    if (/\.(jpg|png|ico)$/.test(url.pathname)) return send(response, 404, 'text/plain', 'not found');
    // Every other address is the app's own: a single page answers for all of them.
    return send(response, 200, 'text/html; charset=utf-8', fs.readFileSync(path.join(dist, app, 'index.html')), { 'cache-control': 'no-cache' });
  });
  server.on('upgrade', upgrade);
  server.keepAliveTimeout = 60_000;
  return listen(server, port);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { port } = await startOrigin(Number(process.env.PORT) || 4300);
  process.stdout.write(`apps at http://127.0.0.1:${port}/react/ and so on\n`);
}
