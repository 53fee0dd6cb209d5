// The crawlers of a domain: what the API says is what the pages show; sharing, and the public page.
import type { Server } from 'node:http';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { contrast, settle, violations } from '../accessibility/violations.ts';
import { expect, signIn, test } from '../fixtures.ts';
import { createAccount, newDomain, runningService, type Account } from '../world/accounts.ts';
import { addSiteWithRobots, importVisits, prepareLive, shopVisits, visitNow } from '../world/visits.ts';

// One account with 60 days of visits for all of them.
test.describe.configure({ mode: 'default' });

const domain = newDomain('crawled');
const count = (value: number) => value.toLocaleString('en-GB');
const ROBOTS = 'User-agent: *\nDisallow: /admin\n\nUser-agent: GPTBot\nDisallow: /pricing\n';
let account: Account;
let origin: Server;

test.beforeAll(async () => {
  account = await createAccount();
  origin = await addSiteWithRobots(runningService(), { domain, email: account.email, robots: ROBOTS });
  await importVisits(runningService(), domain, shopVisits());
});

test.afterAll(() => void origin.close());

async function open(page: Page, path: string): Promise<void> {
  await signIn(page.context(), account);
  await page.goto(`/d/${domain}/crawlers${path}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Crawlers' })).toBeVisible();
}

async function ask<T>(context: BrowserContext, path: string, query: Record<string, string> = {}): Promise<T> {
  const answer = await context.request.get(`/api/analytics/${path}`, { params: { domain, ...query } });
  expect(answer.status()).toBe(200);
  return (await answer.json()) as T;
}

/** First day of the last 30. */
const from = () => new Date(Date.now() - 29 * 86_400_000).toISOString().slice(0, 10);

interface Crawlers {
  crawlers: { name: string; visits: number; verified: number; spoofed: number; fromCache: number }[];
}

test('the overview says what the reports say', async ({ page, context }) => {
  await open(page, '');
  const { crawlers } = await ask<Crawlers>(context, 'crawlers', { from: from() });
  const { pages, total } = await ask<{ pages: { path: string; visits: number }[]; total: number }>(context, 'pages', {
    from: from(),
  });

  const visits = crawlers.reduce((sum, crawler) => sum + crawler.visits, 0);
  const main = page.getByRole('main');
  await expect(main).toContainText(`6 crawlers came ${count(visits)} times and read ${count(total)} pages in 30 days.`);
  const table = page.getByRole('table', { name: 'Crawlers', exact: true });
  for (const crawler of crawlers) {
    const row = table.getByRole('row', { name: new RegExp(crawler.name) });
    await expect(row).toContainText(count(crawler.visits));
    await expect(row).toContainText(`${Math.round((100 * crawler.fromCache) / crawler.visits)}%`);
  }
  const verified = crawlers.reduce((sum, crawler) => sum + crawler.verified, 0);
  const who = page.getByRole('region', { name: 'Are they who they say?' });
  await expect(who.getByRole('img')).toHaveAccessibleName(
    `${count(verified)} verified, ${count(visits - verified)} could not be checked, 11 spoofed.`,
  );
  const mostRead = page.getByRole('table', { name: 'Most read pages' });
  await expect(mostRead.getByRole('row').nth(1)).toContainText(`${pages[0]?.path}${count(pages[0]?.visits ?? 0)}`);
});

test('visits per day are split by provider, kind and answer; Back undoes it and a reload keeps it', async ({
  page,
}) => {
  await open(page, '');
  const panel = page.getByRole('region', { name: 'Visits per day' });
  const split = (name: string) => panel.getByRole('group', { name: 'Split by' }).getByRole('button', { name });
  await expect(panel.getByRole('button', { name: /^Google/ })).toBeVisible();

  await split('Answer').click();
  await expect(panel.getByRole('button', { name: /^From cache/ })).toBeVisible();
  await page.reload();
  await expect(split('Answer')).toHaveAttribute('aria-pressed', 'true');
  await panel.getByRole('button', { name: 'Show as table' }).click();
  await expect(panel.getByRole('columnheader', { name: 'Rendered' })).toBeVisible();
  await page.goBack();

  await expect(split('Provider')).toHaveAttribute('aria-pressed', 'true');
});

test('the window goes along to every page of the section', async ({ page, context }) => {
  await open(page, '');
  await page.getByRole('button', { name: 'Date range: Last 30 days' }).click();
  await page.getByRole('menuitem', { name: 'Last 7 days' }).click();
  const week = new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10);
  const { total } = await ask<{ total: number }>(context, 'pages', { from: week });
  await expect(page.getByRole('main')).toContainText('in 7 days.');

  await page
    .getByRole('navigation', { name: 'Crawlers' })
    .getByRole('link', { name: /^Pages/ })
    .click();

  await expect(page.getByRole('button', { name: 'Date range: Last 7 days' })).toBeVisible();
  await expect(page.getByRole('table', { name: 'Pages' })).toHaveAttribute('aria-rowcount', String(total + 1));
});

test('pages are searched, narrowed to a company or to new ones, and downloaded as they stand', async ({
  page,
  context,
}) => {
  await open(page, '/pages');
  const table = page.getByRole('table', { name: 'Pages' });
  await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'New' }).click();
  await expect(table.getByRole('link', { name: '/brand-new' })).toBeVisible();
  await expect(table.getByRole('link', { name: '/pricing' })).toHaveCount(0);

  await page.getByRole('searchbox', { name: 'Search pages' }).fill('brand');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByLabel('Provider').selectOption({ label: 'Anthropic' });
  await page.keyboard.press('Escape');
  await expect(table).toHaveAttribute('aria-rowcount', '2');
  const href = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
  const csv = await (await context.request.get(href ?? '')).text();
  expect(csv.trim().split('\n').slice(1)).toEqual([expect.stringMatching(/^"?\/brand-new"?,2,/)]);
  await page.getByRole('button', { name: 'Remove filter Provider: Anthropic' }).click();
  await expect(page).not.toHaveURL(/f\.provider/);

  await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'Never visited' }).click();
  await expect(page.getByText('No pages match “brand”')).toBeVisible();
});

test('failed pages, visits against robots.txt and spoofed crawlers are listed', async ({ page }) => {
  await open(page, '/errors');
  const failed = page.getByRole('table', { name: 'Pages that failed' });
  await expect(failed.getByRole('row', { name: /old-offer/ })).toContainText('404');
  await expect(failed.getByRole('row', { name: /api\/broken/ })).toContainText('OpenAI');
  const against = page.getByRole('table', { name: 'Against robots.txt' });
  await expect(against).toHaveAttribute('aria-rowcount', '2');
  await expect(against.getByRole('row', { name: /\/pricing.*GPTBot.*5/ })).toBeVisible();

  await page.getByRole('navigation', { name: 'Crawlers' }).getByRole('link', { name: 'Spoofed 11' }).click();

  const row = page.getByRole('table', { name: 'Spoofed crawlers' }).getByRole('row', { name: /GPTBot/ });
  await expect(row).toContainText('11');
  await expect(page.getByRole('region', { name: 'Spoofed visits per day' })).toBeVisible();
});

test('a page that failed gets a redirect where it is listed, which can be taken back', async ({ page, context }) => {
  const redirects = async () => {
    const answer = await context.request.get(`/api/dashboard/domains/${domain}`);
    return ((await answer.json()) as { redirectRules: { source: string; destination: string }[] }).redirectRules;
  };
  await open(page, '/errors');
  await page.getByRole('button', { name: 'Fix /old-offer' }).click();
  await page.getByRole('menuitem', { name: 'Add a redirect' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a redirect' });
  await expect(dialog.getByLabel('From')).toHaveValue('/old-offer');
  await dialog.getByRole('button', { name: 'Add redirect' }).click();
  await expect(dialog.getByLabel('To')).toBeFocused();
  await dialog.getByLabel('To').fill('/pricing');

  await dialog.getByRole('button', { name: 'Add redirect' }).click();

  const changed = page.getByRole('dialog', { name: 'What changed' });
  await expect(changed).toContainText('+ /old-offer → /pricing (301)');
  expect(await redirects()).toMatchObject([{ source: '/old-offer', destination: '/pricing' }]);
  await changed.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Taken back.')).toBeVisible();
  expect(await redirects()).toEqual([]);
});

test('a visit against robots.txt leads to the rule that ends it, and what was refused is listed', async ({
  page,
  context,
}) => {
  await open(page, '/errors');
  const key = await prepareLive(context.request, domain);
  await page.getByRole('button', { name: 'Block GPTBot at /pricing' }).click();
  await page.getByRole('dialog', { name: 'Block a crawler' }).getByRole('button', { name: 'Add rule' }).click();
  const changed = page.getByRole('dialog', { name: 'What changed' });
  await expect(changed).toContainText('+ Block GPTBot at /pricing');
  await expect(changed).toContainText('The policy only logs');
  await changed.getByRole('link', { name: 'See the settings' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Crawler policy' })).toBeVisible();
  await expect(page.getByLabel('Which one, rule 1')).toHaveValue('gptbot');
  await expect(page.getByLabel('Paths, rule 1')).toHaveValue('/pricing');
  await page.getByRole('radio', { name: 'Enforce' }).check();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Saved.' })).toBeVisible();

  const refused = await context.request.get(
    `/api/prerender/render?url=${encodeURIComponent(`https://${domain}/pricing`)}`,
    { headers: { 'x-service-api-key': key, 'user-agent': 'GPTBot/1.2', cookie: '' } },
  );
  expect([refused.status(), refused.headers()['x-service-policy']]).toEqual([403, 'block']);

  const table = page.getByRole('table', { name: 'Refused by the crawler policy' });
  await expect(async () => {
    await page.goto(`/d/${domain}/crawlers`);
    await expect(table.getByRole('row', { name: /GPTBot.*Block.*1/ })).toBeVisible({ timeout: 3000 });
  }).toPass();
});

test('a visit is seen the moment it comes, and waits while the list is paused', async ({ page, context }) => {
  await open(page, '/live');
  const key = await prepareLive(context.request, domain);
  await expect(page.getByRole('status', { name: 'Connected' })).toBeVisible();
  await visitNow(context.request, { key, domain, path: '/live/first', crawler: 'claudebot' });
  const table = page.getByRole('table', { name: 'Live visits' });
  await expect(table.getByRole('row', { name: /ClaudeBot.*\/live\/first/ })).toContainText('your server');

  const panel = page.getByRole('region', { name: 'Live' });
  await panel.getByRole('button', { name: 'Pause' }).click();
  await visitNow(context.request, { key, domain, path: '/live/second', crawler: 'googlebot' });
  await expect(panel).toContainText('Paused, 1 new visit');
  await expect(table.getByRole('row', { name: /second/ })).toHaveCount(0);
  await panel.getByRole('button', { name: 'Resume' }).click();

  await expect(table.getByRole('row').nth(1)).toContainText('/live/second');
});

/** Makes a public link, by the API. */
async function newLink(context: BrowserContext): Promise<string> {
  const { csrfToken } = (await (await context.request.get('/api/session')).json()) as { csrfToken: string };
  const headers = { 'x-csrf-token': csrfToken };
  const made = await context.request.post(`/api/domains/${domain}/stats-token`, { headers });
  return `/share/${domain}#${((await made.json()) as { token: string }).token}`;
}

async function sharedPage(browser: Browser, link: string): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  return page;
}

