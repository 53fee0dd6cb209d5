// The faults that site.mjs plants: what each changes of a sound page, and which checks fire by it.
// `evidence`: what the finding has to name. `also`: further checks that the same change has to set off. `twice`: the fault is between two pages.
import { sentence, words } from './words.mjs';

const part = (name, text) => (page) => (page.parts = { ...page.parts, [name]: text });
const without = (...names) => (page) => names.forEach((name) => part(name, '')(page));
const inBody = (markup) => (page, site) => page.body.push(typeof markup === 'string' ? markup : markup(page, site));
const inHead = (markup) => (page, site) => page.head.push(typeof markup === 'string' ? markup : markup(page, site));
const header = (name, value) => (page) => (page.headers[name] = value);
const data = (value) => part('data', `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', ...value })}</script>`);
const long = (text, length) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const linkTo = (address) => inBody(`<p><a href="${address}">Another good place to look at</a></p>`);
const answer = (path, value) => (_, site) => site.other.set(path, value);
const both = (...changes) => (page, site, second) => changes.forEach((change) => change(page, site, second));
const unlisted = (page) => (page.listed = false);
/** A page at an address of its own, linked from the page that would carry a fault of content. */
const at = (path) => (page, site) => {
  page.path = `${path}${site.dice().toString(36).slice(2, 6)}`;
};

