// The site of the made world, on loopback: a product with documentation. Its guides are HTML from the server, its prices and templates
// are drawn by scripts, and its owner works on it: it changes from one release to the next. The same address gives the same page.
import fs from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { listen } from '../../lib/ports.mjs';
import { ICON, scriptOf, shellOf, STYLE } from './docs-site-pages.ts';
import { paragraphs } from './docs-site-text.ts';

/** Releases of the site: 0 at first, 1 with new faults and mended ones, 2 with the reference of the API beside the guides. */
export type Release = 0 | 1 | 2;

export interface DocsSite {
  /** Host and port on loopback. */
  host: string;
  setRelease(release: Release): void;
  /** Paths that answer 500 from now on. */
  failing: Set<string>;
  close(): Promise<unknown>;
}

interface Answer {
  status: number;
  type: string;
  body: string | Buffer;
  location?: string;
}

const GUIDES = 1_000;
const REFERENCES = 3_930;
const POSTS = 40;
const LISTED_REFERENCES = 950;
const PICTURE = fs.readFileSync(join(import.meta.dirname, '../../../demo/public/share.png'));
const SUBJECTS = [
  'Publish',
  'Review',
  'Search',
  'Translate',
  'Version',
  'Import',
  'Export',
  'Theme',
  'Measure',
  'Secure',
];
const OBJECTS = [
  'a handbook',
  'an API reference',
  'release notes',
  'a glossary',
  'tutorials',
  'a help centre',
  'runbooks',
];
const pick = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;
const titleOf = (number: number) => `${pick(SUBJECTS, number)} ${pick(OBJECTS, Math.floor(number / 10))}`;

/** Every path that the sitemap lists: 2,000 of the newest release. */
export function listedPaths(release: Release): string[] {
  const count = (most: number, folder: string) => Array.from({ length: most }, (_, i) => `${folder}/${i}`);
  return [
    '/',
    '/pricing',
    '/features',
    '/templates',
    '/docs',
    '/blog',
    '/changelog',
    '/about',
    '/blog/comparison',
    '/blog/markdown-vs-rich-text',
    ...count(POSTS, '/blog/post'),
    ...count(GUIDES, '/docs'),
    ...(release === 2 ? count(LISTED_REFERENCES, '/reference') : []),
  ];
}

const html = (body: string, status = 200): Answer => ({ status, type: 'text/html; charset=utf-8', body });
const linksTo = (paths: readonly (readonly [string, string])[]) =>
  `<ul>${paths.map(([path, name]) => `<li><a href="${path}">${name}</a></li>`).join('')}</ul>`;

interface Document {
  path: string;
  title: string;
  description?: string;
  head?: string;
  body: string;
}

function pageOf(root: string, { path, title, description, head = '', body }: Document): Answer {
  const about = description === undefined ? '' : `<meta name="description" content="${description}">`;
  const shared = [
    ['og:type', 'website'],
    ['og:title', title],
    ['og:description', description ?? title],
    ['og:url', `${root}${path}`],
    ['og:image', `${root}/share.png`],
  ].map(([name, value]) => `<meta property="${name}" content="${value}">`);
  const data = { '@context': 'https://schema.org', '@type': 'WebPage', name: title, url: `${root}${path}` };
  const more = `<meta name="twitter:card" content="summary_large_image"><script type="application/ld+json">${JSON.stringify(data)}</script>`;
  return html(
    shellOf(
      `<title>${title}</title>${about}<link rel="canonical" href="${root}${path}">${shared.join('')}${more}${head}`,
      `<main>${body}</main>`,
    ),
  );
}

/** A guide, with the faults that its release has. */
function guide(root: string, number: number, release: Release): Answer {
  const [title, path] = [titleOf(number), `/docs/${number}`];
  // Early releases leave out descriptions; the second one mends most of them and breaks some links.
  const isBare = number % (release === 0 ? 9 : 31) === 0;
  const isLinked = release > 0 && number % 83 === 0;
  const links = [
    [`/docs/${(number + 1) % GUIDES}`, titleOf(number + 1)],
    [`/docs/${(number + 50) % GUIDES}`, titleOf(number + 50)],
    ...(isLinked ? [[`/docs/moved-${number}`, 'The old guide'] as const] : []),
    ...(number % 120 === 7 ? [['/old-offer', 'Offer for teams'] as const] : []),
  ] as const;
  const picture = number % 14 === 3 ? '<img src="/share.png" width="1" height="1">' : '';
  return pageOf(root, {
    path,
    title: `${title}, guide ${number} of LumaDocs`,
    ...(!isBare && {
      description: `How to ${title.toLowerCase()} with LumaDocs, step by step, with examples that run. Guide ${number}.`,
    }),
    body: `<h1>${title}: guide ${number}</h1>${number % 57 === 0 ? '' : paragraphs(number, 4 + (number % 6))}${picture}<h2>Read on</h2>${linksTo(links)}`,
  });
}

