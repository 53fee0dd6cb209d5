// Calls every operation of the service through the installed TypeScript client. Run by ../run.mjs, which notes the requests; compiled in
// strict mode, so that a changed operation fails here first.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { DOCUMENT_SHA256, Glasshouse, hasCode, verifyWebhook } from 'glasshouse-client';

const { ADDRESS = '', EMAIL = '', PASSWORD = '', DOMAIN: domain = '', KEY: key = '', DOCUMENT, MAILBOX = '' } = process.env;
const client = new Glasshouse(ADDRESS, { key });
const inDomain = { path: { domain } };
const ofDomain = { query: { domain } };
const GOOGLEBOT = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' };

const PERSON = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'accept-language': 'en',
  accept: 'text/html,application/xhtml+xml',
};

/** Asks until there is something. */
async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 120_000; Date.now() < end; await pause(300)) {
    const found = await read();
    if (found !== undefined) return found;
  }
  throw new Error(`nothing came: ${read}`);
}

async function service() {
  assert.equal((await client.get('/healthz')).ok, true);
  await client.get('/readyz');
  await client.get('/readyz/traffic');
  assert.equal(DOCUMENT_SHA256, DOCUMENT);
}

async function tools() {
  const answer = await client.post('/api/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
  assert.match(JSON.stringify(answer), /"list_domains"/);
}

async function account() {
  const made = await client.post('/api/keys', { body: { name: 'second' } });
  const { keys } = await client.get('/api/keys');
  assert.deepEqual(keys.map(({ name }) => name).sort(), ['second', 'test']);
  assert.equal(await client.delete('/api/keys/{id}', { params: { path: { id: made.id } } }), undefined);
  await assert.rejects(new Glasshouse(ADDRESS, { key: made.key }).get('/api/keys'), (error) => hasCode(error, 'invalid_api_key'));
  await client.get('/api/usage');
}

async function domains() {
  const other = `other-${domain}`;
  assert.equal((await client.post('/api/domains', { body: { domain: other } })).domain, other);
  const another = client.post('/api/domains', { body: { domain: other } });
  await assert.rejects(another, (error) => hasCode(error, 'domain_already_connected') && error.status === 409);
  await client.post('/api/domains/{domain}/check', { params: { path: { domain: other } } });
  await client.delete('/api/domains/{domain}', { params: { path: { domain: other } } });
  assert.deepEqual(
    (await client.get('/api/domains')).domains.map((item) => item.domain),
    [domain],
  );
  await client.get('/api/domains/{domain}', { params: inDomain });
  const changed = await client.patch('/api/domains/{domain}/settings', { params: inDomain, body: { ignorePaths: '/cart' } });
  assert.equal(changed.ignorePaths, '/cart');
  await client.patch('/api/domains/{domain}/sitemap', { params: inDomain, body: { sitemapUrl: `http://${domain}/sitemap.xml` } });
  await client.get('/api/domains/{domain}/records', { params: inDomain });
  const rendering = await client.patch('/api/domains/{domain}/rendering', { params: inDomain, body: { refreshIntervalSeconds: 86_400 } });
  assert.deepEqual(await client.get('/api/domains/{domain}/rendering', { params: inDomain }), rendering);
  const policy = await client.put('/api/domains/{domain}/crawler-policy', { params: inDomain, body: { mode: 'off' } });
  assert.deepEqual(await client.get('/api/domains/{domain}/crawler-policy', { params: inDomain }), policy);
  const file = { path: '/llms.txt', mode: 'fallback', source: 'text', body: '# Shop' } as const;
  const files = await client.put('/api/domains/{domain}/root-files', { params: inDomain, body: { files: [file] } });
  assert.deepEqual(await client.get('/api/domains/{domain}/root-files', { params: inDomain }), files);
  const indexNow = await client.patch('/api/domains/{domain}/indexnow', { params: inDomain, body: { enabled: false } });
  assert.deepEqual(await client.get('/api/domains/{domain}/indexnow', { params: inDomain }), indexNow);
  const { token } = await client.post('/api/domains/{domain}/stats-token', { params: inDomain });
  await client.get('/api/domains/{domain}/stats-token', { params: inDomain });
  const shared = new Glasshouse(ADDRESS, { headers: { 'x-service-public-stats-token': token } });
  await shared.get('/api/analytics/bots', { params: ofDomain });
  await client.delete('/api/domains/{domain}/stats-token', { params: inDomain });
  await client.post('/api/domains/{domain}/verify', { params: inDomain, body: {} });
}

async function rendering() {
  const page = await client.render(`http://${domain}/jugs`, GOOGLEBOT);
  assert.deepEqual([page.status, page.cache], [200, 'miss']);
  assert.match(page.html, /Hand-made pots from the quay/);
  assert.equal((await client.render(`http://${domain}/nowhere`, GOOGLEBOT)).status, 404);
  assert.equal((await client.render(`http://${domain}/jugs`, PERSON)).status, 304);

  await client.post('/api/prerender/cache/invalidate-page-cache', { body: { domain, path: '/cups' } });
  await client.post('/api/prerender/cache/invalidate-paths-cache', { body: { domain, paths: ['/about'] } });
  const { batchGroupId } = await client.post('/api/prerender/cache/invalidate-site-cache', { body: { domain } });
  const done = await client.waitForBatch(batchGroupId ?? '', { everyMs: 200 });
  assert.deepEqual([done.total, done.done], [4, 4]);
  await client.post('/api/prerender/cache/invalidate-updated-paths', { body: { domain } });
  await client.get('/api/prerender/batches', { params: ofDomain });
  await client.post('/api/prerender/batches/{batchGroupId}/cancel', { params: { path: { batchGroupId: batchGroupId ?? '' } } });

  const paths = [];
  for await (const { path } of client.rows('/api/prerender/snapshots', {
    params: { query: { domain, limit: 2, sort: 'path', order: 'asc' } },
  }))
    paths.push(path);
  assert.deepEqual(paths, ['/', '/about', '/cups', '/jugs', '/nowhere']);
  const file = await client.open('get', '/api/prerender/snapshots', { params: { query: { domain, format: 'csv' } } });
  assert.match(await file.text(), /^url,path,status/);
}

async function analytics() {
  const visits = client.events('/api/analytics/live', { params: ofDomain });
  let visit: IteratorResult<{ path: string; crawler: string }, void> | undefined;
  void visits.next().then((first) => {
    visit = first;
  });
  while (visit === undefined) await client.render(`http://${domain}/cups`, GOOGLEBOT).then(() => pause(200));
  assert.deepEqual([visit.value?.path, visit.value?.crawler], ['/cups', 'googlebot']);
  await visits.return();

  const params = ofDomain;
  const line = { ts: new Date().toISOString(), path: '/cups', userAgent: 'GPTBot/1.2' };
  const log = new Blob([`${JSON.stringify(line)}\nnonsense\n`]);
  const push = { params: { query: { domain }, header: { 'Idempotency-Key': 'calls' } }, body: log };
  const counted = await client.post('/api/analytics/logs', push);
  assert.deepEqual(counted, { lines: 2, visits: 1, unreadable: 1 });
  assert.equal(await (await client.open('get', '/.well-known/fastly/logging/challenge')).text(), '*');
  await client.get('/api/analytics/bots', { params });
  await client.get('/api/analytics/bots/daily', { params });
  await client.get('/api/analytics/bots/summary', { params });
  assert.match(await (await client.get('/api/analytics/badge.svg', { params })).text(), /^<svg /);
  await client.get('/api/analytics/page-insights', { params: { query: { domain, url: `http://${domain}/cups` } } });
  await client.get('/api/analytics/crawlers', { params });
  await client.get('/api/analytics/errors', { params });
  await client.get('/api/analytics/pages', { params });
  await client.get('/api/analytics/policy', { params });
  await client.get('/api/analytics/referrals', { params });
  await client.get('/api/analytics/robots', { params });
  await client.get('/api/analytics/timeline', { params });
  assert.match(await (await client.get('/api/analytics/export', { params })).text(), /^day,path,crawler/);
}

/** Receives messages of audits; `next` is the first one. */
async function receiver() {
  const server = http.createServer().listen(0, '127.0.0.1');
  const next = new Promise<[Buffer, http.IncomingHttpHeaders]>((resolve) => {
    server.on('request', async (request, response) => {
      resolve([Buffer.concat(await request.toArray()), request.headers]);
      response.writeHead(204).end();
    });
  });
  await once(server, 'listening');
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, next, close: () => server.close() };
}

