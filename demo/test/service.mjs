// A Glasshouse with the demo shop and the stand-in for assistants, for the test of the first start, with the settings with which
// scripts/run.sh starts them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { answers, freePort } from '../../e2e/lib/ports.mjs';
import { endAll, folderFor, start } from '../../e2e/lib/programs.mjs';
import { createAccount, createKey, keyApi, prepare, runCommand, startService } from '../../e2e/lib/service.mjs';
import { serveAssistants } from '../assistants.mjs';
import { ASSISTANTS } from '../made/answers.mjs';

const demo = resolve(import.meta.dirname, '..');
export const DOMAIN = 'demo.glasshouse.test';
const OWNER = 'owner@glasshouse.test';

/** An installation in a folder of its own. `start` and `stop` may be called again: the data stay, the ports change. */
export class Installation {
  folder = folderFor('first-start');
  #assistants;
  #key;
  #service;

  /** `more`: further settings. */
  async start(more = {}) {
    const shop = await freePort();
    this.#assistants = await serveAssistants(0);
    const settings = { 'server.demo_domain': DOMAIN, 'network.hosts': { [DOMAIN]: `127.0.0.1:${shop}` } };
    for (const assistant of Object.keys(ASSISTANTS)) {
      const base_url = `http://127.0.0.1:${this.#assistants.address().port}/${assistant}/v1`;
      for (const [name, value] of Object.entries({ api_style: 'chat', base_url, demo: true, requests_per_minute: 600 })) settings[`providers.${assistant}.${name}`] = value;
    }
    this.#service = await prepare({ folder: this.folder, settings: { ...settings, ...more } });
    if (this.#key === undefined) {
      await createAccount(this.#service, { email: OWNER });
      this.#key = await createKey(this.#service, OWNER);
      await runCommand(this.#service, 'domain', 'add', DOMAIN, '--account', OWNER, '--sitemap', `https://${DOMAIN}/sitemap.xml`, '--status', 'connected');
    }
    await start('shop', process.execPath, [join(demo, 'server.mjs'), String(shop)], { ready: () => answers(`http://127.0.0.1:${shop}/robots.txt`) });
    await startService(this.#service);
  }

  async stop() {
    await endAll();
    this.#assistants?.closeAllConnections();
    this.#assistants?.close();
  }

  /** Starts demo/seed.mjs as make run does; the process, and what it printed once it has ended. */
  seed({ key = this.#key, folder = this.folder } = {}) {
    const { binary, address, env } = this.#service;
    const args = ['--binary', binary, '--address', address, '--domain', DOMAIN, '--folder', folder];
    const child = spawn(process.execPath, [join(demo, 'seed.mjs'), ...args], { env: { ...process.env, ...env, DEMO_KEY: key } });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
    const ended = once(child, 'close').then(([code]) => ({ code, printed }));
    return { child, ended, printed: () => printed };
  }

  /** Asks the API. */
  ask(path, method = 'GET', body = undefined) {
    return keyApi(this.#service, this.#key)(method, path, body);
  }

  /** How much there is of everything that a first start makes. */
  async counts() {
    const domain = `domain=${DOMAIN}`;
    const day = (daysAgo) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
    const [snapshots, batches, audits, crawlers, prompts, answers, policy] = await Promise.all([
      this.ask(`/api/prerender/snapshots?${domain}&limit=1`), this.ask(`/api/prerender/batches?${domain}`), this.ask(`/api/seo-spider/runs?${domain}`),
      this.ask(`/api/analytics/crawlers?${domain}&from=${day(60)}&to=${day(0)}`), this.ask(`/api/ai-mentions/prompts?${domain}`), this.ask(`/api/ai-mentions/runs?${domain}&limit=500`),
      this.ask(`/api/analytics/policy?${domain}&days=7`),
    ]);
    return {
      snapshots: snapshots.counts.fresh, refreshes: batches.batches.length, audits: audits.runs.length,
      visits: crawlers.crawlers.reduce((sum, crawler) => sum + crawler.visits + crawler.spoofed, 0),
      spoofed: crawlers.crawlers.reduce((sum, crawler) => sum + crawler.spoofed, 0),
      wouldBeRefused: policy.rows.reduce((sum, row) => sum + row.wouldBe, 0), refused: policy.rows.reduce((sum, row) => sum + row.enforced, 0),
      prompts: prompts.length, answers: answers.summary.byStatus.ok, madeUp: answers.runs.filter((run) => run.demo).length,
    };
  }
}
