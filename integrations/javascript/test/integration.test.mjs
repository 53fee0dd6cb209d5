// The rules of the core, one a test. What needs a runtime or the service is in e2e/integrations.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createIntegration, factsOfNode, factsOfRequest, markNodeResponse, markResponse, writeAnswer } from '../index.js';
import { listOf } from '../src/decide.js';

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const SETTINGS = { serviceUrl: 'https://glasshouse.test/', apiKey: 'gh_live_key', domain: 'shop.example' };
const HTML = { 'content-type': 'text/html; charset=utf-8', 'x-service-render-cache': 'hit', etag: 'W/"a"' };
const page = () => new Response('<p>page</p>', { headers: HTML });

function facts(target, headers = {}, more = {}) {
  const all = { 'user-agent': GOOGLEBOT, ...headers };
  return { method: 'GET', target, host: 'shop.example', header: (name) => all[name], ...more };
}

/** An integration whose service answers with `answer`, with a clock by hand. */
function world(answer, settings = {}) {
  const state = { asked: [], lines: [], time: 0 };
  const fetch = async (url, options) => {
    if (!url.endsWith('/healthz')) state.asked.push({ url, ...options });
    return answer(url, options);
  };
  const integration = createIntegration({ ...SETTINGS, ...settings }, { fetch, now: () => state.time, log: (line) => state.lines.push(line) });
  return { ...integration, state };
}