async function audits() {
  const { issues } = await client.get('/api/seo-spider/issues');
  assert.ok(issues.length > 50);
  const messages = await receiver();
  const settings = await client.patch('/api/domains/{domain}/auditing', { params: inDomain, body: { webhookUrl: messages.address } });
  assert.equal((await client.get('/api/domains/{domain}/auditing', { params: inDomain })).webhookUrl, messages.address);
  const body = { domain, mode: 'sitemap' as const, urls: [`http://${domain}/`] };
  const ids = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const { runId } = await client.post('/api/seo-spider/runs', { body });
    const again = client.post('/api/seo-spider/runs', { body });
    await assert.rejects(again, (error) => hasCode(error, 'run_already_active') && error.body.runId === runId);
    let last;
    for await (const progress of client.events('/api/seo-spider/runs/{runId}/events', { params: { path: { runId } } })) last = progress;
    assert.equal(last?.runId, runId);
    assert.equal((await client.waitForAudit(runId, { everyMs: 200 })).closeReason, 'finished');
    ids.push(runId);
  }
  const [first = '', runId = ''] = ids;
  const [message, headers] = await messages.next;
  assert.equal((await verifyWebhook<{ run: { id: string } }>(message, headers, settings.webhookSecret ?? '')).run.id, first);
  messages.close();
  const ofRun = { path: { runId } };
  await client.get('/api/seo-spider/runs', { params: ofDomain });
  const pages = [];
  for await (const page of client.rows('/api/seo-spider/runs/{runId}', { params: { ...ofRun, query: { limit: 3 } } })) pages.push(page);
  assert.equal(pages.length, 4);
  await client.get('/api/seo-spider/runs/{runId}/pages/{pageId}', { params: { path: { runId, pageId: pages[0]?.id ?? '' } } });
  await client.get('/api/seo-spider/runs/{runId}/issues', { params: ofRun });
  await client.get('/api/seo-spider/runs/{runId}/links', { params: ofRun });
  const { edges } = await client.get('/api/seo-spider/runs/{runId}/graph', { params: ofRun });
  assert.ok(edges.every(([from, to]) => from !== to) && edges.length > 0);
  await client.get('/api/seo-spider/runs/{runId}/compare', { params: { ...ofRun, query: { with: first } } });
  assert.match(
    await (await client.get('/api/seo-spider/runs/{runId}/export', { params: { ...ofRun, query: { what: 'pages' } } })).text(),
    /jugs/,
  );
  const { runId: third } = await client.post('/api/seo-spider/runs', { body });
  await client.post('/api/seo-spider/runs/{runId}/cancel', { params: { path: { runId: third } } });
}

