// Writes what is made from other files: the crawler lists, the files to paste (core and adapter in one), and what the pages of the web
// servers have in common. No packages.
// See docs/decisions/0441.
//
//   node integrations/build.mjs            writes them
//   node integrations/build.mjs --check    ends with status 1 when one is not what it would write
//   GLASSHOUSE                             the binary whose list it is (default: target/release/glasshouse, then debug)
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, '..');
const MOST_GZIP_BYTES = 13 * 1024;
/** Modules of the core, each after those that it imports. */
const CORE = ['crawlers', 'decide', 'address', 'breaker', 'ask', 'relay', 'integration', 'mark'];
const WEB = [...CORE, 'web'];
const NODE = [...CORE, 'node'];

const SETTINGS = `{
  serviceUrl: '__SERVICE_URL__',
  apiKey: '__API_KEY__',
  domain: '__DOMAIN__',
}`;
const KEY = 'The key is better kept in GLASSHOUSE_API_KEY';
// Next.js takes the headers of its router off before the proxy: only the matcher sees them.
const MATCHER = `export const config = {
  matcher: [{
    source: '/((?!_next/static|_next/image|api/).*)',
    missing: [
      { type: 'header', key: 'rsc' }, { type: 'header', key: 'next-action' }, { type: 'header', key: 'next-router-state-tree' },
      { type: 'header', key: 'next-router-prefetch' }, { type: 'header', key: 'next-router-segment-prefetch' },
      { type: 'header', key: 'x-middleware-prefetch' }, { type: 'header', key: 'x-nextjs-data' },
    ],
  }],
};
`;
const next = (file, name) => ({
  file: `nextjs/${file}`,
  adapter: 'nextjs',
  modules: WEB,
  head: `// @ts-nocheck\n// Crawlers get snapshots. Save as ${name} beside the folder app (or in src, when there is one).\n// ${KEY} (environment variable).`,
  use: (value) => `export default ${value};\n\n// A literal: Next.js reads it when it builds.\n${MATCHER}`,
});
const FILES = [
  {
    file: 'cloudflare-workers/snippet.js', adapter: 'cloudflare-workers', modules: WEB,
    head: `// Crawlers get snapshots. Paste as the code of a Worker, and give it the route *__DOMAIN__/* (failure mode: fail open).\n// ${KEY} (secret).`,
    use: (value) => `export default ${value};\n`,
  },
  {
    file: 'vercel/snippet.js', adapter: 'vercel', modules: WEB,
    head: `// Crawlers get snapshots. Save as middleware.js in the folder of the project.\n// ${KEY} (environment variable).`,
    use: (value) => `export default ${value};\n\n// Vercel reads it when it builds. Files and data never reach the middleware.\nexport const config = { runtime: 'edge', matcher: '/((?!_next/|_vercel/|assets/|api/).*)' };\n`,
  },
  {
    file: 'netlify/snippet.js', adapter: 'netlify', modules: WEB,
    head: `// Crawlers get snapshots. Save as netlify/edge-functions/glasshouse.js. Switch Netlify's own prerendering off.\n// ${KEY} (environment variable).`,
    use: (value) => `export default ${value};\n\n// onError: whatever goes wrong here, the visitor gets the site.\nexport const config = { path: '/*', excludedPath: ['/assets/*', '/api/*', '/.netlify/*'], onError: 'bypass' };\n`,
  },
  next('snippet.ts', 'proxy.ts'),
  next('middleware.ts', 'middleware.ts (Next.js up to 15)'),
  {
    file: 'express/snippet.mjs', adapter: 'express', modules: NODE,
    head: `// Crawlers get snapshots. Save as glasshouse.mjs; then, before every other app.use:\n//   import crawlers from './glasshouse.mjs';\n//   app.use(crawlers);\n// ${KEY} (environment variable).`,
    use: (value) => `export default ${value};\n`,
  },
  {
    file: 'fastify/snippet.mjs', adapter: 'fastify', modules: NODE,
    head: `// Crawlers get snapshots. Save as glasshouse.mjs; then, before every other plugin:\n//   import crawlers from './glasshouse.mjs';\n//   await fastify.register(crawlers);\n// ${KEY} (environment variable).`,
    use: (value) => `export default ${value};\n`,
  },
];
const LISTS = [
  ['javascript/crawlers.json', 'json'], ['javascript/crawlers.txt', 'regex'], ['nginx/crawlers.conf', 'nginx'],
  ['apache/crawlers.conf', 'apache'], ['caddy/crawlers.caddy', 'caddy'],
];

function binary() {
  const folder = process.env.CARGO_TARGET_DIR ?? path.join(root, 'target');
  const candidates = [process.env.GLASSHOUSE, path.join(folder, 'release/glasshouse'), path.join(folder, 'debug/glasshouse')];
  const found = candidates.find((file) => file && fs.existsSync(file));
  if (!found) throw new Error('no glasshouse binary: build it (cargo build -p glasshouse) or set GLASSHOUSE');
  return found;
}

/** A module without its imports and comments, with its exports as plain declarations. */
function inlined(file) {
  const text = fs.readFileSync(path.join(here, file), 'utf8');
  return text.replace(/^import [\s\S]*?;\n/gm, '').replace(/^ *(?:\/\/|\/?\*).*\n/gm, '').replace(/^export /gm, '').replace(/\n{2,}/g, '\n').trim();
}