function reference(root: string, number: number): Answer {
  const name = `${pick(SUBJECTS, number).toLowerCase()}_${pick(OBJECTS, number >> 3)
    .replace(/^an? /, '')
    .replace(/ /g, '_')}_${number}`;
  const near = [1, 2, 60].map(
    (step) => [`/reference/${(number + step) % REFERENCES}`, `Operation ${(number + step) % REFERENCES}`] as const,
  );
  return pageOf(root, {
    path: `/reference/${number}`,
    title: number % 300 === 0 ? 'Reference' : `${name}: reference of the LumaDocs API`,
    description: `Parameters, answers and errors of ${name}, with one example for each language.`,
    body: `<h1>${name}</h1>${paragraphs(20_000 + number, 5)}<h2>Near</h2>${linksTo(near)}`,
  });
}

/** Lists of pages, a hundred on each. */
function list(root: string, path: string, what: 'docs' | 'reference', count: number): Answer {
  const part = Number(/\/part\/(\d+)$/.exec(path)?.[1] ?? 0);
  const entries = Array.from({ length: Math.min(100, count - part * 100) }, (_, i) => part * 100 + i).map(
    (number) => [`/${what}/${number}`, what === 'docs' ? titleOf(number) : `Operation ${number}`] as const,
  );
  const parts = Array.from({ length: count / 100 }, (_, i) => [`/${what}/part/${i}`, `Part ${i + 1}`] as const);
  return pageOf(root, {
    path,
    title: `${what === 'docs' ? 'Guides' : 'Reference'} of LumaDocs, part ${part + 1} of ${count / 100}`,
    description: `Part ${part + 1} of the ${what === 'docs' ? 'guides' : 'operations'} of LumaDocs, a hundred on each page.`,
    body: `<h1>${what === 'docs' ? 'Guides' : 'Reference'}, part ${part + 1}</h1>${paragraphs((what === 'docs' ? 40_000 : 41_000) + part, 2)}${linksTo(entries)}<h2>Parts</h2>${linksTo(parts)}`,
  });
}

function robotsOf(root: string, release: Release): string {
  const closed = release === 0 ? '' : 'User-agent: PerplexityBot\nDisallow: /\n\n';
  return `User-agent: *\nDisallow: /private/\n\nUser-agent: CCBot\nDisallow: /\n\n${closed}Sitemap: ${root}/sitemap.xml\n`;
}

