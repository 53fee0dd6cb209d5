// The hand-written part of the TypeScript client, against a server that answers as each test says, and webhooks against the library of
// Standard Webhooks.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { ApiError, Glasshouse, hasCode, verifyWebhook, WebhookError, type ClientOptions } from 'glasshouse-client';
import { Webhook } from 'standardwebhooks';

type Reply = [status: number, headers?: Record<string, string>, body?: unknown];

const servers: http.Server[] = [];
after(() =>
  servers.forEach((server) => {
    server.close();
    server.closeAllConnections();
  }),
);

/** Starts a server and returns a client of it. */
async function clientOf(server: http.Server, options: ClientOptions = {}) {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return new Glasshouse(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, options);
}

/** Starts a server that gives the replies in turn, the last one for ever; none: it stays silent. Returns a client of it, and what was asked. */
async function serve(replies: Reply[], options: ClientOptions = {}) {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const [status, headers, body] = replies[Math.min(asked.length, replies.length) - 1] ?? [];
    if (status !== undefined) response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  return { asked, client: await clientOf(server, options) };
}

const USAGE: Reply = [200, {}, { plan: 'pro' }];
const limited = (seconds: string): Reply => [429, { 'retry-after': seconds }, { error: 'rate_limited' }];

test('a refused request is repeated after the time that the service says', async () => {
  const { client, asked } = await serve([limited('1'), [503, { 'retry-after': new Date(Date.now() + 1000).toUTCString() }], USAGE]);
  const began = Date.now();

  assert.deepEqual(await client.get('/api/usage'), { plan: 'pro' });

  assert.equal(asked.length, 3);
  assert.ok(Date.now() - began >= 1000);
});

test('a request is repeated at most as often as was asked for', async () => {
  const { client, asked } = await serve([limited('0')], { retries: 2 });

  await assert.rejects(client.post('/api/keys', { body: {} }), (error) => hasCode(error, 'rate_limited') && error.retryAfter === 0);

  assert.equal(asked.length, 3);
});

test('a wait that is too long, or that the service does not ask for, is an error at once', async () => {
  for (const reply of [limited('61'), [503, {}, { error: 'service_unavailable' }], [500, { 'retry-after': '1' }, {}]] satisfies Reply[]) {
    const { client, asked } = await serve([reply]);

    await assert.rejects(client.get('/api/usage'), { name: 'ApiError', status: reply[0] });

    assert.equal(asked.length, 1);
  }
});

test('a service that is gone is an error, and one that is silent too, after the time limit', async () => {
  await assert.rejects(new Glasshouse('http://127.0.0.1:9').get('/api/usage'), { status: 0, message: 'the service did not answer' });
  const { client } = await serve([], { timeoutMs: 200 });

  const began = Date.now();
  await assert.rejects(client.get('/api/usage'), { status: 0 });

  assert.ok(Date.now() - began < 5000);
});

test('an error has its code, its fields and the name of the request', async () => {
  const { client } = await serve([
    [403, { 'x-request-id': 'r1' }, { error: 'plan_required', requiredPlan: 'pro' }],
    [418, { 'content-type': 'text/html' }, 'tea'],
  ]);

  const error = await client.get('/api/usage').catch((error: unknown) => error);
  assert.ok(hasCode(error, 'plan_required'));
  const plan: string = error.body.requiredPlan;
  assert.deepEqual([plan, error.requestId, error.message], ['pro', 'r1', '403 plan_required {"requiredPlan":"pro"}']);

  await assert.rejects(client.get('/api/usage'), (error) => error instanceof ApiError && error.status === 418 && error.code === '');
});

test('the status of a rendered page is no error of the service', async () => {
  const { client, asked } = await serve([
    [503, { 'x-service-render-cache': 'miss', 'retry-after': '1', 'content-type': 'text/html' }, 'away'],
  ]);

  const page = await client.render('https://shop.example/a?b=ü&c');

  assert.deepEqual([page.status, page.cache, asked.length], [503, 'miss', 1]);
  assert.deepEqual(asked, ['GET /api/prerender/render?url=https%3A%2F%2Fshop.example%2Fa%3Fb%3D%C3%BC%26c']);
});

