// A site with the troubles of ordinary ones: the `www.` host is the real one and robots.txt names its sitemap by http without it, another
// sitemap lies on a CDN, hundreds of pages are of one template, a firewall refuses imitated crawlers, links carry session ids.
// usage: node bench/seo/ordinary.mjs [--port 18481] [--planted ordinary.json]
// Prints the settings by which its hosts are found. `compare.mjs` reads the planted file and looks only at the checks that it names (`_only`).
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { random, sentence, words } from './words.mjs';

const options = Object.fromEntries(process.argv.slice(2).join(' ').split('--').filter(Boolean).map((pair) => pair.trim().split(' ')));
const port = Number(options.port ?? 18481);
const dice = random(7);
const ROOT = 'https://www.ordinary.test';
const ITEMS = 400;

const page = (path, links = [], head = '', root = '') => {
  const name = `${words(dice, 'en', 2)} ${path.length + path.charCodeAt(path.length - 1)}`;
  const text = Array.from({ length: 10 }, () => `<p>${Array.from({ length: 5 }, () => sentence(dice, 'en')).join(' ')}</p>`).join('');
  const anchors = links.map((to) => `<a href="${to}">${words(dice, 'en', 3)}</a> `).join('');
  return `<!doctype html><html lang="en"${root}><head><meta charset="utf-8"><title>${name} of ${path}</title>${head}</head><body><main><h1>${name}</h1>${text}${anchors}</main></body></html>`;
};

const documents = new Map();
const put = (path, ...more) => documents.set(path, page(path, ...more));
const items = Array.from({ length: ITEMS }, (_, number) => `/item/${number}`);
const product = '<meta itemprop="name" content="A good thing">';
// Links name the bare host, which redirects to www.
put('/', ['https://ordinary.test/about', '/shop', '/cart?sid=0', '/broken', '/canonical', '/old']);
put('/about', ['/'], product, ' itemscope itemtype="https://schema.org/AboutPage"');
put('/shop', items.slice(0, 20));
put('/broken', ['/', '/gone']);
put('/canonical', ['/'], `<link rel="canonical" href="${ROOT}/lost">`);
put('/listed-elsewhere', ['/']);
for (const item of items) put(item, ['/shop']);

const list = (paths, root) => `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths.map((path) => `<url><loc>${root}${path}</loc></url>`).join('')}</urlset>`;
const files = new Map([
  ['www.ordinary.test/robots.txt', ['text/plain', 'User-agent: *\nDisallow: /private/\nSitemap: http://ordinary.test/sitemap.xml\nSitemap: https://cdn.test/more.xml\n']],
  ['www.ordinary.test/sitemap.xml', ['application/xml', list(['/', '/about', '/shop', '/broken', ...items], ROOT)]],
  ['cdn.test/more.xml', ['application/xml', list(['/listed-elsewhere'], ROOT)]],
]);

const issues = { LINK_BROKEN_INTERNAL: ['/broken'], CANONICAL_TO_ERROR: ['/canonical'] };
const planted = {
  // Of these the first two are planted, the next are true of the whole site, and the others would be false alarms.
  _only: [...Object.keys(issues), 'REDIRECT_LOOP', 'LINK_TO_REDIRECT_LOOP', 'UA_RESPONSE_DIFFERS', 'SITEMAP_URL_OTHER_HOST', 'SITEMAP_FETCH_FAILED', 'SITEMAP_URL_REDIRECT', 'SITEMAP_MISSING'],
  _sitewide: ['AI_BOT_HTTP_BLOCKED', 'CRAWL_TRAP'],
  issues,
};
if (options.planted) writeFileSync(options.planted, JSON.stringify(planted, null, 1));

createServer((request, response) => {
  const host = (request.headers.host ?? '').split(':')[0];
  const send = (status, type, body, headers = {}) => {
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  if (host === 'ordinary.test') return send(301, 'text/html', '', { location: `${ROOT}${request.url}` });
  if (/Googlebot|GPTBot|ClaudeBot/.test(request.headers['user-agent'] ?? '')) return send(403, 'text/html', '<h1>No</h1>');
  const file = files.get(`${host}${request.url}`);
  if (file) return send(200, ...file);
  if (request.url === '/old') return send(301, 'text/html', '', { location: 'https://ordinary.test/about' });
  const session = /^\/cart\?sid=(\d+)$/.exec(request.url);
  if (session) return send(200, 'text/html; charset=utf-8', page('/cart', [1, 2, 3].map((step) => `/cart?sid=${Number(session[1]) * 3 + step}`)));
  const document = documents.get(request.url);
  return document ? send(200, 'text/html; charset=utf-8', document) : send(404, 'text/html', '<title>Not here</title><p>Nothing stands at this address.');
}).listen(port, '127.0.0.1', () => {
  const hosts = ['ordinary.test', 'www.ordinary.test', 'cdn.test'].map((host) => `"${host}" = "127.0.0.1:${port}"`);
  console.log(`[network]\nallow_private = ["127.0.0.0/8"]\nhosts = { ${hosts.join(', ')} }`);
});
