// The demo site's origin: the built app, its JSON data, robots.txt and a sitemap, on loopback. No dependencies.
// Used by `make demo` and `make run`. node server.mjs [PORT]; it must be built before (npm run build).
// Like the hosts of most client-rendered shops it answers every page with the same empty shell and status 200.
import { createServer } from 'node:http';
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { data, paths } from './pages.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const port = Number(process.argv[2] ?? 4321);
const SITE = 'https://demo.glasshouse.test';
const TYPES = {
  '.css': 'text/css; charset=utf-8', '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.png': 'image/png', '.svg': 'image/svg+xml',
};

let files;
try {
  files = readdirSync(join(here, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
} catch {
  console.error('demo: there is no dist folder yet; run "npm ci && npm run build" in demo/ (make demo does)');
  process.exit(1);
}
const dist = join(here, 'dist');
const assets = new Map(files.map((file) => [file.slice(dist.length), { body: readFileSync(file), type: TYPES[extname(file)] ?? 'application/octet-stream' }]));
const shell = assets.get('/index.html');

const sitemap = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${paths.map((path) => `  <url><loc>${SITE}${path}</loc></url>`).join('\n')}
</urlset>
`;

/** The JSON answer of /api/COLLECTION[/SLUG], or undefined. */
function api(url) {
  const [collection, slug] = url.pathname.slice('/api/'.length).split('/').map((part) => decodeURIComponent(part));
  const items = Object.hasOwn(data, collection) ? data[collection] : undefined;
  if (!items || slug !== undefined) return items?.find((item) => item.slug === slug);
  const kind = url.searchParams.get('kind');
  return items.filter((item) => (!kind || item.kind === kind) && item.slug !== url.searchParams.get('not'));
}

const server = createServer((request, response) => {
  const send = (status, type, body, headers = {}) => {
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  let url;
  try {
    url = new URL(request.url, 'http://demo');
    decodeURIComponent(url.pathname);
  } catch {
    return send(400, 'text/plain', 'bad address\n');
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return send(405, 'text/plain', 'GET only\n', { allow: 'GET, HEAD' });
  if (url.pathname.startsWith('/api/')) {
    const answer = api(url);
    return send(answer ? 200 : 404, 'application/json', JSON.stringify(answer ?? { error: 'not_found' }), { 'cache-control': 'no-cache' });
  }
  if (url.pathname === '/robots.txt') return send(200, 'text/plain; charset=utf-8', `User-agent: *\nAllow: /\n\nSitemap: ${SITE}/sitemap.xml\n`);
  if (url.pathname === '/sitemap.xml') return send(200, 'application/xml; charset=utf-8', sitemap);
  const asset = assets.get(url.pathname);
  if (asset) {
    // Names below /assets/ carry a hash of their content.
    return send(200, asset.type, asset.body, { 'cache-control': url.pathname.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache' });
  }
  if (url.pathname.startsWith('/assets/')) return send(404, 'text/plain', 'not found\n');
  return send(200, shell.type, shell.body, { 'cache-control': 'no-cache' });
});

server.on('error', (error) => {
  const busy = error.code === 'EADDRINUSE';
  console.error(busy ? `demo: port ${port} is in use; stop what listens there, or choose another with DEMO_PORT=4400` : `demo: ${error.message}`);
  process.exit(1);
});
server.listen(port, '127.0.0.1', () => console.log(`demo: http://127.0.0.1:${port}`));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
