// Agents with the tools of the real service: a journey from an empty account to a rendered page, an audit and a report by each SDK, the same
// tools on stdin and stdout, the conformance suite, and a thousand calls that leave nothing behind. Called by check.sh.
//
//   node e2e/mcp/run.mjs
//   GLASSHOUSE   the binary (default: the one in target that was built last)
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import readline from 'node:readline';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { startDns, startSite } from '../clients/world.mjs';
import { freePort, listen } from '../lib/ports.mjs';
import { endAll, folderFor, keepScratch } from '../lib/programs.mjs';
import { createAccount, createKey, prepare, startService } from '../lib/service.mjs';

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const DOMAINS = ['typescript.test', 'python.test', 'stdio.test'];
/** Scenarios of the conformance suite that need no tools or resources of its own. */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'];
/** Memory that a thousand calls may leave in the allocator, in KiB. */
const SLACK_KIB = 8 * 1024;

/**
 * Connects an SDK's client.
 * @param {import('@modelcontextprotocol/sdk/shared/transport.js').Transport} transport
 */
async function connect(transport) {
  const client = new Client({ name: 'glasshouse-e2e', version: '1' });
  await client.connect(transport);
  // Reads the schemas, by which the client checks every result.
  const { tools } = await client.listTools();
  assert.equal(tools.length, 20);
  let calls = 0;
  return {
    client,
    calls: () => calls,
    /** @type {(name: string, args?: Record<string, unknown>) => Promise<any>} */
    async call(name, args = {}) {
      calls += 1;
      const result = /** @type {any} */ (await client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 }));
      assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
      assert.ok(Buffer.byteLength(result.content[0].text) <= 25_000);
      return result.structuredContent;
    },
  };
}

/** @param {{ address: string }} service @param {string} key */
const overHttp = ({ address }, key) => new StreamableHTTPClientTransport(new URL('/api/mcp', address), { requestInit: { headers: { authorization: `Bearer ${key}` } } });

/**
 * Goes from an account without domains to a page that a crawler got, an audit and reports.
 * @param {Awaited<ReturnType<typeof connect>>} agent
 * @param {{ address: string }} service
 * @param {string} key
 * @param {string} domain
 */
