// The made world: what an installation holds after two months, made by the services themselves under a set clock. Used for pictures
// and for Lighthouse; it stays in a folder, from which a service starts in seconds.
// See docs/decisions/0007.
import fs from 'node:fs';
import path from 'node:path';
import { freePort } from '../../lib/ports.mjs';
import { startFakeAi, type Settings } from '../../lib/service.mjs';
import { createAccount } from './accounts.ts';
import { keyApi, sessionApi, type Api } from './api.ts';
import { auditSite } from './audit-runs.ts';
import { makeClock, type SetClock } from './clock.ts';
import { setDns } from './dns.ts';
import { startDocsSite, type DocsSite } from './docs-site.ts';
import { sendPeople } from './edge.ts';
import {
  ACCOUNTS,
  ANSWER_DAYS,
  BRANDS,
  LOCKED,
  MAIN,
  OWNER,
  PENDING,
  PROFILE,
  PROMPTS,
  SETTINGS,
  VISIT_DAYS,
} from './plan.ts';
import { docsVisits, smallVisits } from './plan-visits.ts';
import { renderAgain, renderSite } from './snapshots.ts';
import { runCommand, startService, type Service, type ServiceInfo } from './service.ts';
import { importVisits } from './visits.ts';

/** What a world has that its pictures need: ids that the service chose. */
export interface Made {
  /** UTC day on which it was made: days of visits are counted back from it. */
  day: string;
  /** Audits, the oldest first; the last one has 5,000 pages. */
  runs: string[];
  /** End of the public link. */
  shareToken: string;
  /** Seconds that it took. */
  seconds: number;
}

/** Everything that runs while a world is made. */
interface Making {
  clock: SetClock;
  service: Service;
  site: DocsSite;
  edge: string;
  key: Api;
}

/** Pages whose server fails in the last days. */
const FAILING = ['/docs/18', '/docs/211', '/docs/640'];

/** Options of the stand-ins: brands that their answers name. */
export const BRAND_ARGS = BRANDS.flatMap((brand) => ['--brand', brand]);

const begun = Date.now();
const say = (text: string) => console.log(`${Math.round((Date.now() - begun) / 1000)} s: ${text}`);

/** Addresses that the service of a world is told. */
export interface Around {
  /** Host and port of the site. */
  site: string;
  /** Where the edge listens. */
  edge: string;
  /** Address of the stand-ins of assistants. */
  assistants: string;
}

/** Settings of the service of a world, beyond those of the journeys. */
export function worldSettings({ site, edge, assistants }: Around): Settings {
  const hosts = ACCOUNTS.flatMap(({ domains }) => domains).map((domain) => [domain, site]);
  const providers = ['chatgpt', 'perplexity', 'gemini', 'claude', 'google_ai_overview'];
  return {
    'network.hosts': Object.fromEntries(hosts),
    'edge.http_listen': edge,
    // Not the address of the site: requests that the edge would send to itself are refused.
    'edge.public_ipv4': '127.0.0.9',
    // Here Gemini answers by its own API, and Claude has a key.
    'providers.gemini.api_style': 'native',
    'providers.gemini.base_url': `${assistants}/gemini/v1beta`,
    'providers.gemini.model': 'gemini-3.8-flash',
    'providers.gemini.api_key': 'key-of-the-world',
    'providers.claude.base_url': `${assistants}/anthropic/v1`,
    'providers.claude.api_key': 'key-of-the-world',
    'mentions.budget_usd_per_month': 200,
    // The stand-ins bear what their vendors would not.
    ...Object.fromEntries(providers.map((provider) => [`providers.${provider}.requests_per_minute`, 6000])),
  };
}

async function addAccounts(service: ServiceInfo): Promise<void> {
  for (const { plan, account, domains } of ACCOUNTS) {
    await createAccount({ plan, account, domains });
  }
  await runCommand(service, 'domain', 'add', PENDING, '--account', OWNER.email);
  await runCommand(service, 'domain', 'suspend', LOCKED);
  setDns(PENDING, 'A 127.0.0.2');
  for (const name of [MAIN, 'notelab.test']) setDns(name, 'A 127.0.0.9');
}

async function setUp({ key }: Making): Promise<void> {
  const saved = await key.send<{ invalidFields?: string[] }>('PATCH', `/api/domains/${MAIN}/settings`, SETTINGS);
  const bad = saved.invalidFields ?? [];
  if (bad.length > 0) throw new Error(`not saved: ${bad.join(' ')}`);
  await key.send('PATCH', `/api/domains/${MAIN}/auditing`, {
    requestsPerSecond: 100,
    maxPages: 6_000,
    disabledChecks: ['SNAPSHOT_MISSING'],
  });
  await key.send('PATCH', `/api/domains/${MAIN}/sitemap`, { sitemapUrl: `https://${MAIN}/sitemap.xml` });
  const refreshRules = [{ pattern: '/blog/**', intervalSeconds: 86_400 }];
  await key.send('PATCH', `/api/domains/${MAIN}/rendering`, { refreshIntervalSeconds: 14 * 86_400, refreshRules });
  await key.send('PUT', `/api/domains/${MAIN}/brand`, PROFILE);
  await key.send('PATCH', `/api/domains/${MAIN}/monitoring`, { budgetUsdPerMonth: 60 });
}

/**
 * Waits until no question is under way. Some wait for a minute of this hour: `passTime` is called meanwhile, with minutes; without
 * it they stay queued.
 */