test('a link is made once, opens the public page alone, is renewed and turned off', async ({ page, browser }) => {
  // Four pages in three browsers.
  test.setTimeout(90_000);
  await open(page, '');
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share crawler statistics' });
  await dialog.getByRole('button', { name: 'Turn sharing on' }).click();
  const field = dialog.getByLabel('Public link');
  await expect(field).toBeFocused();
  const first = await field.inputValue();
  const badge = dialog.getByRole('img', { name: `Crawlers that read ${domain}` });
  await expect.poll(() => badge.evaluate((img: HTMLImageElement) => img.naturalHeight)).toBe(20);
  await expect(dialog.getByLabel('HTML of the badge')).toHaveValue(
    /^<a href="http.*\/api\/analytics\/badge\.svg\?token=/,
  );
  await dialog.getByRole('button', { name: 'Done' }).click();

  const requests: { url: string; headers: Record<string, string> }[] = [];
  const context = await browser.newContext();
  // The browser has a session of its own: the public page must not use it.
  await signIn(context, account);
  context.on('request', (request) => requests.push({ url: request.url(), headers: request.headers() }));
  const stranger = await context.newPage();
  await stranger.goto(first);
  await expect(stranger.getByRole('heading', { level: 1, name: `Crawlers of ${domain}` })).toBeVisible();
  await expect(stranger.getByRole('region', { name: 'Visits per day' }).getByRole('img')).toBeVisible();
  await expect(stranger.getByRole('table', { name: 'Most read pages' }).getByRole('row').nth(1)).toContainText('/');
  const token = new URL(first).hash.slice(1);
  const asked = requests.filter(({ url }) => url.includes('/api/'));
  expect(asked.map(({ url }) => new URL(url).pathname).toSorted()).toEqual([
    '/api/analytics/bots',
    '/api/analytics/bots/daily',
    '/api/analytics/bots/summary',
  ]);
  expect(
    asked.every(({ headers }) => headers['x-service-public-stats-token'] === token && !('cookie' in headers)),
  ).toBe(true);
  expect(requests.filter(({ url }) => url.includes(token))).toEqual([]);

  await page.getByRole('button', { name: 'Share' }).click();
  await expect(dialog).toContainText(`ends in ${token.slice(-4)}`);
  await dialog.getByRole('button', { name: 'Make a new link' }).click();
  await expect(field).not.toHaveValue(first);
  const second = await field.inputValue();
  await stranger.reload();
  await expect(stranger.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
  const other = await sharedPage(browser, second);
  await expect(other.getByRole('table', { name: 'Most read pages' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Turn sharing off' }).click();
  await expect(dialog.getByRole('button', { name: 'Turn sharing on' })).toBeFocused();
  await other.reload();

  await expect(other.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
  await other.context().close();
  await context.close();
});

test('the palette shares and leads to pages of the section, by keys alone', async ({ page }) => {
  await open(page, '');
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('combobox', { name: 'Search or jump to' });
  await palette.fill('share');
  await palette.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Share crawler statistics' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await page.keyboard.press('Control+k');
  await palette.fill('spoofed');
  await palette.press('Enter');

  await expect(page.getByRole('table', { name: 'Spoofed crawlers' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'Crawlers' })).toBeFocused();
});

test('axe finds nothing, and nothing is wider than a phone', async ({ browser }) => {
  test.setTimeout(120_000);
  const context = await browser.newContext({ viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  const found: Record<string, unknown> = {};
  const look = async (name: string): Promise<void> => {
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    await page.emulateMedia({ colorScheme: 'dark' });
    await settle(page);
    const dark = await contrast(page);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await settle(page);
    const here = [...dark, ...(await violations(page))];
    if (here.length > 0 || width > 320) found[name] = { here, width };
    await page.setViewportSize({ width: 320, height: 640 });
  };
  for (const path of ['', '/pages', '/errors', '/live', '/spoofed']) {
    await open(page, path);
    await expect(page.getByText(/^Loading /)).toHaveCount(0);
    await look(path);
  }
  await page.goto(await newLink(context));
  await expect(page.getByRole('table', { name: 'Most read pages' })).toBeVisible();
  await look('shared');

  expect(found).toEqual({});
  await context.close();
});