test('a list is read part by part, until its total or an empty part', async () => {
  const part = (snapshots: object[], total: number): Reply => [200, {}, { snapshots, total, counts: {} }];
  const [one, two, three] = [{ path: '/1' }, { path: '/2' }, { path: '/3' }];
  const init = { params: { query: { domain: 'shop.example', limit: 2 } } };

  for (const rest of [[three], []]) {
    const { client, asked } = await serve([part([one, two], 3), part(rest, 3)]);
    const paths: string[] = [];
    for await (const { path } of client.rows('/api/prerender/snapshots', init)) paths.push(path);

    assert.deepEqual(
      paths,
      [one, two, ...rest].map(({ path }) => path),
    );
    assert.deepEqual(
      asked.map((line) => line.split('&').at(-1)),
      ['offset=0', 'offset=2'],
    );
  }
});

test('a stream gives the data of its events, however they are cut', async () => {
  const server = http.createServer(async (_, response) => {
    for (const piece of ['event: visit\nda', 'ta: {"path":"/ü', '"}\n\nevent: missed\ndata: 3\n\n: alive\n\ndata:{"path":"/2"}\n\n']) {
      response.write(Buffer.from(piece));
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
    response.end();
  });
  const client = await clientOf(server);

  const paths: string[] = [];
  for await (const { path } of client.events('/api/analytics/live', { params: { query: { domain: 'shop.example' } } })) paths.push(path);

  assert.deepEqual(paths, ['/ü', '/2']);
});

test('waiting ends with the work, or when it is told to', async () => {
  const running: Reply = [200, {}, { total: 2, done: 1 }];
  const { client } = await serve([running, [200, {}, { total: 2, done: 2, completedAt: '2026-11-20T12:00:00.000Z' }]]);
  const seen: number[] = [];

  await client.waitForBatch('b', { everyMs: 10, onProgress: ({ done }) => seen.push(done) });
  assert.deepEqual(seen, [1, 2]);

  const { client: other } = await serve([running]);
  await assert.rejects(other.waitForBatch('b', { everyMs: 50, signal: AbortSignal.timeout(200) }), { name: 'TimeoutError' });
});

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;
const BODY = '{"type":"audit.completed","domain":"bücher.example"}';
const NOW = new Date('2026-11-20T12:00:00Z');
const isRefused = (headers: Record<string, string>, { body = BODY, secret = SECRET, now = NOW.getTime() } = {}) =>
  assert.rejects(verifyWebhook(body, headers, secret, now), WebhookError);

test('a message that Standard Webhooks signed is handed out, and no other', async () => {
  const signature = new Webhook(SECRET).sign('msg_1', NOW, BODY);
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(NOW.getTime() / 1000), 'webhook-signature': signature };
  const old = { ...headers, 'webhook-signature': `v1,${'A'.repeat(44)} v2,other v1,%% ${signature}` };

  assert.deepEqual(await verifyWebhook(Buffer.from(BODY), headers, SECRET, NOW.getTime()), JSON.parse(BODY));
  assert.deepEqual(await verifyWebhook(BODY, new Headers(old), SECRET, NOW.getTime()), JSON.parse(BODY));

  await isRefused(headers, { body: BODY.replace('bücher', 'bucher') });
  await isRefused(headers, { secret: `whsec_${Buffer.from('another').toString('base64')}` });
  await isRefused(headers, { now: NOW.getTime() + 301_000 });
  await isRefused({ ...headers, 'webhook-id': 'msg_2' });
  await isRefused({ ...headers, 'webhook-signature': signature.replace('v1,', 'v2,') });
  await isRefused({ ...headers, 'webhook-timestamp': 'NaN' });
  await isRefused({ 'webhook-signature': signature });
});

test('a message with the signature of the service alone is handed out, and no other', async () => {
  const time = String(NOW.getTime());
  const signed = (secret: string) => `sha256=${createHmac('sha256', secret).update(`${time}.${BODY}`).digest('hex')}`;
  const headers = { 'x-service-timestamp': time, 'x-service-signature': `${signed('old')}, ${signed(SECRET)}` };

  assert.deepEqual(await verifyWebhook(BODY, headers, SECRET, NOW.getTime()), JSON.parse(BODY));

  await isRefused(headers, { secret: 'another' });
  await isRefused(headers, { now: NOW.getTime() - 301_000 });
  await isRefused({ ...headers, 'x-service-signature': 'sha256=zz' });
  await isRefused({ 'x-service-timestamp': time });
  await isRefused({});
});
