// The site's own server: the shell of the React app for every page, its script, its data, an echo, and a WebSocket. On loopback.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { listen } from '../../lib/ports.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
export const SHELL = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The shell</title></head>
<body><div id="root">The shell</div><script type="module" src="/app.js"></script></body></html>
`;
export const WORDS = '{"words":"Seventeen teapots stand on the shelf."}';

/** Builds the app into a folder: index.html, app.js, words.json. */
export async function buildApp(folder) {
  await esbuild.build({
    entryPoints: [path.join(here, 'main.jsx')], outfile: path.join(folder, 'app.js'), bundle: true, minify: true, format: 'esm', jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' }, logLevel: 'warning',
  });
  fs.writeFileSync(path.join(folder, 'index.html'), SHELL);
  fs.writeFileSync(path.join(folder, 'words.json'), WORDS);
}

export async function startApp(folder) {
  // Paths of uploads that came before their end.
  let begun = '';
  const server = http.createServer((request, response) => {
    const where = request.url.split('?')[0];
    const send = (type, body, headers = {}) => {
      response.writeHead(200, { 'content-type': type, ...headers });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    if (where === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: echo one\n\n');
    } else if (where === '/begun') send('text/plain', begun);
    else if (request.method === 'POST' && where.startsWith('/streamed/')) request.once('data', () => { begun += where; });
    else if (request.method === 'POST') {
      const pieces = [];
      request.on('data', (piece) => pieces.push(piece)).on('end', () => send('text/plain', `echo ${Buffer.concat(pieces)}`));
    } else if (where.endsWith('.js')) send('text/javascript', fs.readFileSync(path.join(folder, 'app.js')));
    else if (where.endsWith('.json')) send('application/json', WORDS);
    // Caches may keep the app's page: that is where they would mix up people and crawlers.
    else send('text/html; charset=utf-8', SHELL, { 'cache-control': 'public, max-age=60' });
  });
  // A WebSocket, as far as what stands in front can tell.
  server.on('upgrade', (request, socket) => {
    if (request.headers.upgrade !== 'websocket') {
      return socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${Buffer.byteLength(SHELL)}\r\nConnection: close\r\n\r\n${SHELL}`);
    }
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    return socket.on('data', (piece) => socket.write(`echo ${piece}`)).on('error', () => socket.destroy());
  });
  server.keepAliveTimeout = 60_000;
  return listen(server);
}