export const plants = [
  { id: 'TITLE_MISSING', apply: without('title') },
  { id: 'TITLE_EMPTY', apply: part('title', '<title> </title>') },
  { id: 'TITLE_MULTIPLE', evidence: 'A second title', apply: inHead('<title>A second title that says something else</title>') },
  { id: 'TITLE_TOO_LONG', apply: (page) => part('title', `<title>${page.h1} ${long('and more of it ', 60)}</title>`)(page) },
  { id: 'TITLE_TOO_WIDE', apply: (page) => part('title', `<title>${'WARM WOMEN WINTER WOOL WEAR MOMENTS '.repeat(2).slice(0, 45)} ${page.h1.match(/\d+/)}</title>`)(page) },
  { id: 'TITLE_TOO_SHORT', apply: (page) => part('title', `<title>Goods ${page.h1.match(/\d+/)}</title>`)(page) },
  { id: 'TITLE_PLACEHOLDER', apply: part('title', '<title>React App</title>') },
  { id: 'TITLE_SAME_AS_H1', apply: (page) => part('h1', `<h1>${page.title.toUpperCase()}</h1>`)(page) },
  { id: 'TITLE_DUPLICATE', twice: true, apply: (page, _, second) => [page, second].forEach((one) => part('title', `<title>${page.title}</title>`)(one)) },
  { id: 'TITLE_OUTSIDE_HEAD', apply: (page) => both(without('title'), inBody(`<title>${page.title}</title>`))(page) },
  { id: 'META_DESC_MISSING', apply: without('description') },
  { id: 'META_DESC_EMPTY', apply: part('description', '<meta name="description" content="">') },
  { id: 'META_DESC_MULTIPLE', apply: inHead('<meta name="description" content="A second description that differs from the first one and is as long as it has to be.">') },
  { id: 'META_DESC_TOO_LONG', apply: (page) => part('description', `<meta name="description" content="${page.h1} ${long('and more of it ', 170)}">`)(page) },
  { id: 'META_DESC_TOO_SHORT', apply: (page) => part('description', `<meta name="description" content="${page.h1} for all.">`)(page) },
  { id: 'META_DESC_DUPLICATE', twice: true, apply: (page, _, second) => [page, second].forEach((one) => part('description', `<meta name="description" content="${page.description}">`)(one)) },
  { id: 'H1_MISSING', apply: without('h1')  },
  { id: 'H1_EMPTY', apply: part('h1', '<h1> </h1>') },
  { id: 'H1_MULTIPLE', evidence: 'A second first heading', apply: inBody('<h1>A second first heading</h1>') },
  { id: 'H1_TOO_LONG', apply: (page) => part('h1', `<h1>${page.h1} ${long('and more of it ', 70)}</h1>`)(page) },
  { id: 'H1_DUPLICATE', twice: true, apply: (page, _, second) => [page, second].forEach((one) => part('h1', `<h1>${page.h1}</h1>`)(one)) },
  { id: 'HEADING_ORDER_SKIPPED', evidence: 'h4 after h2', apply: inBody('<h4>Far below</h4>') },
  { id: 'THIN_CONTENT', apply: (page) => (page.paragraphs = page.paragraphs.slice(0, 2)) },
  { id: 'CONTENT_EMPTY', also: ['THIN_CONTENT'], apply: both(without('text', 'h2', 'links'), inBody('<nav><a href="/">Back to the beginning of all</a></nav>'), (page) => part('title', `<title>${page.title}</title>`)(page)) },
  { id: 'DUPLICATE_CONTENT', twice: true, also: ['H1_DUPLICATE'], apply: (page, _, second) => [page, second].forEach((one) => (one.parts = { ...one.parts, h1: `<h1>${page.h1}</h1>`, text: page.paragraphs.map((text) => `<p>${text}</p>`).join(''), links: `<nav>${one.links.map((to) => `<a href="${to.path}">${to.h1}</a> `).join('')}</nav>` })) },
  { id: 'NEAR_DUPLICATE_CONTENT', twice: true, apply: (page, _, second) => { second.paragraphs = [...page.paragraphs.slice(0, -1), `${page.paragraphs.at(-1)} And one more thing.`]; [page, second].forEach((one) => part('links', `<nav>${one.links.map((to) => `<a href="${to.path}">${to.h1}</a> `).join('')}</nav>`)(one)); } },
  { id: 'LOREM_IPSUM', apply: inBody('<p>Lorem ipsum dolor sit amet.</p>') },
  { id: 'MOJIBAKE', apply: inBody('<p>The cafÃ© is grÃ¶ÃŸer than the others.</p>') },
  { id: 'LANGUAGE_MISMATCH', apply: (page, site) => { part('html', '<html lang="fr">')(page); page.paragraphs = page.paragraphs.map(() => Array.from({ length: 6 }, () => sentence(site.dice, 'en')).join(' ')); } },
  { id: 'LANG_MISSING', apply: part('html', '<html>') },
  { id: 'LANG_INVALID', apply: part('html', '<html lang="en_US">') },
  { id: 'CHARSET_MISSING', apply: both(without('charset'), header('content-type', 'text/html')) },
  { id: 'DOCTYPE_MISSING', apply: without('doctype') },
  { id: 'VIEWPORT_MISSING', apply: without('viewport') },
  { id: 'VIEWPORT_ZOOM_DISABLED', apply: part('viewport', '<meta name="viewport" content="width=device-width, user-scalable=no">') },
  { id: 'DUPLICATE_ID', evidence: 'same', apply: inBody('<p id="same">One.</p><p id="same">Two.</p>') },
  { id: 'DOM_TOO_LARGE', apply: inBody('<i></i>'.repeat(1600)) },
  { id: 'DOM_TOO_DEEP', apply: inBody('<div>'.repeat(40) + '</div>'.repeat(40)) },
  { id: 'META_REFRESH', apply: inHead('<meta http-equiv="refresh" content="9; url=/">') },
  { id: 'NOINDEX', apply: both(inHead('<meta name="robots" content="noindex">'), unlisted) },
  { id: 'NOINDEX_HEADER', apply: both(header('x-robots-tag', 'noindex'), unlisted) },
  { id: 'NOSNIPPET', apply: inHead('<meta name="robots" content="nosnippet">') },
  { id: 'ROBOTS_META_UNKNOWN', evidence: 'noindx', apply: inHead('<meta name="robots" content="noindx">') },
  { id: 'CANONICAL_MISSING', apply: without('canonical') },
  { id: 'CANONICAL_EMPTY', apply: part('canonical', '<link rel="canonical" href="">') },
  { id: 'CANONICAL_RELATIVE', apply: (page) => part('canonical', `<link rel="canonical" href="${page.path}">`)(page) },
  { id: 'CANONICAL_MULTIPLE_CONFLICTING', apply: inHead((_, site) => `<link rel="canonical" href="${site.base}/">`) },
  { id: 'CANONICAL_OUTSIDE_HEAD', apply: (page, site) => both(without('canonical'), inBody(`<link rel="canonical" href="${site.base}${page.path}">`))(page, site) },
  { id: 'LINK_BROKEN_INTERNAL', evidence: '404', apply: (page, site) => { const path = `/gone-${words(site.dice, 'en', 1)}-${page.path.length}${site.dice().toString(36).slice(2, 6)}`; linkTo(path)(page, site); site.plant('HTTP_4XX', path); } },
  { id: 'LINK_TO_REDIRECT', apply: (page, site) => { const path = `/moved-${site.dice().toString(36).slice(2, 8)}`; linkTo(path)(page, site); answer(path, { status: 301, headers: { location: '/' } })(page, site); site.plant('REDIRECT_3XX', path); } },
  { id: 'LINK_NOFOLLOW_INTERNAL', evidence: '/private/x', apply: both(inBody('<p><a rel="nofollow" href="/private/x">A place of our own</a></p>'), (_, site) => site.plantOnce('ROBOTS_BLOCKED_LINKED', '/private/x')) },
  { id: 'LINK_EMPTY_ANCHOR', apply: inBody('<p><a href="/"></a></p>') },
  { id: 'LINK_NON_DESCRIPTIVE_ANCHOR', evidence: 'click here', apply: inBody('<p><a href="/">click here</a></p>') },
  { id: 'LINK_JS_ONLY', evidence: 'javascript:go()', apply: inBody('<p><a href="javascript:go()">All the lamps</a></p>') },
  { id: 'LINK_INVALID_HREF', apply: inBody('<p><a href="http://">All the lamps</a></p>') },
  { id: 'LINK_WHITESPACE_HREF', apply: inBody('<p><a href=" / ">All the lamps</a></p>') },
  { id: 'LINK_LOCALHOST', evidence: 'localhost:3000', apply: inBody('<p><script src="http://localhost:3000/a.js"></script></p>') },
  { id: 'LINK_TRACKING_PARAMS', evidence: 'utm_source', apply: inBody('<p><a href="/?utm_source=here">All the lamps</a></p>') },
  { id: 'LINK_BROKEN_FRAGMENT', evidence: '#nowhere', apply: inBody('<p><a href="#nowhere">All the lamps</a></p>') },
  { id: 'LINKS_TOO_MANY', also: ['DOM_TOO_LARGE'], apply: inBody('<a href="/">The start page of the shop</a> '.repeat(1500)) },
  { id: 'IMG_ALT_MISSING', apply: inBody('<img src="/small.gif" width="40" height="40">') },
  { id: 'IMG_ALT_TOO_LONG', apply: inBody(`<img src="/small.gif" width="40" height="40" alt="${long('a lamp on a table ', 120)}">`) },
  { id: 'IMG_BROKEN', evidence: 'missing.gif', apply: inBody('<img src="/missing.gif" width="40" height="40" alt="A lamp">') },
  { id: 'IMG_TOO_LARGE', apply: inBody('<img src="/heavy.gif" width="40" height="40" alt="A lamp">') },
  { id: 'PICTURE_WITHOUT_IMG', apply: inBody('<picture><source srcset="/small.gif"></picture>') },
  { id: 'OG_TITLE_MISSING', apply: without('ogTitle') },
  { id: 'OG_DESC_MISSING', apply: without('ogDescription') },
  { id: 'OG_IMAGE_MISSING', apply: without('ogImage') },
  { id: 'OG_IMAGE_RELATIVE', apply: part('ogImage', '<meta property="og:image" content="/large.gif">') },
  { id: 'OG_IMAGE_BROKEN', apply: part('ogImage', '<meta property="og:image" content="http://127.0.0.1:PORT/none.gif">') },
  { id: 'OG_IMAGE_TOO_SMALL', evidence: '40 x 40', apply: part('ogImage', '<meta property="og:image" content="http://127.0.0.1:PORT/small.gif">') },
  { id: 'OG_URL_MISMATCH', apply: part('ogUrl', '<meta property="og:url" content="http://127.0.0.1:PORT/">') },
  { id: 'OG_TYPE_MISSING', apply: without('ogType') },
  { id: 'OG_TAGS_MISSING', apply: without('ogTitle', 'ogDescription', 'ogImage', 'ogUrl', 'ogType') },
  { id: 'TWITTER_CARD_MISSING', apply: without('card') },
  { id: 'TWITTER_CARD_INVALID', apply: part('card', '<meta name="twitter:card" content="huge">') },
  { id: 'STRUCTURED_DATA_MISSING', apply: without('data') },
  { id: 'STRUCTURED_DATA_INVALID_JSON', apply: part('data', '<script type="application/ld+json">{"@type": "WebPage",}</script>') },
  { id: 'STRUCTURED_DATA_UNKNOWN_TYPE', evidence: 'WebPge', apply: data({ '@type': 'WebPge', name: 'A page' }) },
  { id: 'STRUCTURED_DATA_REQUIRED_MISSING', apply: (page) => data({ '@type': 'Product', name: page.h1, image: '/small.gif', description: page.h1, brand: page.h1 })(page) },
  { id: 'STRUCTURED_DATA_RECOMMENDED_MISSING', apply: (page) => data({ '@type': 'Article', headline: page.h1, author: 'Jo', datePublished: '2026-01-01' })(page) },
  { id: 'STRUCTURED_DATA_NOT_VISIBLE', evidence: 'A thing that nobody sees', apply: data({ '@type': 'Product', name: 'A thing that nobody sees', image: '/small.gif', description: 'x', brand: 'y', offers: { '@type': 'Offer', price: 5 } }) },
  { id: 'HREFLANG_INVALID_CODE', also: ['HREFLANG_NO_X_DEFAULT'], apply: inHead((page, site) => `<link rel="alternate" hreflang="english-uk" href="${site.base}${page.path}"><link rel="alternate" hreflang="en" href="${site.base}${page.path}">`) },
  { id: 'NO_COMPRESSION', apply: header('cache-control', 'no-transform'), plain: true },
  { id: 'URL_UPPERCASE', apply: at('/s/Upper-') },
  { id: 'URL_UNDERSCORE', apply: at('/s/under_') },
  { id: 'URL_DOUBLE_SLASH', apply: at('/s//double-') },
  { id: 'URL_TOO_LONG', apply: at(`/s/${'very-long-'.repeat(11)}`) },
  { id: 'URL_TOO_DEEP', apply: at('/s/b/c/d/e/f/g/') },
];

