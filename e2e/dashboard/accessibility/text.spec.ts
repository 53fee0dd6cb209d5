// Texts of twice the size: every screen of a domain with data shows them whole, and so does every screen that has nothing
// to show yet, on a wide window and on a phone.
import { request as requests, type Page } from '@playwright/test';
import { expect, signIn, test } from '../fixtures.ts';
import { addDomains, newDomain, runningService } from '../world/accounts.ts';
import { askPrompts, send, untilReported } from '../world/assistants.ts';
import { askAudits, audit, startAuditedSite, type AuditedSite } from '../world/audits.ts';
import { unreadable } from './clipped.ts';
import { settle } from './violations.ts';

test.describe.configure({ mode: 'default' });

let site: AuditedSite;
let paths: string[];

test.beforeAll(async () => {
  test.setTimeout(180_000);
  site = await startAuditedSite();
  const { domain } = site;
  const [first, second] = [await audit(site), await audit(site)];
  const { issueBreakdown, pages } = await askAudits<{
    issueBreakdown: Record<string, number>;
    pages: { id: string }[];
  }>(site, `runs/${second}?limit=1`);
  const api = await requests.newContext({ baseURL: runningService().address });
  expect((await api.post('/api/session', { data: site.account })).status()).toBe(204);
  const read = async <T>(where: string) => (await (await api.get(where, { params: { domain } })).json()) as T;
  const text = 'What is the best documentation tool for startups that have grown out of their own wiki?';
  await askPrompts(api, domain, [{ promptText: text, tags: 'documentation-tools,comparison' }]);
  const report = await untilReported(api, domain);
  const [prompt] = await read<{ id: string }[]>('/api/ai-mentions/prompts');
  const { runs } = await read<{ runs: { id: string }[] }>('/api/ai-mentions/runs');
  const { body } = await send(api, 'POST', `/api/domains/${domain}/stats-token`, {});
  await api.dispose();
  const run = `/audits/${second}`;
  const tabs = [
    'general',
    'redirects',
    'crawler-policy',
    'headers',
    'ignored',
    'sitemap',
    'root-files',
    'indexnow',
    'rendering',
    'audits',
    'brand',
    'install',
    'remove',
  ];
  paths = [
    ...['', '/setup', '/rendering', '/rendering/page?path=/', '/audits', run],
    ...['issues', `issues/${Object.keys(issueBreakdown)[0]}`, 'pages', `pages/${pages[0]?.id}`].map(
      (at) => `${run}/${at}`,
    ),
    ...['links', 'links?view=graph', 'robots', 'ai-access', `compare?with=${first}`].map((at) => `${run}/${at}`),
    ...['', '/prompts', `/prompts/${prompt?.id}`, '/answers', `/answers/${runs[0]?.id}`].map((at) => `/mentions${at}`),
    ...['/sources', '/competitors', '/reports', `/reports/${report}`].map((at) => `/mentions${at}`),
    ...['', '/pages', '/errors', '/people', '/live', '/spoofed'].map((at) => `/crawlers${at}`),
    ...tabs.map((tab) => `/settings/${tab}`),
  ].map((path) => `/d/${domain}${path}`);
  const empty = newDomain('empty');
  await addDomains(site.account, [empty]);
  const sections = ['', '/setup', '/rendering', '/audits', '/mentions', '/mentions/prompts', '/mentions/answers'];
  sections.push('/mentions/sources', '/mentions/competitors', '/mentions/reports');
  sections.push(...['', '/pages', '/errors', '/people', '/live', '/spoofed'].map((at) => `/crawlers${at}`));
  paths.push(...[...sections, ...tabs.map((tab) => `/settings/${tab}`)].map((path) => `/d/${empty}${path}`));
  paths.push(
    '/domains',
    '/domains/new',
    '/first-run',
    '/account/profile',
    '/account/security',
    '/account/people',
    '/account/keys',
    '/account/webhooks',
    '/account/usage',
    '/nowhere',
  );
  paths.push(`/share/${domain}#${(body as { token: string }).token}`);
});

test.afterAll(() => site.close());

/** Opens every screen with texts of twice the size and returns what is cut, covered or scrolls, by path. */
async function lookAtAll(page: Page): Promise<Record<string, string[]>> {
  await page.addInitScript(() =>
    document.addEventListener('DOMContentLoaded', () =>
      document.documentElement.style.setProperty('font-size', '200%'),
    ),
  );
  const found: Record<string, string[]> = {};
  const look = async (path: string) => {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByText(/^Loading /)).toHaveCount(0);
    await settle(page);
    const wrong = await unreadable(page);
    if (wrong.length > 0) found[path] = wrong;
  };
  await look('/sign-in');
  await signIn(page.context(), site.account);
  for (const path of paths) await look(path);
  return found;
}

test('texts of twice the size are shown whole on every screen of a wide window', async ({ page }) => {
  test.setTimeout(150_000);

  expect(await lookAtAll(page)).toEqual({});
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('texts of twice the size are shown whole on every screen of a phone', async ({ page }) => {
    test.setTimeout(150_000);

    expect(await lookAtAll(page)).toEqual({});
  });
});