function sitemapOf(root: string, release: Release): string {
  const entries = [...listedPaths(release), ...(release === 0 ? ['/docs/withdrawn'] : [])].map(
    (path) => `<url><loc>${root}${path}</loc></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`;
}

const HOME_LINKS = [
  ['/docs', 'Guides'],
  ['/pricing', 'Pricing'],
  ['/features', 'Features'],
  ['/templates', 'Templates'],
  ['/blog', 'Blog'],
  ['/changelog', 'Changelog'],
  ['/about', 'About'],
  ['/pricing-2024', 'Prices of 2024'],
] as const;

/** What the site answers. */
function answerTo(path: string, root: string, release: Release): Answer {
  const number = Number(/\/(\d+)$/.exec(path)?.[1] ?? Number.NaN);
  if (path === '/robots.txt') return { status: 200, type: 'text/plain', body: robotsOf(root, release) };
  if (path === '/sitemap.xml') return { status: 200, type: 'application/xml', body: sitemapOf(root, release) };
  if (path === '/share.png') return { status: 200, type: 'image/png', body: PICTURE };
  if (path === '/icon.svg' || path === '/favicon.ico') return { status: 200, type: 'image/svg+xml', body: ICON };
  if (path === '/style.css') return { status: 200, type: 'text/css', body: STYLE };
  if (path === '/app.js') return { status: 200, type: 'text/javascript', body: scriptOf() };
  if (path === '/api/reviews') return { status: 401, type: 'application/json', body: '{}' };
  if (path === '/api/plans') {
    const body = JSON.stringify(['Solo', 'Team', 'Company'].map((name, i) => ({ name, price: [0, 12, 39][i] })));
    return { status: 200, type: 'application/json', body };
  }
  if (path === '/pricing-2024') return { ...html('', 301), location: '/pricing' };
  if (path === '/pricing' || path === '/features' || path === '/templates')
    return html(shellOf('<title>LumaDocs</title><script src="/app.js" defer></script>', '<div id="app"></div>'));
  if (path === '/docs') return list(root, path, 'docs', GUIDES);
  if (path === '/reference' && release === 2) return list(root, path, 'reference', REFERENCES);
  if (/^\/docs\/part\/\d+$/.test(path) && number < GUIDES / 100) return list(root, path, 'docs', GUIDES);
  if (/^\/docs\/\d+$/.test(path) && number < GUIDES) return guide(root, number, release);
  if (release === 2 && /^\/reference\/part\/\d+$/.test(path) && number < REFERENCES / 100)
    return list(root, path, 'reference', REFERENCES);
  if (release === 2 && /^\/reference\/\d+$/.test(path) && number < REFERENCES) return reference(root, number);
  if (path === '/') {
    const more = release === 2 ? ([['/reference', 'Reference of the API']] as const) : [];
    return pageOf(root, {
      path,
      title: 'LumaDocs: documentation that stays right',
      description:
        'Write, review and publish documentation for products and teams, with examples that run on every build.',
      body: `<h1>Documentation that stays right</h1>${paragraphs(42_000, 3)}${linksTo([...HOME_LINKS, ...more])}`,
    });
  }
  if (path === '/blog') {
    const posts = ['comparison', 'markdown-vs-rich-text'].map(
      (name) => [`/blog/${name}`, name.replace(/-/g, ' ')] as const,
    );
    const all = Array.from(
      { length: POSTS },
      (_, i) => [`/blog/post/${i}`, `Notes on ${titleOf(i).toLowerCase()}`] as const,
    );
    return pageOf(root, {
      path,
      title: 'Blog of LumaDocs',
      body: `<h1>Blog</h1>${paragraphs(43_000, 2)}${linksTo([...posts, ...all])}`,
    });
  }
  if (
    /^\/(changelog|about)$/.test(path) ||
    /^\/blog\/[a-z-]+$/.test(path) ||
    (/^\/blog\/post\/\d+$/.test(path) && number < POSTS)
  ) {
    const name = path.split('/').at(-1) ?? '';
    const title = Number.isNaN(number)
      ? name.replace(/-/g, ' ').replace(/^./, (first) => first.toUpperCase())
      : `Notes on ${titleOf(number).toLowerCase()}`;
    return pageOf(root, {
      path,
      title: `${title}, by the people of LumaDocs`,
      ...(number % 3 !== 0 && {
        description: `${title}: what we learnt while writing documentation for two thousand teams.`,
      }),
      body: `<h1>${title}</h1>${paragraphs(44_000 + name.length * 100 + (number || 0), 7)}`,
    });
  }
  return html(shellOf('<title>Not found</title>', '<main><h1>Not found</h1></main>'), 404);
}

/** Starts the site. ClaudeBot is refused by its server from the second release on. */
export async function startDocsSite(domain: string, port = 0): Promise<DocsSite> {
  let release: Release = 0;
  const failing = new Set<string>();
  const server = http.createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname;
    const isRefused = release > 0 && /ClaudeBot/.test(request.headers['user-agent'] ?? '');
    const answer = failing.has(path)
      ? html(shellOf('<title>Error</title>', '<main><h1>Something failed</h1></main>'), 500)
      : isRefused
        ? html('', 403)
        : answerTo(path, `https://${request.headers.host ?? domain}`, release);
    const isText = typeof answer.body === 'string';
    response.writeHead(answer.status, {
      'content-type': answer.type,
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=31536000',
      ...(isText && { 'content-encoding': 'gzip' }),
      ...(answer.location !== undefined && { location: answer.location }),
    });
    response.end(isText ? zlib.gzipSync(answer.body, { level: 1 }) : answer.body);
  });
  const { host, close } = await listen(server, port);
  return { host, setRelease: (next) => (release = next), failing, close };
}
