// A site in which every fault is known: sound pages in three languages, and copies of them with one fault each.
// usage: node bench/seo/site.mjs [--port 18480] [--pages 600] [--seed 1] [--planted planted.json]
// Serves the site until it is ended, and writes which check has to fire on which page and nowhere else (`compare.mjs` reads it).
// The same seed makes the same site. Pages below /app/ are written by scripts: what differs without JavaScript stands in `no_js`.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { APP_SCRIPT, appPlants, plants } from './plants.mjs';
import { random, sentence, words } from './words.mjs';

const options = Object.fromEntries(process.argv.slice(2).join(' ').split('--').filter(Boolean).map((pair) => pair.trim().split(' ')));
const port = Number(options.port ?? 18480);
const base = `http://127.0.0.1:${port}`;
const dice = random(Number(options.seed ?? 1));
const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
const PER_SECTION = 20;

let serial = 0;
function makePage(path, lang) {
  serial += 1;
  const name = `${words(dice, lang, 3)} ${serial}`;
  const text = () => Array.from({ length: 6 }, () => sentence(dice, lang)).join(' ');
  return {
    path,
    lang,
    title: `${name[0].toUpperCase()}${name.slice(1)} | ${{ en: 'The corner shop of the town', de: 'Der Laden in der Altstadt', fr: 'La boutique de la ville' }[lang]}`.slice(0, 60),
    description: `${sentence(dice, lang)} ${sentence(dice, lang)} ${serial}`.padEnd(80, '.').slice(0, 150),
    h1: `${words(dice, lang, 2)} ${serial}`,
    paragraphs: Array.from({ length: 8 }, text),
    links: [],
    head: [],
    body: [],
    headers: {},
    status: 200,
    listed: true,
  };
}

/** Pieces of a document by name; a fault replaces or drops some of them. */
function pieces(page) {
  const url = base + page.path;
  return {
    doctype: '<!doctype html>',
    html: `<html lang="${page.lang}">`,
    charset: '<meta charset="utf-8">',
    viewport: '<meta name="viewport" content="width=device-width, initial-scale=1">',
    title: `<title>${escape(page.title)}</title>`,
    description: `<meta name="description" content="${escape(page.description)}">`,
    canonical: `<link rel="canonical" href="${url}">`,
    icon: '<link rel="icon" href="/favicon.ico">',
    ogTitle: `<meta property="og:title" content="${escape(page.title)}">`,
    ogDescription: `<meta property="og:description" content="${escape(page.description)}">`,
    ogImage: `<meta property="og:image" content="${base}/large.gif">`,
    ogUrl: `<meta property="og:url" content="${url}">`,
    ogType: '<meta property="og:type" content="website">',
    card: '<meta name="twitter:card" content="summary_large_image">',
    data: `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', '@type': 'WebPage', name: page.h1, url })}</script>`,
    head: page.head.join(''),
    bodyStart: '<body><header><nav><a href="/">Start page of the shop</a></nav></header><main>',
    h1: `<h1>${escape(page.h1)}</h1>`,
    h2: '<h2>Details</h2>',
    picture: `<img src="/small.gif" alt="${escape(page.h1)}" width="40" height="40">`,
    text: page.paragraphs.map((text) => `<p>${escape(text)}</p>`).join('\n'),
    links: `<ul>${page.links.map((to) => `<li><a href="${to.path}">${escape(to.h1)}</a></li>`).join('')}</ul>`,
    body: page.body.join(''),
    end: '</main></body></html>\n',
  };
}

const HEAD = ['charset', 'viewport', 'title', 'description', 'canonical', 'icon', 'ogTitle', 'ogDescription', 'ogImage', 'ogUrl', 'ogType', 'card', 'data', 'head'];
const BODY = ['bodyStart', 'h1', 'h2', 'picture', 'text', 'links', 'body', 'end'];

function write(page) {
  if (page.raw !== undefined) return page.raw;
  const parts = { ...pieces(page), ...page.parts };
  return [parts.doctype, parts.html, '<head>', ...HEAD.map((name) => parts[name]), '</head>', ...BODY.map((name) => parts[name])].join('\n');
}

// Sound pages: a start page, sections, and pages that link to their neighbours.
const start = makePage('/', 'en');
const sections = [];
const pages = [start];
const count = Number(options.pages ?? 600);
for (let number = 0; number < Math.ceil(count / PER_SECTION); number += 1) {
  const lang = ['en', 'de', 'fr'][number % 3];
  const section = makePage(`/${lang}-${number}/`, lang);
  const members = Array.from({ length: PER_SECTION }, (_, index) => makePage(`${section.path}${words(dice, lang, 2).replace(/[^a-z]+/g, '-')}-${index}`, lang));
  members.forEach((member, index) => {
    member.links = [section, ...[1, 2, 3].map((step) => members[(index + step) % PER_SECTION])];
    member.section = section;
  });
  section.links = members;
  sections.push(section);
  pages.push(section, ...members);
}
start.links = sections;
sections.forEach((section, index) => section.links.push(sections[(index + 1) % sections.length], sections[(index + 2) % sections.length]));