async function mentions() {
  await client.put('/api/domains/{domain}/brand', { params: inDomain, body: { name: 'Pots' } });
  assert.equal((await client.get('/api/domains/{domain}/brand', { params: inDomain })).name, 'Pots');
  await client.patch('/api/domains/{domain}/monitoring', { params: inDomain, body: { digest: 'off' } });
  await client.get('/api/domains/{domain}/monitoring', { params: inDomain });
  await client.get('/api/ai-mentions/providers', { params: ofDomain });
  const prompts = [{ promptText: 'Which pots are the best?', intent: 'comm' as const, providers: ['chatgpt'] }];
  assert.equal((await client.post('/api/ai-mentions/prompts/import', { body: { domain, prompts } })).created, 1);
  const [prompt] = await client.get('/api/ai-mentions/prompts', { params: ofDomain });
  const id = prompt?.id ?? '';
  const run = await until(async () =>
    (await client.get('/api/ai-mentions/runs', { params: ofDomain })).runs.find(({ status }) => status === 'ok'),
  );
  assert.equal(
    (await client.get('/api/ai-mentions/runs/{runId}', { params: { path: { runId: run.id } } })).promptText,
    'Which pots are the best?',
  );
  await client.post('/api/ai-mentions/prompts/{promptId}/run', { params: { path: { promptId: id } }, body: { samples: 1 } });
  const report = await until(async () => (await client.get('/api/ai-mentions/reports', { params: ofDomain })).reports[0]);
  const params = { path: { reportId: report.id } };
  await client.get('/api/ai-mentions/reports/{reportId}', { params });
  const html = await client.open('get', '/api/ai-mentions/reports/{reportId}', { params: { ...params, query: { format: 'html' } } });
  assert.match(await html.text(), /<html/);
  await client.get('/api/ai-mentions/prompt-stats', { params: ofDomain });
  await client.get('/api/ai-mentions/trend', { params: ofDomain });
  await client.get('/api/ai-mentions/sources', { params: ofDomain });
  await client.get('/api/ai-mentions/queries', { params: ofDomain });
  await client.get('/api/ai-mentions/costs', { params: ofDomain });
  await client.get('/api/ai-mentions/suggestions', { params: ofDomain });
  await client.post('/api/ai-mentions/suggestions', { body: { domain, terms: ['stoneware jugs'] } });
  assert.match(await (await client.get('/api/ai-mentions/export', { params: { query: { domain, what: 'runs' } } })).text(), /chatgpt/);
  assert.equal(await client.post('/api/ai-mentions/prompts', { body: { action: 'delete', domain, id } }), undefined);
}

