// Rendering: what the API says is stored is what the pages show; what is rendered again here is newer in the API afterwards.
import type { BrowserContext, Page } from '@playwright/test';
import { contrast, settle, violations } from '../accessibility/violations.ts';
import { expect, signIn, test } from '../fixtures.ts';
import { createAccount, newDomain, type Account } from '../world/accounts.ts';
import { startOrigin, type Origin } from '../world/origin.ts';

// One account with a site whose pages are stored, for all of them.
test.describe.configure({ mode: 'default' });

const [domain, other] = [newDomain('stored'), newDomain('bare')];
const PATHS = ['/', '/pricing', '/docs', '/docs/start', '/about'];
let account: Account;
let origin: Origin;

interface Snapshots {
  snapshots: { path: string; createdAt: string; lastError: string | null }[];
  total: number;
  counts: { fresh: number; stale: number; failing: number };
}

async function snapshots(context: BrowserContext, query: Record<string, string> = {}): Promise<Snapshots> {
  const answer = await context.request.get('/api/prerender/snapshots', { params: { domain, ...query } });
  expect(answer.status()).toBe(200);
  return (await answer.json()) as Snapshots;
}

async function change(context: BrowserContext, method: string, path: string, data: unknown): Promise<unknown> {
  const { csrfToken } = (await (await context.request.get('/api/session')).json()) as { csrfToken: string };
  const answer = await context.request.fetch(path, { method, data, headers: { 'x-csrf-token': csrfToken } });
  expect(answer.ok()).toBe(true);
  return answer.json();
}

test.beforeAll(async ({ browser, baseURL }) => {
  test.setTimeout(60_000);
  origin = await startOrigin(domain, PATHS);
  account = await createAccount({ domains: [domain, other] });
  const context = await browser.newContext({ baseURL: baseURL ?? '' });
  await signIn(context, account);
  await change(context, 'PATCH', `/api/dashboard/domains/${domain}/settings`, { originHost: origin.host });
  await change(context, 'PATCH', `/api/dashboard/domains/${domain}/sitemap`, {
    sitemapUrl: `http://${origin.host}/sitemap.xml`,
  });
  await change(context, 'POST', '/api/dashboard/cache/invalidate-paths-cache', { domain, paths: PATHS });
  await expect.poll(async () => (await snapshots(context)).total, { timeout: 40_000 }).toBe(PATHS.length);
  await context.close();
});

test.afterAll(() => origin.close());

async function open(page: Page, path = ''): Promise<void> {
  await signIn(page.context(), account);
  await page.goto(`/d/${domain}/rendering${path}`);
}

const list = (page: Page) => page.getByRole('table', { name: 'Snapshots' });

test('the list says what the API says; search, state and order are in the address, and Back undoes them', async ({
  page,
  context,
}) => {
  await open(page);
  await expect(page.getByRole('heading', { level: 1, name: 'Rendering' })).toBeVisible();
  await expect(page.getByRole('main')).toContainText('5 pages are stored for crawlers: 5 fresh, 0 stale, 0 failing.');
  for (const { path } of (await snapshots(context)).snapshots)
    await expect(list(page).getByRole('cell', { name: path, exact: true })).toBeVisible();

  await page.getByLabel('Search pages').fill('docs');
  await expect(list(page).getByRole('row')).toHaveCount(3);
  await list(page).getByRole('button', { name: 'Page' }).click();
  await expect(list(page).getByRole('row').nth(1)).toContainText('/docs');
  await page.reload();
  await expect(page.getByLabel('Search pages')).toHaveValue('docs');
  await expect(list(page).getByRole('row')).toHaveCount(3);

  await page
    .getByRole('group', { name: 'State' })
    .getByRole('button', { name: /^Failing/ })
    .click();
  await expect(page.getByText('No pages match “docs”')).toBeVisible();
  await page.goBack();
  await expect(list(page).getByRole('row')).toHaveCount(3);
});

test('selected pages are rendered again', async ({ page, context }) => {
  await open(page);
  const before = (await snapshots(context, { search: '/about' })).snapshots[0]?.createdAt;
  await page.getByLabel('Select /about').check();
  const bar = page.getByRole('region', { name: 'Selection' });
  await expect(bar).toContainText('1 selected');

  await bar.getByRole('button', { name: 'Re-render 1 page' }).click();

  await expect(page.getByRole('status').filter({ hasText: '1 page is queued.' })).toBeVisible();
  await expect(bar).toBeHidden();
  await expect
    .poll(async () => (await snapshots(context, { search: '/about' })).snapshots[0]?.createdAt, { timeout: 20_000 })
    .not.toBe(before);
});

