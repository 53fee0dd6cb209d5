// Visits of crawlers for journeys: a log that is imported as an operator imports one, and visits that come now, by the render API.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { expect, type APIRequestContext } from '@playwright/test';
import { listen } from '../../lib/ports.mjs';
import { runCommand, type ServiceInfo } from './service.ts';

/** User agents of crawlers, and an address of each that its company publishes; none: the company publishes none. */
const CRAWLERS = {
  googlebot: { agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', ip: null },
  bingbot: { agent: 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', ip: null },
  gptbot: {
    agent: 'Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    ip: '52.230.152.7',
  },
  claudebot: { agent: 'Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)', ip: null },
  perplexitybot: {
    agent: 'Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)',
    ip: null,
  },
  ahrefsbot: { agent: 'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)', ip: null },
  oaisearchbot: {
    agent: 'Mozilla/5.0 AppleWebKit/537.36 (compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)',
    ip: null,
  },
  chatgptuser: {
    agent: 'Mozilla/5.0 AppleWebKit/537.36 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)',
    ip: null,
  },
  applebot: { agent: 'Mozilla/5.0 (compatible; Applebot/0.1; +http://www.apple.com/go/applebot)', ip: null },
  metaexternal: {
    agent: 'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)',
    ip: null,
  },
} as const;
export type CrawlerName = keyof typeof CRAWLERS;

/** An address that is no crawler's. */
const STRANGER = '8.8.8.8';

/** Visits of one crawler to one page on one day. */
export interface Visits {
  /** Days before today. */
  daysAgo: number;
  crawler: CrawlerName;
  path: string;
  count?: number;
  servedBy?: 'cache' | 'render' | 'origin';
  status?: number;
  isSpoofed?: boolean;
}

/** Returns the user agent of a crawler. */
export function agentOf(crawler: CrawlerName): string {
  return CRAWLERS[crawler].agent;
}

/** Gives the installation a list of addresses of today: an impostor can be told only by a list that is complete. */
function publishAddresses(service: ServiceInfo): void {
  const updated = new Date().toISOString().slice(0, 10);
  const networks = ['52.230.152.0/24'];
  const feeds = { 'https://openai.com/gptbot.json': { updated, networks } };
  fs.writeFileSync(path.join(service.folder, 'crawler-ranges.json'), JSON.stringify({ feeds }));
}

/** Imports visits of past days and of today. */
export async function importVisits(service: ServiceInfo, domain: string, visits: readonly Visits[]): Promise<void> {
  publishAddresses(service);
  const now = Date.now();
  const lines = visits.flatMap(
    ({ daysAgo, crawler, path: page, count = 1, servedBy = 'cache', status = 200, isSpoofed }) =>
      Array.from({ length: count }, () =>
        JSON.stringify({
          ts: new Date(now - daysAgo * 86_400_000).toISOString(),
          path: page,
          userAgent: CRAWLERS[crawler].agent,
          servedBy,
          status,
          durationMs: servedBy === 'cache' ? 2 : 900,
          ip: isSpoofed ? STRANGER : (CRAWLERS[crawler].ip ?? undefined),
        }),
      ),
  );
  await importLog(service, domain, lines);
}

/** Imports one visit of Googlebot to each of many pages: `/page/00001` and on. */
export async function importPages(service: ServiceInfo, domain: string, pages: number): Promise<void> {
  const ts = new Date().toISOString();
  const visit = { ts, userAgent: CRAWLERS.googlebot.agent, servedBy: 'cache', status: 200, durationMs: 2 };
  const lines = Array.from({ length: pages }, (_, index) =>
    JSON.stringify({ ...visit, path: `/page/${String(index + 1).padStart(5, '0')}` }),
  );
  // In parts: an import holds the one writer of SQLite, which other journeys wait for.
  for (let from = 0; from < pages; from += 5000) await importLog(service, domain, lines.slice(from, from + 5000));
}

async function importLog(service: ServiceInfo, domain: string, lines: readonly string[]): Promise<void> {
  const file = path.join(service.folder, `${randomBytes(6).toString('hex')}.ndjson`);
  fs.writeFileSync(file, `${lines.join('\n')}\n`);
  await runCommand(service, 'analytics', 'import', '--domain', domain, '--format', 'ndjson', file);
  fs.rmSync(file);
}

/** Starts an origin on loopback that answers with a robots.txt and nothing else, and adds a domain that it serves. */
export async function addSiteWithRobots(
  service: ServiceInfo,
  { domain, email, robots }: { domain: string; email: string; robots: string },
): Promise<http.Server> {
  const server = http.createServer((request, response) => {
    response.writeHead(request.url === '/robots.txt' ? 200 : 404, { 'content-type': 'text/plain' });
    response.end(request.url === '/robots.txt' ? robots : '');
  });
  const { host } = await listen(server);
  const site = [domain, '--account', email, '--status', 'connected', '--origin', host];
  await runCommand(service, 'domain', 'add', ...site);
  return server;
}

/** Has a crawler visit a page now: the render API leaves the page to the site, which is a visit like any other. */
export async function visitNow(
  request: APIRequestContext,
  { key, domain, path: page, crawler }: { key: string; domain: string; path: string; crawler: CrawlerName },
): Promise<void> {
  const answer = await request.get(`/api/prerender/render?url=${encodeURIComponent(`https://${domain}${page}`)}`, {
    headers: { 'x-service-api-key': key, 'user-agent': CRAWLERS[crawler].agent, cookie: '' },
    maxRedirects: 0,
  });
  expect(answer.status()).toBe(304);
}

/** Leaves pages below `/live` to the site, and makes a key of the account for the render API. */
export async function prepareLive(request: APIRequestContext, domain: string): Promise<string> {
  const { csrfToken } = (await (await request.get('/api/session')).json()) as { csrfToken: string };
  const headers = { 'x-csrf-token': csrfToken };
  const changed = await request.patch(`/api/dashboard/domains/${domain}/settings`, {
    headers,
    data: { ignorePaths: '/live/**' },
  });
  expect(changed.status()).toBe(200);
  const made = await request.post('/api/keys', { headers, data: { name: 'Live', domain: null } });
  expect(made.status()).toBe(201);
  return ((await made.json()) as { key: string }).key;
}

/** 60 days of visits like those of a small shop: growing, with a day of errors, a new page and an impostor. */
export function shopVisits(): Visits[] {
  const found: Visits[] = [];
  for (let daysAgo = 0; daysAgo < 60; daysAgo += 1) {
    const level = 1 + Math.round((60 - daysAgo) / 20);
    for (const [crawler, weight] of [
      ['googlebot', 4],
      ['gptbot', 3],
      ['claudebot', 2],
      ['perplexitybot', 2],
      ['bingbot', 1],
      ['ahrefsbot', 1],
    ] as const) {
      const pages = ['/', '/pricing', '/blog/markdown-vs-rich-text', `/docs/${(daysAgo * 7) % 23}`];
      for (const [index, page] of pages.entries()) {
        found.push({
          daysAgo,
          crawler,
          path: page,
          count: Math.max(1, Math.round((weight * level) / (index + 1)) - (daysAgo % 3)),
          servedBy: (daysAgo + index) % 9 === 0 ? 'render' : (daysAgo + index) % 13 === 0 ? 'origin' : 'cache',
        });
      }
    }
  }
  found.push({ daysAgo: 2, crawler: 'googlebot', path: '/old-offer', count: 7, status: 404 });
  found.push({ daysAgo: 1, crawler: 'gptbot', path: '/api/broken', count: 3, status: 503, servedBy: 'origin' });
  found.push({ daysAgo: 1, crawler: 'claudebot', path: '/brand-new', count: 2 });
  found.push({ daysAgo: 3, crawler: 'gptbot', path: '/pricing', count: 11, isSpoofed: true });
  return found;
}
