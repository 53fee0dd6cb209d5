// Requests and what each must be answered with: the rules of integrations/README.md, one case each.
//
// A case has a request and expects, all optional: status, snapshot (true: the page, written; false: the shell or whatever the app
// says), asked (whether the service saw it), reason (of x-service-integration; way `api` only), check(answer, context): pairs of
// a claim and a sentence that says what is wrong when it does not hold.
// `except`: names of integrations with the reason why the case is not theirs; `silent`: those that never hear of the request. `way`: only for one of the two ways.
// `isAbsolute`: the request line names scheme and host too, as a proxy's does. `host` of headers: `www` and `odd` stand for forms of the site's own.

export const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
export const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const INSTAGRAM = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22G86 Instagram 400.0.0.29.80';
const XBOT = 'Mozilla/5.0 (Linux; Android 12; XBot 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36';
const TELEVISION = 'Mozilla/5.0 (SMART-TV; Linux; Panasonic Viera; 2024) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0.0.0 TV Safari/537.36';
const MARKDOWN = 'text/markdown, text/plain;q=0.9, */*;q=0.8';
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const bot = (headers = {}) => ({ 'user-agent': GOOGLEBOT, accept: HTML, ...headers });
const person = (headers = {}) => ({ 'user-agent': CHROME, accept: HTML, 'accept-language': 'en', ...headers });

const app = (name, headers, more = {}) => ({ name, path: '/shoes', headers, asked: false, snapshot: false, ...more });
const page = (name, where, headers = {}, more = {}) => ({ name, path: where, headers: bot(headers), asked: true, snapshot: true, ...more });

/** The policy of the domain answers the crawler itself. */
const refused = (name, agent, status, action, text, check = () => []) => page(name, '/shoes', { 'user-agent': agent }, {
  status, snapshot: false, check: (answer) => [
    [answer.headers['x-service-policy'] === action, `x-service-policy ${answer.headers['x-service-policy']}`],
    [answer.headers['x-service-integration'] === 'refused', `x-service-integration ${answer.headers['x-service-integration']}`],
    [answer.body === text, `the text ${answer.body.slice(0, 80)}`],
    ...check(answer),
  ],
});

function uncached({ headers }) {
  return [
    [/no-cache|no-store/.test(headers['cache-control'] ?? ''), `cache-control ${headers['cache-control']}`],
    [headers['cdn-cache-control'] === 'no-store', `cdn-cache-control ${headers['cdn-cache-control']}`],
    [/user-agent/i.test(headers.vary ?? ''), `vary ${headers.vary}`],
    [!('set-cookie' in headers), `set-cookie ${headers['set-cookie']}`],
  ];
}

function isMarkdown(answer) {
  const { headers, body } = answer;
  return [
    [headers['content-type'] === 'text/markdown; charset=utf-8', `content-type ${headers['content-type']}`],
    [Number(headers['x-markdown-tokens']) > 0, `x-markdown-tokens ${headers['x-markdown-tokens']}`],
    [/^<http[^>]*>; rel="canonical"$/.test(headers.link ?? ''), `link ${headers.link}`],
    [body.startsWith('---\n'), `the text ${body.slice(0, 80)}`],
    ...uncached(answer),
  ];
}

const isHtml = ({ headers }) => [[headers['content-type'] === 'text/html; charset=utf-8', `content-type ${headers['content-type']}`]];

