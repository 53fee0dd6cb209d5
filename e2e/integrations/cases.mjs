// Requests and what each must be answered with: the rules of integrations/README.md, one case each.
//
// A case has a request and expects, all optional: status, snapshot (true: the page, written; false: the shell or whatever the app
// says), asked (whether the service saw it), reason (of x-service-integration; way `api` only), check(answer, context): pairs of
// a claim and a sentence that says what is wrong when it does not hold.
// `except`: names of integrations with the reason why the case is not theirs; `silent`: those that never hear of the request. `way`: only for one of the two ways.

export const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
export const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const INSTAGRAM = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22G86 Instagram 400.0.0.29.80';
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const bot = (headers = {}) => ({ 'user-agent': GOOGLEBOT, accept: HTML, ...headers });
const person = (headers = {}) => ({ 'user-agent': CHROME, accept: HTML, 'accept-language': 'en', ...headers });

const app = (name, headers, more = {}) => ({ name, path: '/shoes', headers, asked: false, snapshot: false, ...more });
const page = (name, where, headers = {}, more = {}) => ({ name, path: where, headers: bot(headers), asked: true, snapshot: true, ...more });

function uncached({ headers }) {
  return [
    [/no-cache|no-store/.test(headers['cache-control'] ?? ''), `cache-control ${headers['cache-control']}`],
    [headers['cdn-cache-control'] === 'no-store', `cdn-cache-control ${headers['cdn-cache-control']}`],
    [/user-agent/i.test(headers.vary ?? ''), `vary ${headers.vary}`],
    [!('set-cookie' in headers), `set-cookie ${headers['set-cookie']}`],
  ];
}

const long = `/long?q=${'a%2Fb+'.repeat(1200)}`;
const NEXT_MOVES = { nextjs: 'Next.js itself redirects such an address before its proxy' };

