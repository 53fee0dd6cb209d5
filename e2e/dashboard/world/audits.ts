// A site for audits, on loopback, which changes between two of them; and the audits themselves, started by the API.
import http from 'node:http';
import { listen } from '../../lib/ports.mjs';
import { keyApi } from '../../lib/service.mjs';
import { createAccount, newDomain, runningService, type Account } from './accounts.ts';
import { setDns } from './dns.ts';
import { runCommand } from './service.ts';

const TEXT = 'Glazes change with heat and time, and each pot keeps a record of the firing that it went through. ';
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A site and how it is changed. */
export interface AuditedSite {
  domain: string;
  account: Account;
  /** API key of the account. */
  key: string;
  /** Has the site answer as it does after its owner worked on it: a new title, a new page, a page that is gone. */
  change(): void;
  /** Pause before each answer, in milliseconds. */
  slowDown(ms: number): void;
  close(): void;
}

interface Answer {
  status: number;
  type: string;
  body: string | Buffer;
  location?: string;
}

const html = (body: string, status = 200): Answer => ({ status, type: 'text/html', body });

function documentOf(head: string, body: string): Answer {
  return html(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}</head><body>${body}</body></html>`,
  );
}

const MENU = '<nav><a href="/">Home</a> <a href="/pots/1">First pot</a> <a href="/about">About</a></nav>';

/** Pages of the site, before its owner works on it and after. */
function answerTo(path: string, { root, files }: { root: string; files: string }, isChanged: boolean): Answer {
  const pot = /^\/pots\/([1-3])$/.exec(path)?.[1];
  if (path === '/robots.txt') {
    const body = `User-agent: *\nDisallow: /private/\nDisalow: /typo\n\nUser-agent: ClaudeBot\nDisallow: /\n\nSitemap: ${root}/sitemap.xml\n`;
    return { status: 200, type: 'text/plain', body };
  }
  if (path === '/sitemap.xml') {
    const pages = ['/', '/pots/1', '/gone'].map(
      (page) => `<url><loc>${root}${page}</loc><lastmod>2020-01-01</lastmod></url>`,
    );
    const body = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${pages.join('')}</urlset>`;
    return { status: 200, type: 'application/xml', body };
  }
  if (path === '/share.png') return { status: 200, type: 'image/png', body: Buffer.from(PICTURE, 'base64') };
  if (path === '/old') return { ...html('', 301), location: '/pots/1' };
  if (path === '/') {
    const more = isChanged ? '<a href="/new">New</a>' : '<a href="/pots/3">Third pot</a>';
    const tags = `<meta property="og:title" content="Kiln and clay, shared"><meta property="og:image" content="${files}/share.png">`;
    return documentOf(
      `<title>Kiln and clay, pots by hand from the north</title><meta name="description" content="Hand made pots, bowls and cups, fired twice in a wood kiln and sent in straw, all year."><link rel="canonical" href="${root}/">${tags}`,
      `${MENU}<main><h1>Kiln and clay</h1><p>${TEXT.repeat(12)}</p><a href="/pots/2">Second pot</a> <a href="/broken">Broken</a> <a href="/old">Old</a> <a href="/app">App</a> ${more}</main>`,
    );
  }
  if (pot !== undefined) {
    return documentOf(
      `<title>Pot ${pot}, glazed by hand in the old kiln</title><link rel="canonical" href="${root}${path}">`,
      `${MENU}<main><h1>Pot ${pot}</h1><p>${`${pot} ${TEXT}`.repeat(5 + Number(pot))}</p><img src="/share.png"></main>`,
    );
  }
  if (path === '/about' || (path === '/new' && isChanged)) {
    return documentOf(
      `<title>${isChanged ? 'About the kiln' : 'About'}</title>`,
      `${MENU}<h1>About</h1><p>${TEXT.repeat(4)}</p>`,
    );
  }
  if (path === '/app') {
    const script = `document.title='The app of kiln and clay';const tag=document.createElement('meta');tag.setAttribute('property','og:title');tag.content='App, shared';document.head.append(tag);document.getElementById('root').innerHTML='<h1>App</h1><p>'+${JSON.stringify(TEXT)}.repeat(20)+'</p><a href="/pots/2">Second pot</a>'`;
    return documentOf('', `<div id="root"></div><script>${script}</script>`);
  }
  return html('<!doctype html><title>Not found</title><h1>Not found</h1>', 404);
}

/** Starts the site and makes an account whose domain it is. GPTBot is refused by its server. */
export async function startAuditedSite(): Promise<AuditedSite> {
  const domain = newDomain('kiln');
  let [isChanged, pauseMs] = [false, 0];
  const server = http.createServer((request, response) => {
    const isRefused = /GPTBot/.test(request.headers['user-agent'] ?? '');
    const path = new URL(request.url ?? '/', 'http://site').pathname;
    const at = { root: `https://${domain}`, files: `http://${domain}:${String(request.socket.localPort)}` };
    const answer = isRefused ? html('', 403) : answerTo(path, at, isChanged);
    setTimeout(() => {
      const location = answer.location === undefined ? {} : { location: answer.location };
      response.writeHead(answer.status, { 'content-type': answer.type, ...location });
      response.end(answer.body);
    }, pauseMs);
  });
  const { host } = await listen(server);
  // The picture of shared links is on the server itself: nothing answers at the port of https.
  setDns(domain, 'A 127.0.0.1');
  const [service, account] = [runningService(), await createAccount()];
  const owner = ['--account', account.email];
  await runCommand(service, 'domain', 'add', domain, ...owner, '--status', 'connected', '--origin', host);
  const key = await runCommand(service, 'key', 'create', ...owner);
  return {
    domain,
    account,
    key,
    change: () => (isChanged = true),
    slowDown: (ms) => (pauseMs = ms),
    close: () => void server.close(),
  };
}

/** Asks the API for something of audits. */
export async function askAudits<T>(site: AuditedSite, path: string, body?: unknown): Promise<T> {
  const api = keyApi(runningService(), site.key);
  return (await api(body === undefined ? 'GET' : 'POST', `/api/seo-spider/${path}`, body)) as T;
}

/** Audits the site and returns the id of the run when it has ended. */
export async function audit(site: AuditedSite): Promise<string> {
  const urls = [`https://${site.domain}/`];
  const { runId } = await askAudits<{ runId: string }>(site, 'runs', { domain: site.domain, urls, mode: 'follow' });
  const until = Date.now() + 60_000;
  for (;;) {
    const { run } = await askAudits<{ run: { completedAt: number | null } }>(site, `runs/${runId}?limit=1&fields=path`);
    if (run.completedAt !== null) return runId;
    if (Date.now() > until) throw new Error('the audit did not end');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