/** Coding agents and assistants with the headers that they send. */
const AGENTS = [
  ['Claude Code', 'Claude-User (claude-code/2.1.92; +https://support.anthropic.com/)', 'text/markdown, text/html, */*', isMarkdown],
  ['Cursor', 'Mozilla/5.0 (compatible; Cursor/3.0)', MARKDOWN, isMarkdown],
  ['opencode', CHROME, 'text/markdown;q=1.0, text/x-markdown;q=0.9, text/plain;q=0.8, text/html;q=0.7, */*;q=0.1', isMarkdown],
  ['OpenClaw', CHROME, 'text/markdown, text/html;q=0.9, */*;q=0.1', isMarkdown],
  ['curl that asks for Markdown', 'curl/8.4.0', 'text/markdown', isMarkdown],
  ['Codex CLI', 'codex_cli_rs/0.60.1 (Debian 12; x86_64)', 'text/html, */*', isHtml],
  ['Gemini CLI', 'GeminiCLI/0.20.0/gemini-3-pro (linux; x64)', '*/*', isHtml],
  ['Firecrawl', 'FirecrawlAgent (+https://firecrawl.dev)', '*/*', isHtml],
  ['ChatGPT-User', 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot', HTML, isHtml],
  ['Claude-User', 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)', '*/*', isHtml],
  ['Perplexity-User', 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)', HTML, isHtml],
];

const long = `/long?q=${'a%2Fb+'.repeat(1200)}`;
const FORGED = '66.249.66.1';
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
  page('any type of little weight is a page', '/shoes', { accept: '*/*;q=0.5' }),
  page('any text is a page', '/shoes', { accept: 'text/*;q=0.3, image/*' }),
  page('plain text or anything is a page', '/shoes', { accept: 'text/plain, */*' }),
  page('what nobody can read is no reason', '/shoes', { accept: 'text/html;q=x' }),
  page('HTML with a parameter is a page', '/shoes', { accept: 'text/html;charset=utf-8;q=0.2, application/json' }),
  page('a documented crawler is one even when it navigates', '/shoes', { 'accept-language': 'en', 'sec-fetch-mode': 'navigate' }),
  page('an Accept that names Markdown is an agent\'s', '/shoes', { 'user-agent': CHROME, accept: MARKDOWN, 'accept-language': 'en', 'sec-fetch-mode': 'navigate' }, { check: (answer, { way, request: { headers } }) => [
    [headers.accept === MARKDOWN, `accept ${headers.accept}`],
    [headers['x-service-integration'], `${way}: the service is not told of the integration`],
    ...isMarkdown(answer),
  ] }),
  ...AGENTS.map(([name, agent, accept, check]) => page(`${name} gets words in the form that it prefers`, '/shoes', { 'user-agent': agent, accept }, { check })),
  page('a phone called bot that does not navigate is a crawler', '/shoes', { 'user-agent': XBOT, accept: '*/*' }),
  page('X-BufferBot is a crawler whatever its name', '/shoes', { 'user-agent': 'Fetching/1', 'x-bufferbot': '1' }),
  page('_escaped_fragment_ is a crawler whatever its name', '/shoes?_escaped_fragment_=', { 'user-agent': CHROME }),

  app('a person gets the app without a mark', person(), { status: 200, check: ({ headers }) =>
    [[!headers['x-service-integration'], `x-service-integration ${headers['x-service-integration']}`]] }),
  app('Vary on the app\'s HTML tells caches that crawlers get another page', person(), { status: 200, except: { nextjs: 'the App Router sets Vary itself, after its proxy' }, check: ({ headers }) =>
    [[/user-agent/i.test(headers.vary ?? ''), `vary ${headers.vary}`]] }),
  app('a navigation is a person\'s', person({ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'upgrade-insecure-requests': '1' })),
  app('a phone called bot is a person\'s when it goes to an address', person({ 'user-agent': XBOT })),
  app('a phone called bot is a person\'s by the mode of its request', { 'user-agent': XBOT, accept: '*/*', 'sec-fetch-mode': 'navigate' }),
  app('a phone called bot is a person\'s by its hints', { 'user-agent': XBOT, accept: '*/*', 'accept-language': 'en', 'sec-ch-ua': '"Chromium";v="120"' }),
  app('a phone called bot is a person\'s when it upgrades', { 'user-agent': XBOT, accept: '*/*', 'accept-language': 'en', 'upgrade-insecure-requests': '1' }),
  app('a name of the list in another case is none', { 'user-agent': TELEVISION, accept: '*/*' }),
  app('a name behind 1,024 characters is none', { 'user-agent': `${'x'.repeat(1024)} Googlebot/2.1`, accept: '*/*' }),
  app('Markdown that is refused is nobody\'s', person({ accept: 'text/markdown;q=0, text/html' })),
  app('data beside anything is the app\'s', bot({ accept: 'application/json, text/plain, */*' }), { reason: 'data' }),
  app('a picture beside anything is the app\'s', bot({ accept: 'image/avif,*/*;q=0.8' }), { reason: 'data' }),
  app('anything that is refused is no page', bot({ accept: '*/*;q=0' }), { reason: 'data' }),
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
  app('the data of a page of Next.js is no page', bot({ 'x-nextjs-data': '1' }), { reason: 'data', except: { nextjs: 'Next.js removes the header from requests for pages' } }),
  app('a call of a server action is no page', bot({ 'next-action': 'a' }), { reason: 'data', silent: ['nextjs'] }),
  app('a part of a page of Next.js is no page', bot({ 'next-router-state-tree': 'a' }), { reason: 'data', silent: ['nextjs'] }),
  app('a prefetch of a part is no visit', bot({ 'next-router-segment-prefetch': '/a' }), { reason: 'prefetch', silent: ['nextjs'] }),
  app('a prefetch of data is no visit', bot({ 'x-middleware-prefetch': '1' }), { reason: 'prefetch', silent: ['nextjs'] }),
  app('a prefetch of an old Firefox is no visit', bot({ 'x-moz': 'prefetch' }), { reason: 'prefetch' }),
  app('a prefetch of an old Safari is no visit', bot({ 'x-purpose': 'preview, prefetch' }), { reason: 'prefetch' }),
  app('a prefetch of a browser is no visit', bot({ purpose: 'prefetch' }), { reason: 'prefetch' }),
  app('a prerender of a browser is no visit', bot({ 'sec-purpose': 'prefetch;prerender' }), { reason: 'prefetch' }),
  app('credentials stay at the site', bot({ authorization: 'Basic YTpi' }), { reason: 'credentials' }),
  app('a request for another protocol stays at the site', bot({ upgrade: 'h2c' }), { reason: 'upgrade' }),
  app('a form stays at the site', bot({ 'content-type': 'text/plain', 'content-length': '5' }), { method: 'POST', body: 'hello', reason: 'method' }),
  app('another method stays at the site', bot(), { method: 'OPTIONS', reason: 'method' }),
  app('the service\'s browser gets the app', { 'user-agent': `${CHROME} Glasshouse/0.1.0`, accept: HTML }),
  app('the service gets the app whatever crawler it plays', bot({ 'user-agent': `${GOOGLEBOT} Glasshouse/0.1.0` }), { reason: 'own' }),
  app('a request that came through the service by CDN-Loop gets the app', bot({ 'cdn-loop': 'cloudflare, glasshouse-0a1b2c3d' }), { reason: 'own' }),
  app('a request that came through the service by Via gets the app', bot({ via: '1.1 glasshouse-0a1b2c3d' }), { reason: 'own' }),
  app('a connection check that came through the service is not asked for again', bot({ via: '1.1 glasshouse-0a1b2c3d' }), { path: '/__service_probe/nonce', reason: 'own' }),

  page('an encoded slash stays encoded', '/a%2Fb'),
  page('two slashes stay two', '//a//b', {}, { except: NEXT_MOVES, snapshot: undefined }),
  page('a query stays as it is', '/search?q=H%26M&url=x'),
  page('plus, space and order stay as they are', '/search?z=a+b%20c&a=%C3%A9', {}, { except: { nextjs: 'Next.js writes every space of a query as plus' } }),
  page('characters beyond ASCII stay as they are', '/caf%C3%A9/%E8%8C%B6?q=%E6%97%A5%E6%9C%AC'),
  page('an address of 8 kB stays as it is', long),
  page('a trailing slash stays', '/shoes/', {}, { except: NEXT_MOVES }),
  page('a question mark without a query stays', '/boots?', {}, { except: { nextjs: 'Next.js leaves it out' } }),
  page('both names of a site are asked by their own', '/boots', { host: 'www' }),
  page('a host in capitals with a port is the site', '/boots', { host: 'odd' }),
  page('an address with scheme and host is answered like the path alone', '/boots', {}, { isAbsolute: true, status: 200, asked: undefined, snapshot: undefined, except: { nextjs: 'Next.js itself redirects such an address' } }),
  app('an address with scheme and host gets a person the app', person(), { isAbsolute: true, status: 200, except: { nextjs: 'Next.js itself redirects such an address' } }),
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
  refused('a crawler that the policy blocks is told so', 'CCBot/2.0', 403, 'block', 'Not for archives.'),
  refused('a crawler that the policy charges is told so', 'Bytespider', 402, 'pay', 'Ask for a licence.'),
  page('a limited crawler gets the page', '/shoes', { 'user-agent': 'Diffbot/0.1' }),
  refused('a limited crawler is told to come again', 'Diffbot/0.1', 429, 'limit', 'Slowly.', ({ headers }) =>
    [[Number(headers['retry-after']) >= 1, `retry-after ${headers['retry-after']}`]]),
  page('an ignored path is the app\'s', '/account/orders', {}, { snapshot: false, status: 200, reason: 'declined' }),
  page('a custom header of the domain arrives', '/tea', {}, { check: ({ headers }) => [[headers['x-tea'] === 'green', `x-tea ${headers['x-tea']}`]] }),
  page('the page that a crawler has is 304', '/shoes', { 'if-none-match': 'etag' }, { status: 304, snapshot: undefined, check: ({ headers, body }) =>
    [[headers.etag && !headers.location && body === '', `etag ${headers.etag}, location ${headers.location}`]] }),
  page('a list of tags with the page\'s is 304', '/shoes', { 'if-none-match': 'list' }, { status: 304, snapshot: undefined }),
  page('any tag is 304', '/shoes', { 'if-none-match': '*' }, { status: 304, snapshot: undefined }),
  page('HEAD of the page that a crawler has is 304', '/shoes', { 'if-none-match': 'etag' }, { method: 'HEAD', status: 304, snapshot: undefined }),
  page('a part of the page is not given', '/shoes', { range: 'bytes=0-9' }, { status: 200, except: { apache: 'Apache cuts parts out of every answer itself' } }),
  page('another tag gets the page', '/shoes', { 'if-none-match': 'W/"other"' }, { status: 200 }),
  page('cookies and tags of a visitor stay at the site', '/shoes', { cookie: 'session=secret', 'if-none-match': 'W/"other"', 'accept-language': 'de' }, { way: 'api', check: (_, { request: { headers } }) => [
    [!headers.cookie && !headers['if-none-match'], 'a cookie or tag left the site'],
    [headers.accept === 'text/html', `accept ${headers.accept}`],
    [headers['accept-language'] === 'de', `accept-language ${headers['accept-language']}`],
  ] }),
  page('a visitor cannot state an address', '/shoes', { 'x-service-client-address': FORGED, 'x-forwarded-for': FORGED, 'x-real-ip': FORGED, forwarded: `for=${FORGED}` }, { check: (_, { way, request: { headers } }) => {
    const stated = way === 'api' ? headers['x-service-client-address'] : headers['x-forwarded-for']?.split(',').at(-1).trim();
    return [[way === 'api' ? stated !== FORGED : stated === '127.0.0.1', `the service was told ${stated}`]];
  } }),
  page('a key of a visitor\'s is not sent', '/shoes', { 'x-service-api-key': 'gh_live_stranger' }, { way: 'api', check: (_, { request: { headers } }) =>
    [[headers['x-service-api-key'] !== 'gh_live_stranger', 'the visitor\'s key was sent']] }),
  page('the mark of the service\'s own requests is passed on', '/shoes', { 'x-service-probe': '1.mark' }, { check: (_, { request }) =>
    [[request.headers['x-service-probe'] === '1.mark', 'x-service-probe is lost']] }),
  page('a connection check is asked for like a page', '/__service_probe/nonce.png', {}, { snapshot: undefined }),
];

/**
 * Troubles of the service, and the reason with which the app answers (way `edge`: always `unavailable`).
 * Web servers stream, so that only some of them are theirs.
 */
export const troubles = [
  { mode: 500, name: 'a service that answers 500', reason: 'status-500', ways: ['api', 'edge'] },
  { mode: 503, name: 'a service that answers 503', reason: 'status-503', ways: ['api', 'edge'] },
  { mode: 429, name: 'too many requests', reason: 'status-429', ways: ['api'] },
  { mode: 421, name: 'a domain that is not connected yet', reason: 'status-421', ways: ['api', 'edge'] },
  { mode: 401, name: 'a key that is revoked', reason: 'status-401', ways: ['api'] },
  { mode: 402, name: 'an account without a plan', reason: 'status-402', ways: ['api'] },
  { mode: 403, name: 'a domain of another account', reason: 'status-403', ways: ['api'] },
  { mode: 400, name: 'an address that the service refuses', reason: 'status-400', ways: ['api'] },
  { mode: 'json', name: 'JSON with 200', reason: 'broken', ways: ['api'] },
  { mode: 'cut', name: 'a page that is cut off', reason: 'broken', ways: ['api'] },
  { mode: 'garbled', name: 'a page that cannot be unpacked', reason: 'broken', ways: ['api'] },
  { mode: 'empty', name: 'an empty page', reason: 'broken', ways: ['api'] },
  { mode: 'bodiless', name: 'a status without a body', reason: 'broken', ways: ['api'] },
  { mode: 'unknown', name: 'a status that nobody knows', reason: ['status-799', 'unreachable'], ways: ['api'] },
  { mode: 'choices', name: 'a status between page and redirect', reason: 'status-300', ways: ['api'] },
  { mode: 'nowhere', name: 'a redirect to nowhere', reason: 'broken', ways: ['api'] },
  { mode: 'circle', name: 'a redirect to the address itself, by its path alone', reason: 'loop', ways: ['api'] },
  { mode: 'huge', name: 'a page of 20 MB', reason: 'broken', ways: ['api'] },
  { mode: 'hang', name: 'a service that hangs', reason: 'unreachable', ways: ['api', 'edge'], withinMs: { api: 2300, edge: 10_500 } },
  { mode: 'stall', name: 'a service that hangs in the middle of a page', reason: 'timeout', ways: ['api'], withinMs: { api: 10_300 } },
  { mode: 'refuse', name: 'a service that is stopped', reason: 'unreachable', ways: ['api', 'edge'], withinMs: { api: 2100, edge: 2100 } },
];