// Faults: each on members that have none yet.
const issues = {};
const noJs = {};
const texts = {};
const plant = (id, path, list = issues) => (list[id] ??= []).push(path);
const other = new Map();
const free = pages.filter((page) => page.section && page.lang === 'en');
const take = () => {
  const page = free.shift();
  if (!page) throw new Error('too few pages for all faults: raise --pages');
  return page;
};
const plantOnce = (id, path) => issues[id]?.includes(path) || plant(id, path);
const site = { base, take, plant, plantOnce, other, makePage: (path, lang = 'en') => {
  const page = makePage(path, lang);
  pages.push(page);
  return page;
}, dice };
for (const { id, also = [], twice = false, plain = false, evidence, apply } of plants) {
  if (evidence) texts[id] = evidence;
  for (let copy = 0; copy < 2; copy += 1) {
    const page = take();
    const second = twice ? take() : undefined;
    apply(page, site, second);
    page.plain = plain;
    for (const name of [id, ...also]) {
      plant(name, page.path);
      if (twice) plant(name, second.path);
    }
  }
}
for (const { ids, rawIds, mode, silent = [] } of appPlants) {
  const page = site.makePage(`/app/${mode}`, 'en');
  page.listed = !silent.includes('listed');
  const config = JSON.stringify({ mode, h1: page.h1, text: page.paragraphs, title: page.title.replace('|', '-') });
  page.parts = { h1: '', h2: '', picture: '', text: '<div id="root"></div>', bodyStart: '<body>', end: `<script type="application/json" id="config">${config}</script><script src="/app.js"></script></body></html>` };
  start.links.push(page);
  sections[0].links.push(page);
  ids.forEach((id) => plant(id, page.path));
  [...rawIds, ...(page.listed ? [] : ['SITEMAP_PAGE_MISSING'])].forEach((id) => plant(id, page.path, noJs));
}
// Without JavaScript a check has its plants on plain pages, and what the shells of the applications lack.
for (const { ids } of appPlants) for (const id of ids) noJs[id] ??= [];
for (const id of Object.keys(noJs)) noJs[id] = [...new Set([...noJs[id], ...(issues[id] ?? []).filter((path) => !path.startsWith('/app/'))])];

const answers = new Map(pages.map((page) => [page.path, { status: page.status, headers: { 'content-type': 'text/html; charset=utf-8', ...page.headers }, plain: page.plain, body: Buffer.from(write(page).replaceAll('PORT', port)) }]));
for (const [path, answer] of other) answers.set(path, { headers: {}, ...answer, body: Buffer.from(answer.body ?? '') });
const gif = (width, height) => Buffer.concat([Buffer.from('GIF89a'), Buffer.from(Uint16Array.of(width, height).buffer), Buffer.alloc(40)]);
const file = (path, type, body) => answers.set(path, { status: 200, headers: { 'content-type': type }, body: Buffer.from(body) });
file('/large.gif', 'image/gif', gif(1200, 630));
file('/small.gif', 'image/gif', gif(40, 40));
file('/heavy.gif', 'image/gif', Buffer.concat([gif(800, 600), Buffer.alloc(200_000)]));
file('/favicon.ico', 'image/x-icon', Buffer.of(0, 0, 1, 0));
file('/app.js', 'text/javascript', APP_SCRIPT);
file('/robots.txt', 'text/plain', `User-agent: *\nDisallow: /private/\nSitemap: ${base}/sitemap.xml\n`);
file('/llms.txt', 'text/plain', '# The corner shop\n\n> Everything for the house.\n');
const listed = pages.filter((page) => page.listed && page.status === 200).map((page) => `<url><loc>${base}${escape(page.path)}</loc><lastmod>2026-01-0${1 + (page.path.length % 9)}</lastmod></url>`);
file('/sitemap.xml', 'application/xml', `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${listed.join('\n')}</urlset>`);

const planted = { _meta: { base, pages: pages.length }, issues, no_js: noJs, evidence: texts };
if (options.planted) writeFileSync(options.planted, JSON.stringify(planted, null, 1));
createServer((request, response) => {
  const answer = answers.get(request.url) ?? { status: 404, headers: { 'content-type': 'text/html' }, body: Buffer.from('<title>Not here</title><p>Nothing stands at this address.') };
  const headers = { 'cache-control': 'max-age=60', 'x-content-type-options': 'nosniff', ...answer.headers };
  const packs = answer.body.length > 600 && /text|xml|javascript/.test(headers['content-type'] ?? '') && /gzip/.test(request.headers['accept-encoding'] ?? '') && !answer.plain;
  const body = packs ? (answer.packed ??= gzipSync(answer.body)) : answer.body;
  response.writeHead(answer.status, { ...headers, ...(packs ? { 'content-encoding': 'gzip' } : {}), 'content-length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}).listen(port, '127.0.0.1', () => console.log(`${base}/ has ${pages.length} pages, ${Object.values(issues).flat().length} faults of ${Object.keys(issues).length} checks`));