export const cases = [
  page('a crawler gets the page, written, and no cache may keep it', '/shoes', {}, { check: (answer) => {
    const { headers } = answer;
    return [
      [headers['x-service-integration'] === 'snapshot', `x-service-integration ${headers['x-service-integration']}`],
      [headers['content-type'] === 'text/html; charset=utf-8', `content-type ${headers['content-type']}`],
      [headers['x-service-render-cache'], 'no x-service-render-cache'],
      [/^W\/"/.test(headers.etag ?? ''), `etag ${headers.etag}`],
      ...uncached(answer),
    ];
  } }),
  page('the second crawler gets the stored page', '/shoes', { 'user-agent': 'GPTBot/1.2' }),
  page('a crawler that only calls itself one gets the page', '/shoes', { 'user-agent': 'AcmeCrawler/1.0' }),
  page('any type is a page for a crawler', '/shoes', { accept: '*/*' }),
  page('a crawler without Accept gets the page', '/shoes', { accept: undefined }),
  page('a document is a page', '/shoes', { 'sec-fetch-dest': 'document' }),
  page('X-BufferBot is a crawler whatever its name', '/shoes', { 'user-agent': 'Fetching/1', 'x-bufferbot': '1' }),
  page('_escaped_fragment_ is a crawler whatever its name', '/shoes?_escaped_fragment_=', { 'user-agent': CHROME }),

  app('a person gets the app without a mark', person(), { status: 200, check: ({ headers }) =>
    [[!headers['x-service-integration'], `x-service-integration ${headers['x-service-integration']}`]] }),
  app('Vary on the app\'s HTML tells caches that crawlers get another page', person(), { status: 200, except: { nextjs: 'the App Router sets Vary itself, after its proxy' }, check: ({ headers }) =>
    [[/user-agent/i.test(headers.vary ?? ''), `vary ${headers.vary}`]] }),
  app('a navigation is a person\'s', person({ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'upgrade-insecure-requests': '1' })),
  app('an in-app browser is a person\'s', person({ 'user-agent': INSTAGRAM })),
  app('a program without a crawler\'s name gets the app', { 'user-agent': 'curl/8.4.0', accept: '*/*' }),
  app('no user agent is no crawler', { accept: HTML }),
  app('a script is the app\'s', bot(), { path: '/app.js', reason: 'asset', status: 200 }),
  app('data is the app\'s by its extension', bot(), { path: '/words.json?q=1', reason: 'asset', status: 200 }),
  app('an extension may be percent-encoded', bot(), { path: '/app%2Ejs', reason: 'asset' }),
  app('data is the app\'s by Accept', bot({ accept: 'application/json' }), { reason: 'data' }),
  app('HTML that is refused is no page', bot({ accept: 'text/html;q=0, application/json' }), { reason: 'data' }),
  app('a picture\'s place is no page', bot({ 'sec-fetch-dest': 'image' }), { reason: 'data' }),
  app('a script\'s request is no page', bot({ 'sec-fetch-dest': 'empty' }), { reason: 'data' }),
  app('a component\'s data is no page', bot({ rsc: '1' }), { reason: 'data', silent: ['nextjs'] }),
  app('a prefetch of a router is no visit', bot({ 'next-router-prefetch': '1' }), { reason: 'prefetch', silent: ['nextjs'] }),
  app('a prefetch of a browser is no visit', bot({ purpose: 'prefetch' }), { reason: 'prefetch' }),
  app('a prerender of a browser is no visit', bot({ 'sec-purpose': 'prefetch;prerender' }), { reason: 'prefetch' }),
  app('credentials stay at the site', bot({ authorization: 'Basic YTpi' }), { reason: 'credentials' }),
  app('a form stays at the site', bot({ 'content-type': 'text/plain', 'content-length': '5' }), { method: 'POST', body: 'hello', reason: 'method' }),
  app('another method stays at the site', bot(), { method: 'OPTIONS', reason: 'method' }),
  app('the service\'s browser gets the app', { 'user-agent': `${CHROME} Glasshouse/0.1.0`, accept: HTML }),
  app('the service gets the app whatever crawler it plays', bot({ 'user-agent': `${GOOGLEBOT} Glasshouse/0.1.0` }), { reason: 'own' }),
  app('a request that came through the service by CDN-Loop gets the app', bot({ 'cdn-loop': 'cloudflare, glasshouse-0a1b2c3d' }), { reason: 'own' }),
  app('a request that came through the service by Via gets the app', bot({ via: '1.1 glasshouse-0a1b2c3d' }), { reason: 'own' }),

  page('an encoded slash stays encoded', '/a%2Fb'),
  page('two slashes stay two', '//a//b', {}, { except: NEXT_MOVES, snapshot: undefined }),
  page('a query stays as it is', '/search?q=H%26M&url=x'),
  page('plus, space and order stay as they are', '/search?z=a+b%20c&a=%C3%A9', {}, { except: { nextjs: 'Next.js writes every space of a query as plus' } }),
  page('characters beyond ASCII stay as they are', '/caf%C3%A9/%E8%8C%B6?q=%E6%97%A5%E6%9C%AC'),
  page('an address of 8 kB stays as it is', long),
  page('a trailing slash stays', '/shoes/', {}, { except: NEXT_MOVES }),
  page('both names of a site are asked by their own', '/boots', { host: 'www' }),
  { name: 'a longer address than the service takes is the app\'s', path: `/long?q=${'a'.repeat(8300)}`, headers: bot(), asked: false, snapshot: false, reason: 'address', way: 'api' },
  { name: 'another site\'s host is not asked for', path: '/shoes', headers: bot({ host: 'stranger.test' }), asked: false, snapshot: false, reason: 'host', way: 'api' },
  page('a forwarded host is not believed', '/shoes', { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'http', forwarded: 'host=evil.test' }),

  page('HEAD has the headers and no body', '/shoes', {}, { method: 'HEAD', snapshot: undefined, status: 200, check: ({ headers, body }) =>
    [[headers['x-service-integration'] === 'snapshot' && body === '', `x-service-integration ${headers['x-service-integration']}, ${body.length} bytes`]] }),
  app('HEAD of a person is the app\'s', person(), { method: 'HEAD', status: 200 }),
  page('a page that is missing is 404 with its words', '/missing', {}, { status: 404 }),
  page('a page that is gone is 410 with its words', '/gone', {}, { status: 410 }),
  page('a redirect rule is forwarded and not followed', '/old', {}, { status: 301, snapshot: undefined, check: ({ headers }, { domain }) =>
    [[headers.location === `https://${domain}/new` || headers.location === `http://${domain}/new`, `location ${headers.location}`]] }),
  page('a temporary redirect rule stays temporary', '/temporary', {}, { status: 307, snapshot: undefined, check: ({ headers }) =>
    [[/\/now$/.test(headers.location ?? ''), `location ${headers.location}`]] }),
  page('an ignored path is the app\'s', '/account/orders', {}, { snapshot: false, status: 200, reason: 'declined' }),
  page('a custom header of the domain arrives', '/tea', {}, { check: ({ headers }) => [[headers['x-tea'] === 'green', `x-tea ${headers['x-tea']}`]] }),
  page('the page that a crawler has is 304', '/shoes', { 'if-none-match': 'etag' }, { status: 304, snapshot: undefined, check: ({ headers, body }) =>
    [[headers.etag && !headers.location && body === '', `etag ${headers.etag}, location ${headers.location}`]] }),
  page('another tag gets the page', '/shoes', { 'if-none-match': 'W/"other"' }, { status: 200 }),
  page('cookies and tags of a visitor stay at the site', '/shoes', { cookie: 'session=secret', 'if-none-match': 'W/"other"', 'accept-language': 'de' }, { way: 'api', check: (_, { request: { headers } }) => [
    [!headers.cookie && !headers['if-none-match'], 'a cookie or tag left the site'],
    [headers.accept === 'text/html', `accept ${headers.accept}`],
    [headers['accept-language'] === 'de', `accept-language ${headers['accept-language']}`],
  ] }),
  page('the mark of the service\'s own requests is passed on', '/shoes', { 'x-service-probe': '1.mark' }, { check: (_, { request }) =>
    [[request.headers['x-service-probe'] === '1.mark', 'x-service-probe is lost']] }),
  page('a connection check is asked for like a page', '/__service_probe/nonce.png', {}, { snapshot: undefined }),
];

/** Reasons by which the app answers while the service is in this trouble; `null` for the edge: cannot be told there. */
export const troubles = [
  { mode: 'hang', name: 'a service that hangs', reason: 'unreachable', withinMs: { api: 2300, edge: 10_500 } },
  { mode: 500, name: 'a service that answers 500', reason: 'status-500' },
  { mode: 503, name: 'a service that answers 503', reason: 'status-503' },
  { mode: 401, name: 'a key that is revoked', reason: 'status-401', way: 'api' },
  { mode: 402, name: 'an account without a plan', reason: 'status-402', way: 'api' },
  { mode: 403, name: 'a domain of another account', reason: 'status-403', way: 'api' },
  { mode: 429, name: 'too many requests', reason: 'status-429' },
  { mode: 'json', name: 'JSON with 200', reason: 'broken', way: 'api' },
  { mode: 'cut', name: 'a page that is cut off', reason: 'broken', way: 'api' },
  { mode: 'huge', name: 'a page of 20 MB', reason: 'broken', way: 'api' },
  // The last one: Apache does not ask for 30 s after one refusal.
  { mode: 'refuse', name: 'a service that is stopped', reason: 'unreachable', withinMs: 2100 },
];