/** One file: the settings first, then everything that stands behind them. */
function pasted({ adapter, modules, head, use }) {
  const parts = [...modules.map((name) => `javascript/src/${name}.js`), `${adapter}/adapter.js`].map(inlined);
  // Constants of modules must be there before the adapter is called, so what is filled in stands on top and is used at the end.
  return `${head}\nconst settings = ${SETTINGS};\n\n// Nothing below is to be filled in. Written by integrations/build.mjs; not edited by hand.\n\n${parts.join('\n\n')}\n\n${use('glasshouse(settings)')}`;
}

const problems = [];
function put(file, text) {
  const target = path.join(here, file);
  const old = fs.existsSync(target) ? fs.readFileSync(target, 'utf8') : null;
  if (old === text) return;
  if (process.argv.includes('--check')) problems.push(`integrations/${file} is not what its sources give: node integrations/build.mjs`);
  else fs.writeFileSync(target, text);
}

/** Puts what several pages say into one of them, between its two marks. */
function putShared(file, source) {
  const shared = fs.readFileSync(path.join(here, source), 'utf8');
  const page = fs.readFileSync(path.join(here, file), 'utf8');
  const [begin, end] = [`<!-- Written by integrations/build.mjs from ${source}. -->\n`, `<!-- End of ${source}. -->\n`];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) problems.push(`integrations/${file} has not the marks of ${source}`);
  else put(file, `${before}${begin}\n${shared}\n${end}${after}`);
}

const list = (format) => execFileSync(binary(), ['crawlers', '--format', format], { encoding: 'utf8', maxBuffer: 1 << 24 });
for (const [file, format] of LISTS) put(file, list(format));
for (const server of ['nginx', 'apache', 'caddy']) putShared(`${server}/README.md`, 'edge-settings.md');
const { documented, general } = JSON.parse(list('json'));
// Documented crawlers are for any case, which JavaScript says shorter.
const literal = (expression) => `/${expression.replace(/\//g, '\\/')}/`;
put('javascript/src/crawlers.js', `// User agents of crawlers. Written by integrations/build.mjs from \`glasshouse crawlers\`; not edited by hand.
export const DOCUMENTED = ${literal(documented.replace(/\[([a-z])[A-Z]\]/g, '$1'))}i;
export const GENERAL = ${literal(general)};
`);

// What an `Accept` says, in the words that PCRE and RE2 share and for any case. A member that cannot be read matches nothing.
const PARAMETERS = '(?:;\\s*(?:[^q\\s;,][^;,]*|q[^\\s=;,][^;,]*)?)*';
const RANGE_END = (weight) => `\\s*${PARAMETERS}(?:;\\s*q\\s*=\\s*${weight}\\s*${PARAMETERS})?`;
const weighed = (range, weight) => `(?:^|,)\\s*${range}${RANGE_END(weight)}(?:,|$)`;
const WANTED = '(?:0*\\.[0-9]*[1-9][0-9]*|0*1(?:\\.0*)?)';
const ACCEPT = {
  'a page': weighed('(?:text/(?:html|markdown|\\*)|application/xhtml\\+xml)', WANTED),
  'Markdown': weighed('text/markdown', WANTED),
  'anything alone': `^\\s*\\*/\\*${RANGE_END(WANTED)}$`,
  'anything': weighed('(?:\\*|application)/\\*', WANTED),
  'plain text': weighed('text/plain', WANTED),
  'JSON': '(?:^|,)\\s*[^\\s;,/]+/(?:[^\\s;,/]*\\+)?json\\s*(?:[;,]|$)',
  'a type': weighed('[^\\s;,/=]+/[^\\s;,/=]+', '(?:0+(?:\\.[0-9]*)?|\\.[0-9]+|0*1(?:\\.0*)?)'),
};
for (const file of ['nginx/snippet.conf', 'apache/snippet.conf', 'caddy/snippet.caddy']) {
  const text = fs.readFileSync(path.join(here, file), 'utf8');
  for (const [name, expression] of Object.entries(ACCEPT)) {
    if (!text.includes(expression)) problems.push(`integrations/${file} has not the expression for ${name} in Accept: ${expression}`);
  }
}

// The service's list of extensions, wherever it stands.
const rust = fs.readFileSync(path.join(root, 'crates/crawler/src/url/static_asset.rs'), 'utf8');
const extensions = [...rust.slice(0, rust.indexOf('];')).matchAll(/"(\w+)"/g)].map((match) => match[1]).join('|');
for (const file of ['javascript/src/decide.js', 'nginx/snippet.conf', 'apache/snippet.conf', 'caddy/snippet.caddy']) {
  const text = fs.readFileSync(path.join(here, file), 'utf8');
  if (!text.includes(`(?:${extensions})`)) problems.push(`integrations/${file} has not the service's list of extensions: (?:${extensions})`);
}

const names = new Set();
for (const file of FILES) {
  put(file.file, pasted(file));
  for (const [, name] of pasted(file).matchAll(/^(?:async )?(?:function|const|let|class) (\w+)/gm)) {
    if (names.has(`${file.file} ${name}`)) problems.push(`${file.file}: ${name} is declared twice`);
    names.add(`${file.file} ${name}`);
  }
}
const sizes = [WEB, NODE].map((modules) => gzipSync(modules.map((name) => inlined(`javascript/src/${name}.js`)).join('\n'), { level: 9 }).length);
const size = Math.max(...sizes);
if (size > MOST_GZIP_BYTES) problems.push(`core and list are ${size} bytes with gzip, more than ${MOST_GZIP_BYTES}`);

for (const problem of problems) console.error(problem);
if (problems.length === 0) console.log(`core and list: ${size} bytes with gzip`);
process.exitCode = problems.length === 0 ? 0 : 1;