test('all pages of the sitemap are refreshed, and the refresh says how far it is', async ({ page }) => {
  await open(page);
  await expect(list(page)).toBeVisible();
  await page.getByRole('button', { name: 'Refresh' }).click();
  const answered = page.waitForResponse(/invalidate-site-cache/);
  await page.getByRole('menuitem', { name: 'All pages' }).click();

  await expect(page.getByRole('status').filter({ hasText: 'The refresh has started.' })).toBeVisible();
  const { batchGroupId } = (await (await answered).json()) as { batchGroupId: string };
  await page.goto(`/d/${domain}/rendering/batches/${batchGroupId}`);
  const bar = page.getByRole('progressbar', { name: 'Pages rendered' });
  await expect(bar).toHaveAttribute('aria-valuemax', '5');
  await expect(bar).toHaveAttribute('aria-valuenow', '5', { timeout: 20_000 });
  await expect(page.getByRole('heading', { level: 1, name: /^Refresh of / })).toBeVisible();
  await expect(page.getByText('No page failed')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
});

interface View {
  person: { words: number };
  crawler: { words: number; htmlBytes: number };
  raw: { words: number };
}

test('a page is shown as a person sees it beside what a crawler gets and what there is without Glasshouse', async ({
  page,
  context,
}) => {
  test.setTimeout(90_000);
  await open(page, '/page?path=/docs');

  await expect(page.getByRole('img', { name: 'Live page' })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole('img', { name: 'Snapshot' })).toBeVisible();
  const answer = await context.request.get('/api/dashboard/views', { params: { domain, path: '/docs' } });
  const { view } = (await answer.json()) as { view: View };
  expect([view.crawler.words, view.raw.words]).toEqual([view.person.words, 0]);
  const words = `all ${view.person.words} words that people see`;
  await expect(
    page.getByText(`A crawler gets ${words}. Without Glasshouse it would get a page without any text.`),
  ).toBeVisible();
  const show = page.getByRole('group', { name: 'Show' });
  await show.getByRole('button', { name: 'Without Glasshouse' }).click();
  await expect(page.getByRole('img', { name: 'Page without Glasshouse' })).toBeVisible();
  await show.getByRole('button', { name: 'HTML' }).click();
  await expect(page.getByRole('group', { name: 'HTML that crawlers get' })).toContainText('<h1>Shop</h1>');
  await expect(page.getByRole('region', { name: 'Requests' })).toContainText('answered 401');
  await expect(page.getByRole('region', { name: 'Console' })).toContainText('a price is missing');
  await expect(page.getByRole('table', { name: 'Text difference' })).toContainText('Page /docs with eleven words');
});

test('a page that does not answer is not rendered again, and says why', async ({ page }) => {
  origin.failing.add('/docs/start');
  await open(page, '/page?path=/docs/start');
  await expect(page.getByRole('heading', { level: 1, name: '/docs/start' })).toBeVisible();
  await expect(page.getByText(/old$/)).toBeVisible();

  await page.getByRole('button', { name: 'Re-render page' }).click();

  await expect(page.getByText('The page does not answer, so it was not rendered.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Open page' })).toHaveAttribute('rel', /noopener noreferrer/);
  origin.failing.clear();
});

test('a page is rendered again from its own screen', async ({ page, context }) => {
  await open(page, '/page?path=/pricing');
  await expect(page.getByText(/old$/)).toBeVisible();
  const before = (await snapshots(context, { search: '/pricing' })).snapshots[0]?.createdAt;

  await page.getByRole('button', { name: 'Re-render page' }).click();

  await expect(page.getByText('The page was rendered again.')).toBeVisible({ timeout: 20_000 });
  expect((await snapshots(context, { search: '/pricing' })).snapshots[0]?.createdAt).not.toBe(before);
});

test('with nothing stored the list leads to the sitemap', async ({ page }) => {
  await signIn(page.context(), account);
  await page.goto(`/d/${other}/rendering`);
  await expect(page.getByRole('heading', { name: 'No page is stored yet' })).toBeVisible();

  await page.getByRole('button', { name: 'Render all pages of the sitemap' }).click();

  await expect(page.getByText(/No sitemap is known|origin (host )?does not answer/)).toBeVisible();
  await page.getByRole('link', { name: 'Set the sitemap' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Sitemap' })).toBeVisible();
});

test('axe finds nothing, and nothing scrolls sideways at 320 px', async ({ page }) => {
  test.setTimeout(90_000);
  await signIn(page.context(), account);
  const found: Record<string, string[]> = {};
  for (const [path, settled] of [
    ['', page.getByRole('main').getByText(/stored for crawlers|old$/)],
    ['/page?path=/docs', page.getByRole('img', { name: 'Live page' })],
  ] as const) {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`/d/${domain}/rendering${path}`);
    await expect(settled).toBeVisible({ timeout: 60_000 });
    await settle(page);
    const light = await violations(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await settle(page);
    const here = [...light, ...(await contrast(page))];
    await page.setViewportSize({ width: 320, height: 640 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (here.length > 0 || width > 320) found[path] = [...here, `${String(width)} px`];
  }

  expect(found).toEqual({});
});
