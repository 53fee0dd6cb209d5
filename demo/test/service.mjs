// A Glasshouse with the demo shop and the stand-in for assistants, for the test of the first start: a fresh data folder, free ports of loopback,
// and the settings with which scripts/run.sh starts them. Ends what it started, by its process.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { serveAssistants } from '../assistants.mjs';
import { ASSISTANTS } from '../made/answers.mjs';

const demo = resolve(import.meta.dirname, '..');
export const DOMAIN = 'demo.glasshouse.test';
export const binary = resolve(process.env.GLASSHOUSE ?? join(demo, '../target/debug/glasshouse'));
const OWNER = 'owner@glasshouse.test';

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

async function isUp(address) {
  return fetch(address).then((answer) => answer.ok, () => false);
}

async function waitUntilUp(address, child, log) {
  const until = Date.now() + 60_000;
  while (!(await isUp(address))) {
    if (Date.now() > until || child.exitCode !== null) throw new Error(`${address} does not answer:\n${readFileSync(log, 'utf8').slice(-2000)}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** An installation in a folder of its own. `start` and `stop` may be called again: the data stay, the ports change. */
export class Installation {
  folder = mkdtempSync(join(tmpdir(), 'glasshouse-first-start-'));
  #children = [];
  #assistants;

  /** `more`: further settings. */
  async start(more = {}) {
    const [port, shop] = [await freePort(), await freePort()];
    this.#assistants = await serveAssistants(0);
    this.address = `http://127.0.0.1:${port}`;
    this.env = {
      ...process.env,
      GLASSHOUSE_STORAGE__DATA_DIR: this.folder, GLASSHOUSE_SERVER__LISTEN: `127.0.0.1:${port}`, GLASSHOUSE_SERVER__DEMO_DOMAIN: DOMAIN,
      GLASSHOUSE_EDGE__HTTP_LISTEN: '', GLASSHOUSE_TELEMETRY__METRICS_LISTEN: '',
      GLASSHOUSE_NETWORK__HOSTS: JSON.stringify({ [DOMAIN]: `127.0.0.1:${shop}` }), GLASSHOUSE_NETWORK__ALLOW_PRIVATE: '["127.0.0.0/8"]',
    };
    for (const assistant of Object.keys(ASSISTANTS)) {
      const section = `GLASSHOUSE_PROVIDERS__${assistant.toUpperCase()}`;
      const base = `http://127.0.0.1:${this.#assistants.address().port}/${assistant}/v1`;
      Object.assign(this.env, { [`${section}__API_STYLE`]: 'chat', [`${section}__BASE_URL`]: base, [`${section}__DEMO`]: 'true', [`${section}__REQUESTS_PER_MINUTE`]: '600' });
    }
    Object.assign(this.env, more);
    if (this.key === undefined) {
      await this.run('account', 'create', '--email', OWNER, '--password', 'a password of twelve', '--plan', 'enterprise');
      this.key = (await this.run('key', 'create', '--account', OWNER)).trim();
      await this.run('domain', 'add', DOMAIN, '--account', OWNER, '--sitemap', `https://${DOMAIN}/sitemap.xml`, '--status', 'connected');
    }
    await this.#spawn(process.execPath, [join(demo, 'server.mjs'), String(shop)], `http://127.0.0.1:${shop}/robots.txt`);
    await this.#spawn(binary, ['serve'], `${this.address}/readyz`);
  }

  async #spawn(program, args, address) {
    const log = join(this.folder, 'test.log');
    const out = openSync(log, 'a');
    const child = spawn(program, args, { env: this.env, stdio: ['ignore', out, out] });
    this.#children.push(child);
    await waitUntilUp(address, child, log);
  }

  async stop() {
    for (const child of this.#children.splice(0)) {
      if (child.exitCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    this.#assistants?.closeAllConnections();
    this.#assistants?.close();
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }

  async run(...args) {
    const { stdout } = await promisify(execFile)(binary, args, { env: this.env });
    return stdout;
  }

  /** Starts demo/seed.mjs as make run does; the process, and what it printed once it has ended. */
  seed({ key = this.key, folder = this.folder } = {}) {
    const args = ['--binary', binary, '--address', this.address, '--domain', DOMAIN, '--folder', folder];
    const child = spawn(process.execPath, [join(demo, 'seed.mjs'), ...args], { env: { ...this.env, DEMO_KEY: key } });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
    const ended = once(child, 'close').then(([code]) => ({ code, printed }));
    return { child, ended, printed: () => printed };
  }

  async ask(path, init = {}) {
    const answer = await fetch(this.address + path, { ...init, headers: { 'x-service-api-key': this.key, 'content-type': 'application/json' } });
    return answer.json();
  }

  /** How much there is of everything that a first start makes. */
  async counts() {
    const domain = `domain=${DOMAIN}`;
    const day = (daysAgo) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
    const [snapshots, batches, audits, crawlers, prompts, answers] = await Promise.all([
      this.ask(`/api/prerender/snapshots?${domain}&limit=1`), this.ask(`/api/prerender/batches?${domain}`), this.ask(`/api/seo-spider/runs?${domain}`),
      this.ask(`/api/analytics/crawlers?${domain}&from=${day(60)}&to=${day(0)}`), this.ask(`/api/ai-mentions/prompts?${domain}`), this.ask(`/api/ai-mentions/runs?${domain}&limit=500`),
    ]);
    return {
      snapshots: snapshots.counts.fresh, refreshes: batches.batches.length, audits: audits.runs.length,
      visits: crawlers.crawlers.reduce((sum, crawler) => sum + crawler.visits + crawler.spoofed, 0),
      spoofed: crawlers.crawlers.reduce((sum, crawler) => sum + crawler.spoofed, 0),
      prompts: prompts.length, answers: answers.summary.byStatus.ok, madeUp: answers.runs.filter((run) => run.demo).length,
    };
  }
}