/** Signs in and returns a client of the session. */
async function signIn(password: string, email = EMAIL): Promise<Glasshouse> {
  const answer = await new Glasshouse(ADDRESS).open('post', '/api/session', { body: { email, password } });
  const headers = { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
  const { csrfToken } = await new Glasshouse(ADDRESS, { headers }).get('/api/session');
  return new Glasshouse(ADDRESS, { headers: { ...headers, 'x-csrf-token': csrfToken } });
}

/** Waits for a mail to an address, and returns the token of its link. */
function mailed(link: string, to: string): Promise<string> {
  const form = new RegExp(`^To: ${to}$[^]*?/${link}#(\\w+)`, 'm');
  return until(async () => form.exec(readFileSync(MAILBOX, 'utf8'))?.[1]);
}

/** Returns the code that an authenticator shows for a secret in base32. */
function codeOf(secret: string): string {
  const bits = [...secret].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const tag = createHmac('sha1', key).update(counter).digest();
  const number = tag.readUInt32BE((tag.at(-1) ?? 0) & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

async function people() {
  const owner = await signIn(PASSWORD);
  const stranger = new Glasshouse(ADDRESS);
  const email = `second@${domain}`;
  const invitation = await owner.post('/api/people', { body: { email, role: 'viewer', domains: [domain] } });
  assert.equal(invitation.inviteUrl, null);
  const token = await mailed('invitation', email);
  await stranger.post('/api/session/invitation', { body: { token, password: PASSWORD } });
  const again = stranger.post('/api/session/invitation', { body: { token, password: PASSWORD } });
  await assert.rejects(again, (error) => hasCode(error, 'invalid_token') && error.status === 400);
  const inPerson = { path: { id: invitation.id } };
  assert.equal((await owner.patch('/api/people/{id}', { params: inPerson, body: { role: 'editor' } })).role, 'editor');
  const listed = (await owner.get('/api/people')).people.map((person) => [person.email, person.role, person.domains]);
  assert.deepEqual(listed, [
    [EMAIL, 'owner', null],
    [email, 'editor', [domain]],
  ]);

  await stranger.post('/api/session/reset', { body: { email } });
  const newPassword = `${PASSWORD}, reset`;
  await stranger.put('/api/session/reset', { body: { token: await mailed('reset', email), newPassword } });
  const second = await signIn(newPassword, email);
  const { account: entered } = await second.get('/api/session');
  await second.patch('/api/session', { body: { weeklyMail: true } });
  await second.put('/api/session/account', { body: { id: entered.id } });
  const { secret } = await second.post('/api/session/totp', { body: { password: newPassword } });
  const { recoveryCodes } = await second.put('/api/session/totp', { body: { code: codeOf(secret) } });
  await assert.rejects(signIn(newPassword, email), (error) => hasCode(error, 'totp_required'));
  await second.delete('/api/session/totp', { body: { code: recoveryCodes[0] ?? '' } });
  assert.equal((await owner.delete('/api/people/{id}', { params: inPerson })).keys, 0);
}

async function webhooks() {
  const wanted = { url: 'http://hooks.test/in', events: ['audit.completed'], domains: [domain] };
  const made = await client.post('/api/webhooks', { body: wanted });
  assert.match(made.secret ?? '', /^whsec_/);
  assert.deepEqual(
    (await client.get('/api/webhooks')).webhooks.map(({ id }) => id),
    [made.id],
  );
  const params = { path: { id: made.id } };
  const events = ['audit.completed', 'verify.failing'];
  assert.deepEqual((await client.patch('/api/webhooks/{id}', { params, body: { events } })).events, events);
  assert.notEqual((await client.post('/api/webhooks/{id}/rotate', { params })).secret, made.secret);
  const { id } = await client.post('/api/webhooks/{id}/test', { params });
  const { deliveries } = await client.get('/api/webhooks/{id}/deliveries', { params });
  assert.deepEqual(
    deliveries.map((delivery) => [delivery.id, delivery.event]),
    [[id, 'webhook.test']],
  );
  const inDelivery = { path: { id: made.id, deliveryId: id } };
  await client.post('/api/webhooks/{id}/deliveries/{deliveryId}/redeliver', { params: inDelivery });
  await client.delete('/api/webhooks/{id}', { params });
  await assert.rejects(client.delete('/api/webhooks/{id}', { params }), (error) => hasCode(error, 'not_found'));
  assert.equal((await client.get('/api/domains/{domain}/verification', { params: inDomain })).every, 'daily');
  const off = await client.patch('/api/domains/{domain}/verification', { params: inDomain, body: { every: 'off' } });
  assert.equal(off.every, 'off');
}

async function dashboard() {
  const session = await signIn(PASSWORD);
  const other = `dashboard-${domain}`;
  const inOther = { path: { domain: other } };
  await session.post('/api/dashboard/domains', { body: { domain: other } });
  await session.get('/api/dashboard/domains');
  await session.get('/api/dashboard/domains/{domain}', { params: inOther });
  await session.post('/api/dashboard/domains/{domain}/check', { params: inOther });
  await session.patch('/api/dashboard/domains/{domain}/settings', { params: inOther, body: { ignorePaths: '' } });
  await session.patch('/api/dashboard/domains/{domain}/sitemap', { params: inDomain, body: { refresh: true } });
  await session.delete('/api/dashboard/domains/{domain}', { params: inOther });
  await session.post('/api/dashboard/domains/{domain}/test-patterns', { params: inDomain, body: { patterns: '/jugs' } });
  const ruled = await session.post('/api/dashboard/domains/{domain}/test-rules', {
    params: inDomain,
    body: { url: `http://${domain}/jugs`, as: 'person' },
  });
  assert.equal(ruled.decision, 'origin');
  const agents = { path: { domain }, query: { url: `http://${domain}/jugs` } };
  assert.ok((await session.get('/api/dashboard/domains/{domain}/agents', { params: agents })).agents.length > 5);
  await session.post('/api/dashboard/cache/invalidate-page-cache', { body: { domain, path: '/cups' } });
  await session.post('/api/dashboard/cache/invalidate-paths-cache', { body: { domain, paths: ['/cups'] } });
  await session.post('/api/dashboard/cache/invalidate-site-cache', { body: { domain } });
  await session.post('/api/dashboard/cache/invalidate-updated-paths', { body: { domain } });
  await session.get('/api/dashboard/first-run');
  await session.get('/api/dashboard/sites');
  await session.get('/api/dashboard/overview', { params: ofDomain });
  await session.post('/api/dashboard/dismissed', { body: { domain, id: 'snapshots_failing' } });
  await session.delete('/api/dashboard/dismissed', { params: { query: { domain, id: 'snapshots_failing' } } });
  await session.get('/api/dashboard/preview-image', { params: { query: { domain, url: `http://${domain}/cover.png` } } });

  const { id } = await session.post('/api/dashboard/views', { body: { domain, path: '/jugs' } });
  const params = { path: { id } };
  const view = await until(async () => {
    const found = await session.get('/api/dashboard/views/{id}', { params });
    return found.state === 'running' ? undefined : found;
  });
  assert.equal(view.state, 'done');
  await session.get('/api/dashboard/views', { params: { query: { domain, path: '/jugs' } } });
  await session.get('/api/dashboard/views/{id}/crawler.html', { params });
  for (const picture of ['person', 'crawler', 'raw'] as const) {
    const bytes = await (await session.get(`/api/dashboard/views/{id}/${picture}.webp`, { params })).arrayBuffer();
    assert.equal(Buffer.from(bytes).toString('latin1', 8, 12), 'WEBP');
  }
  await session.put('/api/dashboard/password', { body: { currentPassword: PASSWORD, newPassword: `${PASSWORD}, changed` } });
  await (await signIn(`${PASSWORD}, changed`)).delete('/api/session');
}

for (const part of [service, tools, account, domains, rendering, analytics, audits, mentions, people, webhooks, dashboard]) {
  const began = Date.now();
  await part();
  console.log(`    ${part.name.padEnd(12)} ${((Date.now() - began) / 1000).toFixed(1)} s`);
}