const corpus = (name) => fs.readFileSync(new URL(`../../../crates/analytics/data/corpus/${name}`, import.meta.url));
const entries = (text) => text.toString().split('\n').filter((line) => line && !line.startsWith('#'));
const lines = (name) => entries(corpus(name));
/** Evidence of a browser that goes to an address. */
const NAVIGATION = { 'accept-language': 'en', accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const XBOT = 'Mozilla/5.0 (Linux; Android 12; XBot 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36';

test('every crawler of the corpus is one, and no browser is', () => {
  const { decide } = world(page);
  const isAsked = (agent) => decide(facts('/', { 'user-agent': agent })) === null;

  assert.deepEqual(lines('crawlers.tsv').map((line) => line.split('\t')[1]).filter((agent) => !isAsked(agent)), []);
  assert.deepEqual([...lines('browsers.txt'), ...lines('own.txt')].filter(isAsked), []);
});

test('no browser that was seen is a crawler when it goes to an address', () => {
  const { decide } = world(page);
  const agents = entries(gunzipSync(corpus('browsers-seen.txt.gz')));

  const asked = agents.filter((agent) => decide(facts('/', { 'user-agent': agent, ...NAVIGATION })) === null);

  assert.ok(agents.length >= 10_000);
  assert.deepEqual(asked, []);
});

test('the list is for this very case but for documented crawlers and words, and for the first 1,024 characters', () => {
  for (const agent of ['Panasonic TV', 'Lightning/1.0', `${'x'.repeat(1024)} Googlebot/2.1`]) assert.equal(listOf(agent), null, agent);
  assert.equal(listOf('GOOGLEBOT/2.1'), 'documented');
  assert.equal(listOf('AcmeSPIDER/1'), 'general');
  assert.equal(listOf(`Googlebot/2.1 ${'x'.repeat(2000)}`), 'documented');
});

test('a phone called bot is a person\'s when it goes to an address, and a documented crawler never is', () => {
  const { decide } = world(page);
  const isAsked = (agent, more) => decide(facts('/', { 'user-agent': agent, ...more })) === null;

  for (const more of [NAVIGATION, { 'sec-fetch-mode': 'navigate' }, { 'accept-language': 'en', 'sec-ch-ua': '"Chromium"' }, { 'accept-language': 'en', 'upgrade-insecure-requests': '1' }]) {
    assert.equal(isAsked(XBOT, more), false, JSON.stringify(more));
    assert.equal(isAsked(GOOGLEBOT, more), true, JSON.stringify(more));
  }
  assert.equal(isAsked(XBOT, {}), true);
});

test('an Accept asks for a page or not', () => {
  const { decide } = world(page);
  const isAsked = (accept) => decide(facts('/', { accept })) === null;

  for (const accept of ['', '*/*', '*/*;q=0.5', 'text/*', 'text/*;q=0.3, image/*', 'TEXT/HTML;q=0.1', 'text/markdown, text/plain;q=0.9, */*;q=0.8', 'text/plain, */*',
    'text/plain;q=0.9, application/*', 'text/html, application/json', 'text/html;profile="a,b;q=0"', 'x', 'text/html;q=x', '*/*;q=2', 'text/html;q=0, */*, text/markdown']) {
    assert.equal(isAsked(accept), true, accept);
  }
  for (const accept of ['application/json, text/plain, */*', 'application/ld+json;q=0.5, text/plain, */*', 'image/avif,*/*;q=0.8', 'text/css,*/*;q=0.1', '*/*;q=0',
    'text/html;q=0', 'text/html;q=0.0, */*', 'text/plain', 'text/plain;q=0, */*', 'application/*', 'image/*, bad member, */*', 'text/*;q=0, */*', 'text/plain;level="text/html"']) {
    assert.equal(isAsked(accept), false, accept);
  }
});

test('an Accept that names Markdown is an agent\'s, and goes along', async () => {
  const { respond, state } = world(page);
  const accept = 'text/markdown, text/plain;q=0.9, */*;q=0.8';

  await respond(facts('/', { 'user-agent': CHROME, ...NAVIGATION, accept }));
  const refused = await respond(facts('/', { 'user-agent': CHROME, accept: 'text/markdown;q=0, text/html' }));

  assert.equal(state.asked[0].headers.accept, accept);
  assert.equal(refused.isCrawler, false);
});

test('the service is told that an integration asks', async () => {
  const { respond, state } = world(page);

  await respond(facts('/'));

  assert.equal(state.asked[0].headers['x-service-integration'], '1');
});

test('a person is answered without a request to the service', async () => {
  const { respond, state } = world(page);

  const outcome = await respond(facts('/shoes', { 'user-agent': CHROME }));

  assert.deepEqual(outcome, { answer: null, isCrawler: false, reason: null });
  assert.equal(state.asked.length, 0);
});

test('an address is sent byte for byte, encoded once', async () => {
  const { respond, state } = world(page);

  await respond(facts('/a%2Fb//c?q=H%26M&url=x+y'));

  assert.equal(state.asked[0].url, `https://glasshouse.test/api/prerender/render?url=${encodeURIComponent('https://shop.example/a%2Fb//c?q=H%26M&url=x+y')}`);
});

test('bytes beyond ASCII that Node received are percent-encoded', () => {
  const received = factsOfNode({ method: 'GET', url: '/caf\xc3\xa9', headers: { host: 'shop.example' } });

  assert.equal(received.target, '/caf%C3%A9');
});

test('HTTP/2 names the host in its own way', () => {
  const received = factsOfNode({ method: 'GET', url: '/', headers: { ':authority': 'shop.example' } });

  assert.equal(received.host, 'shop.example');
});

test('a domain may be written as people write it', async () => {
  for (const [domain, host] of [['https://Shop.Example/', 'shop.example'], ['WWW.shop.example.', 'www.SHOP.example.:443'], ['bücher.example', 'xn--bcher-kva.example']]) {
    const { respond, state } = world(page, { domain });

    await respond(facts('/', {}, { host }));
    const stranger = await respond(facts('/', {}, { host: 'stranger.example' }));

    assert.equal(state.asked.length, 1, domain);
    assert.equal(stranger.reason, 'host');
  }
});

test('a request target that is no path goes to the app', async () => {
  const { respond } = world(page);

  assert.equal((await respond(facts('http://shop.example/'))).reason, 'address');
});

test('forwarded headers are believed only when told', async () => {
  const forwarded = { 'x-forwarded-host': 'shop.example', 'x-forwarded-proto': 'http', 'x-forwarded-for': '10.0.0.1, 66.249.66.1' };
  const [plain, trusting] = [world(page), world(page, { trustForwarded: true })];

  const outcome = await plain.respond(facts('/', forwarded, { host: 'internal:3000', client: '10.0.0.1' }));
  await trusting.respond(facts('/', forwarded, { host: 'internal:3000', client: '10.0.0.1' }));

  assert.equal(outcome.reason, 'host');
  assert.match(trusting.state.asked[0].url, /url=http%3A%2F%2Fshop\.example%2F$/);
  assert.equal(trusting.state.asked[0].headers['x-service-client-address'], '66.249.66.1');
});

test('a configured origin stands for every host', async () => {
  const { respond, state } = world(page, { origin: 'https://shop.example/' });

  await respond(facts('/a', {}, { host: 'internal:3000', client: '192.0.2.1' }));

  assert.match(state.asked[0].url, /url=https%3A%2F%2Fshop\.example%2Fa$/);
  assert.equal(state.asked[0].headers['x-service-client-address'], '192.0.2.1');
});

test('a place that nobody filled in is no key', async () => {
  const { respond, state } = world(page, { apiKey: '__API_KEY__' });

  assert.equal((await respond(facts('/'))).reason, 'no-key');
  assert.equal(state.asked.length, 0);
});

test('an address of the service without its scheme is none', async () => {
  const { respond, state } = world(page, { serviceUrl: 'glasshouse.test' });

  assert.equal((await respond(facts('/'))).reason, 'no-key');
  assert.equal(state.asked.length, 0);
});

test('a redirect to the address itself would never end, and is the app\'s', async () => {
  for (const location of ['https://shop.example/a', '/a']) {
    const { respond } = world(() => new Response(null, { status: 301, headers: { location } }));

    assert.equal((await respond(facts('/a'))).reason, 'loop');
  }
});

test('a redirect leads to an absolute address, which some platforms insist on', async () => {
  const { respond } = world(() => new Response(null, { status: 301, headers: { location: '../b?c' } }));
  const broken = world(() => new Response(null, { status: 301, headers: { location: '//' } }));

  assert.equal((await respond(facts('/a/x'))).answer.headers.get('location'), 'https://shop.example/b?c');
  assert.equal((await broken.respond(facts('/a'))).reason, 'broken');
});

test('an answer that no platform could send is the app\'s', async () => {
  const odd = (status) => ({ status, headers: new Headers({ ...HTML, location: '/b' }), body: new Response(status === 204 ? '' : '<p>odd</p>').body });

  for (const [status, reason] of [[204, 'broken'], [205, 'broken'], [300, 'status-300'], [305, 'status-305'], [600, 'status-600'], [799, 'status-799']]) {
    assert.equal((await world(() => odd(status)).respond(facts('/a'))).reason, reason);
  }
});

test('a page without a single byte is broken', async () => {
  const { respond } = world(() => new Response('', { headers: HTML }));

  assert.equal((await respond(facts('/a'))).reason, 'broken');
  assert.equal((await respond(facts('/a', {}, { method: 'HEAD' }))).answer.status, 200);
});

test('a redirect is relayed without a body and kept by nobody', async () => {
  const { respond } = world(() => new Response('moved', { status: 308, headers: { location: 'https://shop.example/b', 'cache-control': 'max-age=9' } }));

  const { answer } = await respond(facts('/a'));

  assert.deepEqual([answer.status, answer.body, answer.headers.get('location'), answer.headers.get('cache-control')], [308, null, 'https://shop.example/b', 'no-store']);
});

test('what would have a shared cache keep a snapshot is not relayed', async () => {
  const { respond } = world(() => new Response('<p>page</p>', { headers: {
    ...HTML, 'cache-control': 'public, s-maxage=9', 'surrogate-control': 'max-age=9', expires: 'Thu, 01 Jan 2099 00:00:00 GMT', vary: 'Accept', 'x-tea': 'green',
  } }));

  const { answer } = await respond(facts('/a'));

  assert.deepEqual(Object.fromEntries(answer.headers), {
    'cache-control': 'no-cache', 'cdn-cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8', etag: 'W/"a"',
    vary: 'User-Agent, Accept, Accept-Encoding', 'x-service-integration': 'snapshot', 'x-service-render-cache': 'hit', 'x-tea': 'green',
  });
});

test('the page\'s own 503 is relayed, the service\'s is not', async () => {
  const own = world(() => new Response('<p>closed</p>', { status: 503, headers: HTML }));
  const service = world(() => new Response('{}', { status: 503, headers: { 'content-type': 'application/json' } }));

  assert.equal((await own.respond(facts('/'))).answer.status, 503);
  assert.equal((await service.respond(facts('/'))).reason, 'status-503');
});

const away = () => { throw new TypeError('fetch failed'); };

test('when the service was away three times in a row nobody asks for 30 s, then one request does', async () => {
  let isUp = false;
  const { respond, state } = world(() => (isUp ? page() : away()));
  for (let count = 0; count < 3; count += 1) await respond(facts('/'));

  const paused = await respond(facts('/'));
  state.time = 30_000;
  const [first, second] = [respond(facts('/')), respond(facts('/'))];
  const tried = [(await first).reason, (await second).reason];
  state.time = 60_000;
  isUp = true;
  const back = await respond(facts('/'));
  const stays = await respond(facts('/'));

  assert.equal(paused.reason, 'paused');
  assert.deepEqual(tried, ['unreachable', 'paused']);
  assert.equal(state.asked.length, 6);
  assert.deepEqual([back.answer?.status, stays.answer?.status], [200, 200]);
});

test('a service that answers with errors or too late is there, and nobody else is made to pay for it', async () => {
  const cut = () => new Response(new ReadableStream({ pull(stream) { stream.error(new Error('cut')); } }), { headers: HTML });
  for (const [answer, reason] of [[() => new Response('', { status: 500 }), 'status-500'], [() => new Response('', { status: 429 }), 'status-429'], [cut, 'broken']]) {
    const { respond, state } = world(answer);

    for (let count = 0; count < 5; count += 1) assert.equal((await respond(facts('/'))).reason, reason);

    assert.equal(state.asked.length, 5);
  }
});

test('a refusal of the crawler policy is the crawler\'s, and the same status of the service is not', async () => {
  for (const [status, action] of [[402, 'pay'], [403, 'block'], [429, 'limit']]) {
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-service-policy': action, 'retry-after': '40' };
    const refusing = world(() => new Response('Not this page.', { status, headers }));
    const troubled = world(() => new Response('{}', { status }));

    const { answer } = await refusing.respond(facts('/'));

    const of = (name) => answer.headers.get(name);
    assert.deepEqual([answer.status, new TextDecoder().decode(answer.body)], [status, 'Not this page.']);
    assert.deepEqual(['x-service-policy', 'x-service-integration', 'retry-after', 'cache-control', 'content-type'].map(of),
      [action, 'refused', '40', 'no-store', 'text/plain; charset=utf-8']);
    assert.equal((await refusing.respond(facts('/', {}, { method: 'HEAD' }))).answer.body, null);
    assert.equal((await troubled.respond(facts('/'))).reason, `status-${status}`);
  }
});

test('a request that a platform ends without a word does not stop the asking for ever', async () => {
  let answer = away;
  const { respond, state } = world(() => answer());
  for (let count = 0; count < 3; count += 1) await respond(facts('/'));
  state.time = 30_000;
  answer = () => new Promise(() => {});
  respond(facts('/'));

  state.time = 60_000;
  answer = page;

  assert.equal((await respond(facts('/'))).answer?.status, 200);
});

test('an address that the service refuses makes nobody else wait', async () => {
  const { respond } = world(() => new Response('{}', { status: 400 }));
  for (let count = 0; count < 3; count += 1) await respond(facts('/'));

  assert.equal((await respond(facts('/'))).reason, 'status-400');
});

test('failures are one line a minute', async () => {
  const { respond, state } = world(() => { throw new TypeError('fetch failed'); });
  for (let count = 0; count < 3; count += 1) await respond(facts('/'));
  state.time = 61_000;
  await respond(facts('/'));

  assert.equal(state.lines.length, 2);
  assert.match(state.lines[1], /3 request\(s\).*unreachable/);
});

test('a render that takes its time is waited for while the service is there', async () => {
  const { respond } = world(async (url) => {
    if (url.endsWith('/healthz')) return new Response('ok');
    await new Promise((resolve) => { setTimeout(resolve, 2600); });
    return page();
  });

  assert.equal((await respond(facts('/'))).answer?.status, 200);
});

test('a response of the app keeps its body and gets its marks', async () => {
  const request = new Request('https://shop.example/a?b#c', { headers: { 'user-agent': GOOGLEBOT } });
  const app = new Response('<p>app</p>', { headers: { 'content-type': 'text/html', vary: 'Accept' } });

  const marked = markResponse(app, { isCrawler: true, reason: 'paused' });

  assert.equal(factsOfRequest(request).target, '/a?b');
  assert.deepEqual([marked.headers.get('vary'), marked.headers.get('x-service-integration'), await marked.text()], ['Accept, User-Agent', 'app; reason=paused', '<p>app</p>']);
});

/** What a server of Node answers whose app does this. */
async function nodeAnswer(app) {
  const server = http.createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => { server.once('listening', resolve); });
  try {
    const answer = await fetch(`http://127.0.0.1:${server.address().port}/`);
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  } finally {
    server.close();
  }
}