/** Pages that scripts write. `ids` with JavaScript, `rawIds` without. */
const SHELL = ['JS_CONTENT_MISSING_RAW', 'AI_CONTENT_NEEDS_JS'];
const EMPTY = ['CONTENT_EMPTY', 'THIN_CONTENT', 'H1_MISSING', 'DEAD_END_PAGE'];
export const appPlants = [
  { mode: 'plain', ids: SHELL, rawIds: EMPTY },
  { mode: 'title', ids: [...SHELL, 'JS_TITLE_CHANGED'], rawIds: EMPTY },
  { mode: 'console', ids: [...SHELL, 'JS_CONSOLE_ERROR'], rawIds: EMPTY },
  { mode: 'hydration', ids: [...SHELL, 'JS_HYDRATION_ERROR'], rawIds: EMPTY },
  { mode: 'exception', ids: [...SHELL, 'JS_UNCAUGHT_EXCEPTION'], rawIds: EMPTY },
  { mode: 'notfound', ids: ['SPA_SOFT_404'], rawIds: EMPTY, silent: ['listed'] },
  { mode: 'noindex', ids: ['NOINDEX', 'JS_NOINDEX_ADDED'], rawIds: EMPTY, silent: ['listed'] },
  { mode: 'onclick', ids: [...SHELL, 'JS_LINKS_ONCLICK_ONLY', 'DEAD_END_PAGE'], rawIds: EMPTY },
];

/** What the application pages run. */
export const APP_SCRIPT = `
const { mode, h1, text, title } = JSON.parse(document.getElementById('config').textContent);
const root = document.getElementById('root');
const write = (html) => { root.innerHTML = '<main>' + html + '</main>'; };
if (mode === 'notfound') write('<h1>Page not found</h1><p>Sorry, there is nothing here.</p>');
else {
  const links = mode === 'onclick'
    ? [1, 2, 3].map(() => '<span onclick="location.href=\\'/\\'">Start page</span>').join(' ')
    : '<a href="/">Start page of the shop</a>';
  write('<h1>' + h1 + '</h1><h2>Details</h2>' + text.map((part) => '<p>' + part + '</p>').join('') + links);
}
if (mode === 'title') document.title = title;
if (mode === 'noindex') document.head.insertAdjacentHTML('beforeend', '<meta name="robots" content="noindex">');
if (mode === 'console') console.error('Cannot read the price list');
if (mode === 'hydration') console.error('Hydration failed because the page differs from what the server wrote');
if (mode === 'exception') throw new Error('price is not defined');
`;