async function untilAnswered(key: Api, passTime?: (minutes: number) => void): Promise<number> {
  type Runs = { summary: { byStatus: Record<string, number> } };
  for (let tries = 1, answered = 0, since = 1; ; tries += 1) {
    const { summary } = await key.get<Runs>('/api/ai-mentions/runs', { domain: MAIN, limit: 1 });
    const of = (status: string) => summary.byStatus[status] ?? 0;
    if (of('ok') !== answered) [answered, since] = [of('ok'), tries];
    const underWay = of('running') + of('answered');
    const waitsForNobody = of('queued') === 0 || (passTime === undefined && tries - since > 50);
    if (underWay === 0 && waitsForNobody) return answered;
    if (tries > 900) throw new Error(`answers did not come: ${JSON.stringify(summary)}`);
    if (tries % 20 === 0) passTime?.(Math.min(tries / 20, 59));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Asks every prompt again. */
async function askAll(key: Api): Promise<void> {
  const prompts = await key.get<{ id: string }[]>('/api/ai-mentions/prompts', { domain: MAIN });
  for (const { id } of prompts) await key.send('POST', `/api/ai-mentions/prompts/${id}/run`, {});
}

/** One day of people whom assistants sent. */
async function welcomePeople({ clock, edge }: Making, daysAgo: number): Promise<void> {
  clock.setTo(daysAgo, 9);
  const pages = ['/pricing', '/', '/blog/comparison', `/docs/${daysAgo}`, '/features', '/pricing'];
  const least = daysAgo > ANSWER_DAYS ? 1 : 2;
  await sendPeople(edge, MAIN, pages.slice(0, least + ((daysAgo * 7) % 5)));
}

/** One day of questions and of people. Returns how many answers there are. */
async function live(making: Making, daysAgo: number): Promise<number> {
  const { key } = making;
  await welcomePeople(making, daysAgo);
  if (daysAgo === ANSWER_DAYS) {
    await key.send('POST', '/api/ai-mentions/prompts/import', { domain: MAIN, prompts: PROMPTS });
  } else {
    await askAll(key);
  }
  return untilAnswered(key, (minutes) => making.clock.setTo(daysAgo, 9, minutes));
}

/** The month before today, day by day. */
async function liveAMonth(making: Making): Promise<string[]> {
  const runs: string[] = [];
  const { site, key } = making;
  const audit = async () => {
    const run = await auditSite(key, MAIN);
    runs.push(run.id);
    say(`audit ${runs.length}: ${run.pages} pages, health ${run.health}`);
  };
  for (let daysAgo = VISIT_DAYS - 1; daysAgo > ANSWER_DAYS; daysAgo -= 1) await welcomePeople(making, daysAgo);
  for (let daysAgo = ANSWER_DAYS; daysAgo > 0; daysAgo -= 1) {
    const answers = await live(making, daysAgo);
    if (daysAgo === 21) await audit();
    if (daysAgo === 12) site.setRelease(1);
    if (daysAgo === 10) await audit();
    if (daysAgo === 7) {
      site.setRelease(2);
      say(`${await renderSite(key, MAIN)} snapshots`);
    }
    if (daysAgo === 2) {
      await renderAgain(
        key,
        MAIN,
        Array.from({ length: 60 }, (_, number) => `/docs/${number * 4 + 1}`),
      );
      for (const path of FAILING) site.failing.add(path);
      await key.send('POST', '/api/prerender/cache/invalidate-paths-cache', { domain: MAIN, paths: FAILING });
    }
    if (daysAgo === 1) await audit();
    if (daysAgo % 5 === 0) say(`${daysAgo} days before today: ${answers} answers`);
  }
  return runs;
}

/** Makes a world in a folder that is empty or missing. */
export async function makeWorld(folder: string): Promise<Made> {
  fs.mkdirSync(folder, { recursive: true });
  const clock = makeClock(folder);
  const stand = await startFakeAi({ args: BRAND_ARGS, env: clock.env });
  const site = await startDocsSite(MAIN);
  const edge = `127.0.0.1:${await freePort()}`;
  const extra = worldSettings({ site: site.host, edge, assistants: stand.address });
  try {
    clock.setTo(VISIT_DAYS + 1, 8);
    say('the service starts, two months ago');
    const past = await startService({ assistants: stand.address, folder, extra, env: clock.env });
    process.env.DASHBOARD_SERVICE = JSON.stringify(past);
    let runs: string[];
    try {
      await addAccounts(past);
      const key = keyApi(past, await runCommand(past, 'key', 'create', '--account', OWNER.email, '--name', 'Next.js'));
      const making = { clock, service: past, site, edge, key };
      await setUp(making);
      runs = await liveAMonth(making);
    } finally {
      await past.stop();
    }
    const today = await startService({ assistants: stand.address, folder, extra });
    process.env.DASHBOARD_SERVICE = JSON.stringify(today);
    try {
      say('visits of two months are imported');
      await importVisits(today, MAIN, docsVisits(VISIT_DAYS));
      await importVisits(today, 'notelab.test', smallVisits(VISIT_DAYS));
      await importVisits(today, 'harbour.test', smallVisits(VISIT_DAYS));
      const owner = await sessionApi(today, OWNER);
      await askAll(owner);
      say(`${await untilAnswered(owner)} answers in all`);
      const { token } = await owner.send<{ token: string }>('POST', `/api/domains/${MAIN}/stats-token`, {});
      const made = {
        day: new Date().toISOString().slice(0, 10),
        runs,
        shareToken: token,
        seconds: Math.round((Date.now() - begun) / 1000),
      };
      fs.writeFileSync(path.join(folder, 'world.json'), JSON.stringify(made, null, 2));
      say('the world is made');
      return made;
    } finally {
      await today.stop();
    }
  } finally {
    await stand.stop();
    await site.close();
  }
}