test('headers that an app gives stay its own, and get Vary', async () => {
  const html = 'text/html';
  for (const given of [
    Object.freeze({ 'Content-Type': html }), Object.freeze({ 'Content-Type': html, Vary: 'Accept' }),
    Object.freeze(['Content-Type', html]), Object.freeze(['Content-Type', html, 'Vary', 'Accept']), Object.freeze(['content-type', html, 'set-cookie', ['a=1', 'b=2']]),
  ]) {
    const before = JSON.stringify(given);
    for (const isCrawler of [true, false]) {
      const { status, headers, body } = await nodeAnswer((request, response) => {
        markNodeResponse(response, { isCrawler, reason: 'paused' });
        response.writeHead(200, given).end('app');
      });

      assert.deepEqual([status, body, headers.get('content-type')], [200, 'app', html]);
      assert.match(headers.get('vary'), before.includes('Accept') ? /^Accept, User-Agent$/ : /^User-Agent$/);
      assert.equal(headers.getSetCookie().length, before.includes('set-cookie') ? 2 : 0);
      assert.equal(headers.get('x-service-integration'), isCrawler ? 'app; reason=paused' : null);
    }
    assert.equal(JSON.stringify(given), before);
  }
});

test('an answer that cannot be sent leaves no trace on the app\'s', async () => {
  const answer = { status: 200, headers: [['x-tea', 'green'], ['x-broken', 'line\nbreak']], body: null };

  const { status, headers, body } = await nodeAnswer((request, response) => {
    response.setHeader('x-powered-by', 'app');
    if (!writeAnswer(response, answer)) response.end('app');
  });

  assert.deepEqual([status, body, headers.get('x-tea'), headers.get('x-powered-by')], [200, 'app', null, 'app']);
});