async function journey(agent, service, key, domain) {
  const url = `http://${domain}/jugs`;
  assert.deepEqual((await agent.call('list_domains')).domains, []);
  await agent.call('add_domain', { domain });
  const rendered = await agent.call('render_page', { url, format: 'markdown' });
  assert.match(rendered.untrusted.markdown, /# Pots \/jugs/);
  const asked = await fetch(`${service.address}/api/prerender/render?url=${encodeURIComponent(url)}`, { headers: { 'x-service-api-key': key, 'user-agent': GOOGLEBOT } });
  assert.match(await asked.text(), /<h1>Pots \/jugs<\/h1>/);
  assert.match((await agent.call('get_page_as_crawler', { url })).untrusted.html, /Hand-made pots/);
  const view = await agent.call('compare_views', { domain, path: '/jugs' });
  assert.deepEqual([view.state, view.error], ['done', null]);
  assert.match(view.crawler.untrusted.text, /Hand-made pots/);

  const { runId } = await agent.call('start_audit', { domain, urls: [`http://${domain}/`] });
  const audit = await agent.call('get_audit', { runId });
  assert.equal(audit.run.status, 'success');
  assert.ok(audit.pages.length >= 4 && audit.pages[0].untrusted.title !== undefined);
  assert.ok((await agent.call('list_issues', { runId })).issues.length > 0);
  const page = await agent.call('get_audited_page', { runId, pageId: audit.pages[0].id });
  assert.ok(page.findings.length > 0);
  const visits = await agent.call('crawler_visits', { domain, days: 7 });
  assert.deepEqual([visits.totalCrawlsServed, visits.crawlers[0].id], [1, 'googlebot']);
  await agent.call('ai_visibility', { domain });
  await agent.call('update_domain_settings', { domain, rendering: { markdown: 'off' } });
  assert.equal(agent.calls(), 12);
}

/**
 * Asks a command on stdin and returns all that it wrote, and its exit status.
 * @param {{ binary: string, folder: string, env: Record<string, string> }} service
 * @param {string[]} args
 * @param {Record<string, string>} env
 * @param {readonly object[]} messages
 */
async function speak({ binary, folder, env: settings }, args, env, messages) {
  const program = spawn(binary, ['mcp', ...args], { cwd: folder, env: { ...process.env, ...settings, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const [lines, errors] = [/** @type {any[]} */ ([]), /** @type {string[]} */ ([])];
  readline.createInterface(program.stderr).on('line', (line) => errors.push(line));
  const answers = messages.filter((message) => 'id' in message).length;
  readline.createInterface(program.stdout).on('line', (line) => {
    lines.push(JSON.parse(line));
    if (lines.length === answers) program.stdin.end();
  });
  program.stdin.on('error', () => {});
  for (const message of messages) program.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const [status] = await once(program, 'close');
  return { status, lines, errors };
}

const HANDSHAKE = [
  { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'speak', version: '1' } } },
  { method: 'notifications/initialized' },
];
/** @param {string} name @param {object} args */
const toolCall = (name, args) => ({ id: 2, method: 'tools/call', params: { name, arguments: args } });

/**
 * Passes requests on with a key, for clients that know none, and closes with the process.
 * @param {{ port: number }} service
 * @param {string} key
 * @param {number} port
 */
async function startProxy(service, key, port) {
  const server = http.createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${key}` };
    const onward = http.request({ port: service.port, method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

/** @param {number} pid */
const memory = (pid) => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/**
 * Makes calls, twenty at a time.
 * @param {{ address: string }} service
 * @param {string} key
 * @param {number} count
 */
async function callOften({ address }, key, count) {
  let left = count;
  const caller = async () => {
    while (left-- > 0) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: left, method: 'tools/call', params: { name: 'ai_visibility', arguments: { domain: 'stdio.test' } } });
      const answer = await fetch(`${address}/api/mcp`, {
        method: 'POST', body, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      });
      assert.deepEqual([answer.status, answer.headers.get('mcp-session-id')], [200, null]);
      assert.equal(/** @type {any} */ (await answer.json()).result.isError, false);
    }
  };
  await Promise.all(Array.from({ length: 20 }, caller));
}

/** @type {string[]} */
const problems = [];
/** @type {(name: string, check: () => Promise<unknown>) => Promise<void>} */
async function step(name, check) {
  const began = Date.now();
  try {
    await check();
  } catch (error) {
    problems.push(`${name}: ${error instanceof Error ? error.stack : error}`);
  }
  process.stdout.write(`${name.padEnd(60)} ${problems.at(-1)?.startsWith(`${name}:`) ? 'FAILED' : 'ok'} ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
}

const site = await startSite();
const proxyPort = await freePort();
const settings = {
  'network.hosts': Object.fromEntries([...DOMAINS, 'stranger.test'].map((domain) => [domain, site.host])),
  'network.dns_servers': await startDns(),
  'edge.origin_scheme': 'http',
  'server.public_url': `http://localhost:${proxyPort}`,
};
const prepared = await prepare({ settings });
const keys = [];
for (const domain of DOMAINS) {
  await createAccount(prepared, { email: `owner@${domain}` });
  keys.push(await createKey(prepared, `owner@${domain}`));
}
const [forTypescript = '', forPython = '', forStdio = ''] = keys;
const service = await startService(prepared);

await step('TypeScript SDK over HTTP: from nothing to reports', async () => {
  const agent = await connect(overHttp(service, forTypescript));
  await journey(agent, service, forTypescript, 'typescript.test');
  const { contents: [issues] } = await agent.client.readResource({ uri: 'glasshouse://issues' });
  assert.ok(JSON.parse(String(issues?.text)).issues.length > 100);
  await agent.client.close();
});
await step('Python SDK over HTTP: from nothing to reports', async () => {
  const env = { ...process.env, ADDRESS: service.address, KEY: forPython, DOMAIN: 'python.test' };
  await promisify(execFile)('python', [`${import.meta.dirname}/journey.py`], { env });
});
await step('TypeScript SDK over stdio with --url: from nothing to reports', async () => {
  const env = { ...prepared.env, PATH: process.env.PATH ?? '', GLASSHOUSE_API_KEY: forStdio };
  const agent = await connect(new StdioClientTransport({ command: prepared.binary, args: ['mcp', '--url', service.address], env, cwd: prepared.folder }));
  await journey(agent, service, forStdio, 'stdio.test');
  await agent.client.close();
});
await step('stdio on the data of a running service', async () => {
  const list = toolCall('list_domains', {});
  const named = await speak(prepared, ['--account', 'owner@stdio.test'], {}, [...HANDSHAKE, list]);
  assert.equal(named.lines[1].result.structuredContent.domains[0].domain, 'stdio.test');
  assert.deepEqual([named.status, named.errors], [0, []]);
  const unnamed = await speak(prepared, [], {}, [...HANDSHAKE, list]);
  assert.deepEqual([unnamed.status, unnamed.lines, unnamed.errors.length], [2, [], 1]);
});
await step('stdio on this machine alone: any page, through the guard', async () => {
  const alone = await prepare({ name: 'alone', settings });
  await createAccount(alone, { email: 'owner@alone.test' });
  const render = (/** @type {string} */ url) => speak(alone, [], { GLASSHOUSE_API_KEY: 'unused' }, [...HANDSHAKE, toolCall('render_page', { url })]);
  const page = await render('http://stranger.test/cups');
  assert.match(page.lines[1].result.structuredContent.untrusted.html, /<h1>Pots \/cups<\/h1>/);
  assert.deepEqual([page.status, page.errors], [0, []]);
  const guarded = await prepare({ name: 'alone', folder: alone.folder, settings: { ...settings, 'network.allow_private': [] } });
  const refused = await speak(guarded, [], {}, [...HANDSHAKE, toolCall('render_page', { url: 'http://127.0.0.1:1/' })]);
  assert.equal(refused.lines[1].result.isError, true);
});
await step('a service that is gone, and a key that is refused', async () => {
  const gone = await speak(prepared, ['--url', `http://127.0.0.1:${await freePort()}`], { GLASSHOUSE_API_KEY: forStdio }, HANDSHAKE);
  assert.deepEqual([gone.status, gone.lines, gone.errors.length], [1, [], 1]);
  const refused = await speak(prepared, ['--url', service.address], { GLASSHOUSE_API_KEY: 'gh_live_nobody' }, HANDSHAKE);
  assert.deepEqual([refused.status, refused.lines, refused.errors.length], [1, [], 1]);
  const keyless = await speak(prepared, ['--url', service.address], {}, HANDSHAKE);
  assert.deepEqual([keyless.status, keyless.errors.length], [2, 1]);
});
await step('conformance suite', async () => {
  await startProxy(service, forTypescript, proxyPort);
  for (const scenario of SCENARIOS) {
    const args = ['server', '--url', `http://localhost:${proxyPort}/api/mcp`, '--scenario', scenario];
    const program = execFile(`${import.meta.dirname}/node_modules/.bin/conformance`, args, { cwd: folderFor('conformance') }, () => {});
    let text = '';
    for (const stream of [program.stdout, program.stderr]) stream?.on('data', (/** @type {string} */ part) => { text += part; });
    const [status] = await once(program, 'close');
    assert.equal(status, 0, `${scenario}: ${text}`);
  }
});
await step('a thousand calls leave no session and no memory', async () => {
  await callOften(service, await createKey(prepared, 'owner@stdio.test'), 500);
  const before = memory(service.pid);
  await callOften(service, await createKey(prepared, 'owner@stdio.test'), 500);
  await callOften(service, await createKey(prepared, 'owner@stdio.test'), 500);
  const grown = memory(service.pid) - before;
  assert.ok(grown < SLACK_KIB, `${grown} KiB more`);
});

await endAll();
for (const problem of problems) process.stdout.write(`FAILED: ${problem}\n`);
if (problems.length > 0) process.stdout.write(`logs: ${keepScratch()}\n`);
process.exit(problems.length > 0 ? 1 : 0);
