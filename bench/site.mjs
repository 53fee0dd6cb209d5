// The measured app's origin on loopback: node site.mjs PORT FOLDER. Used by run.mjs. The same bytes for the same address, always.
import { createServer } from 'node:http';
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const [port, folder] = [Number(process.argv[2]), process.argv[3]];
const TYPES = { '.js': 'text/javascript', '.css': 'text/css', '.png': 'image/png' };
const assets = new Map(readdirSync(join(folder, 'assets')).map((name) => {
  const body = readFileSync(join(folder, 'assets', name));
  return [`/assets/${name}`, { body, gzip: extname(name) === '.png' ? null : gzipSync(body), type: TYPES[extname(name)] }];
}));
const shell = readFileSync(join(folder, 'index.html'));

const WORDS = `harbour morning letter window bread river winter garden market paper lantern stone bridge evening copper ladder orchard
  quiet narrow early patient northern borrowed careful bright carried turned waited opened followed mended gathered remembered between under
  across before the a their every another and but with from toward without`.split(/\s+/);

/** A sentence-like text of `count` words, the same for the same seed. */
function text(seed, count) {
  let state = (seed * 2654435761 + 12345) >>> 0;
  const words = Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return WORDS[state % WORDS.length];
  });
  const line = words.join(' ');
  return `${line[0].toUpperCase()}${line.slice(1)}.`;
}
const article = (id, long) => ({
  id, list: id, title: `Article number ${id}: ${text(id, 5)}`, author: 'R. Keller', date: `2026-03-${String(1 + (id % 28)).padStart(2, '0')}`,
  summary: text(id * 3, 24), picture: `/assets/picture-${id % 12}.png`,
  paragraphs: Array.from({ length: long ? 56 : 8 }, (_, part) => text(id * 131 + part, 90)),
});
const items = (list) => Array.from({ length: 40 }, (_, part) => ({
  id: list * 100 + part, title: `Item ${list}-${part} ${text(list + part, 3)}`, text: text(list * 17 + part, 40), picture: `/assets/picture-${part % 12}.png`,
  tags: [`tag ${part % 3}`, `tag ${part % 5}`, `tag ${part % 7}`],
}));

const server = createServer((request, response) => {
  const send = (status, type, body, headers = {}) => {
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers });
    response.end(body);
  };
  const json = (value) => send(200, 'application/json', JSON.stringify(value), { 'cache-control': 'no-store' });
  const url = new URL(request.url, 'http://site'), path = url.pathname;
  const asset = assets.get(path);
  if (asset) {
    const gzip = asset.gzip && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    return send(200, asset.type, gzip ? asset.gzip : asset.body, { 'cache-control': 'public, max-age=31536000, immutable', ...(gzip ? { 'content-encoding': 'gzip' } : {}) });
  }
  const found = /^\/api\/(article|items)\/(\d+)$/.exec(path);
  if (found?.[1] === 'article') {
    const answer = () => json(article(Number(found[2]), url.searchParams.get('long') === '1'));
    return url.searchParams.get('slow') === '1' ? setTimeout(answer, 150) : answer();
  }
  if (found) return json({ items: items(Number(found[2])) });
  if (path.startsWith('/api/')) { request.resume(); return send(204, 'text/plain', ''); }
  if (path.startsWith('/assets/')) return send(404, 'text/plain', '');
  return send(200, 'text/html; charset=utf-8', shell, { 'cache-control': 'no-cache' });
});
server.keepAliveTimeout = 60_000;
server.listen(port, '127.0.0.1');
