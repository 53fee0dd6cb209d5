// Sixty requests to a site with a middleware for Prerender, and what each must be answered with.
//
// A case expects `address`: the page of that address, null: no page. `differs`: what a middleware does otherwise by itself, by its name: Django
// writes paths anew, for example.
import { CHROME, GOOGLEBOT } from '../cases.mjs';

const page = (name, path, more = {}) => ({ name, path, agent: GOOGLEBOT, status: 200, address: path, ...more });
const app = (name, agent, more = {}) => ({ name, path: '/shoes', agent, status: 200, address: null, ...more });
/** An answer of the service that is no page. */
const answer = (name, path, status, check, more = {}) => page(name, path, { status, address: undefined, check, ...more });

const CRAWLERS = [
  GOOGLEBOT, 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 'Mozilla/5.0 (compatible; Yahoo! Slurp)',
  'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)', 'facebookexternalhit/1.1', 'Twitterbot/1.0', 'rogerbot/1.0',
  'LinkedInBot/1.0', 'Embedly/0.2', 'Quora Link Preview/1.0', 'ShowyouBot', 'outbrain', 'Pinterest/0.2', 'Slackbot-LinkExpanding 1.0', 'W3C_Validator/1.3',
];
const PEOPLE = [
  CHROME, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15', `${CHROME} Edg/142.0.0.0`,
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  `${CHROME} Glasshouse/0.1.0`, 'curl/8.4.0', 'python-requests/2.32', undefined,
];
const ADDRESSES = [
  '/', '/shoes?size=42', '/search?q=H%26M&url=x', '/search?z=a+b%20c', '/caf%C3%A9/%E8%8C%B6?q=%E6%97%A5%E6%9C%AC', '/boots/', '/100%25', '/a%20b',
  '/tilde~dash-dot.', `/long?q=${'a%26b+'.repeat(300)}`,
];
const FOLLOWS = 'it follows the redirect, and then gives the app';

export const cases = [
  ...CRAWLERS.map((agent) => page(`${agent} gets the page`, '/shoes', { agent })),
  ...PEOPLE.map((agent) => app(`${agent} gets the app`, agent)),
  ...['/app.js', '/style.css', '/logo.png', '/feed.xml', '/robots.txt', '/terms.pdf', '/song.mp3'].map((path) => app(`${path} is the app's`, GOOGLEBOT, { path })),
  ...ADDRESSES.map((path) => page(`${path.slice(0, 40)} is asked for as it is`, path)),
  page('signs between names stay', '/semi;colon=1', { differs: { 'prerender-django': { address: '/semi%3Bcolon%3D1' }, 'django-seo-js': { address: '/semi%3Bcolon%3D1' } } }),
  page('an encoded slash stays encoded', '/a%2Fb', { differs: { 'prerender-django': { address: '/a/b' }, 'django-seo-js': { address: '/a/b' } } }),
  page('an encoded question mark is none', '/a%3Fb'),
  // React Router shows one; unit tests look at the address itself.
  page('a path with two slashes is a page', '/a//b', { address: '/a/b' }),
  page('a page that is missing is 404 with its words', '/missing', { status: 404 }),
  page('a page that is gone is 410 with its words', '/gone', { status: 410 }),
  answer('a redirect rule is relayed', '/old', 301, ({ headers }) => /\/new$/.test(headers.location), { differs: { 'prerender-django': { status: 200, check: () => true, reason: FOLLOWS } } }),
  answer('a temporary redirect stays temporary', '/temporary', 307, ({ headers }) => /\/now$/.test(headers.location), { differs: { 'prerender-django': { status: 200, check: () => true, reason: FOLLOWS } } }),
  page('an ignored path is the app\'s, relayed', '/account/orders', { address: null, check: ({ body }) => /The shell/.test(body) }),
  page('data without a known extension is relayed', '/words.json', { address: null, check: ({ body }) => body === '{"words":"Seventeen teapots stand on the shelf."}' }),
  answer('a crawler that the policy blocks is told so', '/blocked', 403, ({ body }) => body === 'Not here.'),
  answer('a crawler that the policy charges is told so', '/charged', 402, ({ body }) => body === 'Ask for a licence.'),
  page('a limited crawler gets the page', '/limited'),
  answer('a limited crawler is told to come again', '/limited', 429, ({ body }) => body === 'Slowly.'),
  page('the page that a crawler has is sent again', '/shoes', { headers: { 'if-none-match': '*' } }),
  page('no cache between may keep it', '/tea', {
    check: ({ headers }) => headers['cdn-cache-control'] === 'no-store' && headers.vary.includes('User-Agent') && headers['x-tea'] === 'green' && !headers['set-cookie'],
    differs: { 'prerender-django': { check: () => true, reason: 'it relays no headers' } },
  }),
  page('the second crawler gets the stored page', '/tea', {
    check: ({ headers }) => headers['x-service-render-cache'] === 'edge-hit',
    differs: { 'prerender-django': { check: () => true, reason: 'it relays no headers' } },
  }),
  answer('HEAD has the status and no body', '/shoes', 200, ({ body }) => body === '', { method: 'HEAD' }),
  page('_escaped_fragment_ is a crawler whatever its name', '/shoes?_escaped_fragment_=', {
    agent: CHROME, address: '/shoes', differs: { 'django-seo-js': { address: null, reason: 'that is another middleware of the package' } },
  }),
];
if (cases.length !== 60) throw new Error(`${cases.length} cases, not sixty`);
