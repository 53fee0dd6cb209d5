// Audits: what the API says is what the screens show, and what a person does there is in the API afterwards.
import type { Page } from '@playwright/test';
import { contrast, settle, violations } from '../accessibility/violations.ts';
import { expect, signIn, test } from '../fixtures.ts';
import { askAudits, audit, startAuditedSite, type AuditedSite } from '../world/audits.ts';
import { runningService, setActive } from '../world/accounts.ts';
import { runCommand } from '../world/service.ts';

// One site with two audits, between which it changes, for all of them; the last two start and refuse audits of it.
test.describe.configure({ mode: 'default' });

let site: AuditedSite;
let first: string;
let second: string;

test.beforeAll(async () => {
  test.setTimeout(90_000);
  site = await startAuditedSite();
  first = await audit(site);
  site.change();
  second = await audit(site);
});

test.afterAll(() => site.close());

async function open(page: Page, path: string): Promise<void> {
  await signIn(page.context(), site.account);
  await page.goto(`/d/${site.domain}/audits${path}`);
}

interface Run {
  run: {
    healthScore: number;
    deltaHealth: number;
    issueCount: number;
    pagesCrawled: number;
    status: string;
    closeReason: string;
    crawlStats: { issuesBySeverity: Record<string, number> };
    robotsAnalysis: { bots: { name: string; verdict: string; httpStatus: number | null }[] };
  };
  pages: { id: string; path: string; healthScore: number; issueCount: number }[];
  pageTotal: number;
  issueBreakdown: Record<string, number>;
}

test('the list has every audit, and the overview says what the API says', async ({ page }) => {
  await open(page, '');
  const { run, issueBreakdown } = await askAudits<Run>(site, `runs/${second}`);
  const compared = await askAudits<Record<string, { total: number }>>(site, `runs/${second}/compare?with=${first}`);
  const rows = page.getByRole('table', { name: 'Audits' }).getByRole('row');
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(1)).toContainText(`Finished${run.healthScore.toFixed(1)}`);

  await rows.nth(1).getByRole('link').click();

  await expect(page.getByRole('heading', { level: 1, name: /^Audit of \d+ \w+$/ })).toBeFocused();
  const main = page.getByRole('main');
  await expect(main).toContainText(
    `${compared.fixedFindings?.total} findings fixed, ${compared.newFindings?.total} new`.replace(
      /^1 findings/,
      '1 finding',
    ),
  );
  await expect(page.getByRole('region', { name: 'Health' })).toContainText(run.healthScore.toFixed(1));
  const findings = page.getByRole('region', { name: 'Findings' });
  await expect(findings).toContainText(`Errors ${run.crawlStats.issuesBySeverity.error}`);
  await expect(findings.getByRole('link', { name: `All ${run.issueCount}` })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Crawl' })).toContainText(`${run.pagesCrawled} of`);
  for (const name of [
    'What to fix first',
    'What only JavaScript shows',
    'Clicks from the start page',
    'Sitemaps and robots.txt',
  ])
    await expect(page.getByRole('region', { name })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Who may read your site' })).toContainText('answers GPTBot with 403');
  const tabs = page.getByRole('navigation', { name: 'Audit' });
  await expect(tabs.getByRole('link', { name: 'Issues' })).toContainText(String(Object.keys(issueBreakdown).length));
});

test('wherever health is shown it explains itself, to the pointer and to the keyboard, and leads to its run', async ({
  page,
}) => {
  await open(page, `/${second}`);
  const formula = page.getByText(/0\.7 × .+percent of pages without errors.+ = \d+\.\d\./);
  const told = (await formula.textContent())?.replace(/\s*See what lowers it\s*$/, '').trim() ?? '';
  expect(told).not.toBe('');
  const tooltip = page.getByRole('tooltip');

  await page.goto(`/d/${site.domain}`);
  const tile = page.getByRole('main').getByRole('link', { name: /^Site health/ });
  await tile.hover();
  await expect(tooltip).toHaveText(told);
  await page.mouse.move(0, 0);
  await expect(tooltip).toHaveCount(0);
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Served from cache/ })
    .focus();
  await page.keyboard.press('Tab');
  await expect(tile).toHaveAccessibleDescription(told);

  await page.goto('/domains');
  const { run } = await askAudits<Run>(site, `runs/${second}?limit=1`);
  const health = page.getByRole('table', { name: 'Domains' }).getByRole('link', {
    name: new RegExp(`^${run.healthScore.toFixed(1)}`),
  });
  await health.hover();
  await expect(tooltip).toHaveText(told);
  await health.click();
  await expect(page).toHaveURL(`/d/${site.domain}/audits/${second}`);
});

test('what to fix first is ordered by impact, by what is new, or with its category', async ({ page }) => {
  await open(page, `/${second}`);
  const compared = await askAudits<{ byIssue: { issueId: string; new: number }[] }>(
    site,
    `runs/${second}/compare?with=${first}`,
  );
  const { issueBreakdown } = await askAudits<Run>(site, `runs/${second}?limit=1`);
  const added = compared.byIssue.filter((change) => change.new > 0 && change.issueId in issueBreakdown).length;
  const panel = page.getByRole('region', { name: 'What to fix first' });
  const rows = panel.getByRole('table').getByRole('row');
  const orders = panel.getByRole('group', { name: 'Order of the issues' });
  await expect(orders.getByRole('button', { name: 'Impact' })).toHaveAttribute('aria-pressed', 'true');

  await orders.getByRole('button', { name: 'New' }).click();

  await expect(rows).toHaveCount(Math.min(8, added) + 1);
  await expect(rows.nth(1)).toContainText(/\+\d/);
  await orders.getByRole('button', { name: 'Category' }).click();
  await page.reload();
  await expect(orders.getByRole('button', { name: 'Category' })).toHaveAttribute('aria-pressed', 'true');
  await expect(rows.nth(1)).toBeVisible();
  const categories = (await rows.all()).slice(1).map((row) => row.getByRole('cell').nth(1).textContent());
  const named = await Promise.all(categories);
  // A category stands in one place.
  expect(named.filter((name, index) => name !== named[index - 1])).toHaveLength(new Set(named).size);
});

test('from an issue to its pages, to the evidence on one of them, and on to the next page by a key', async ({
  page,
}) => {
  await open(page, `/${second}/issues`);
  const { pages } = await askAudits<Run>(site, `runs/${second}?issueId=META_DESC_MISSING&sort=path&order=asc`);
  await page.getByLabel('Search issues').fill('description is missing');
  await expect(page).toHaveURL(/q=description/);
  await page
    .getByRole('table', { name: 'Issues' })
    .getByRole('link', { name: /Meta description is missing/ })
    .click();
  await expect(page.getByRole('heading', { level: 1, name: 'Meta description is missing' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Why it matters' })).toContainText(/\w/);
  await expect(page.getByRole('region', { name: 'How to fix' }).getByRole('link', { name: /Source/ })).toHaveAttribute(
    'rel',
    'noopener noreferrer nofollow',
  );
  const table = page.getByRole('table', { name: 'Pages with this issue' });
  await expect(table.getByRole('row')).toHaveCount(pages.length + 1);

  await table.getByRole('link', { name: '/about' }).click();

  await expect(page.getByRole('heading', { level: 1, name: '/about' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Issues' })).toContainText('Meta description is missing');
  const place = pages.findIndex(({ path }) => path === '/about');
  await expect(page.getByRole('link', { name: 'Next page' })).toBeVisible();
  await page.keyboard.press(']');
  await expect(page.getByRole('heading', { level: 1, name: pages[place + 1]?.path ?? '' })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: '/about' })).toBeVisible();
});

test('a page shows its HTML against the rendered page, and how it looks with and without its tags', async ({
  page,
}) => {
  await open(page, `/${second}/pages/find?path=/app`);
  await expect(page.getByRole('heading', { level: 1, name: '/app' })).toBeVisible();

  const facts = page.getByRole('table', { name: 'In the HTML and after rendering' });
  await expect(facts.getByRole('row', { name: /^Title/ })).toContainText('missingThe app of kiln and clay');
  const shared = page.getByRole('region', { name: 'How it looks when shared' });
  await expect(shared).not.toContainText('App, shared');
  await shared.getByRole('group', { name: 'Previews' }).getByRole('button', { name: 'With tags' }).click();

  await expect(shared).toContainText('App, shared');
  await page.reload();
  await expect(shared).toContainText('App, shared');
  await expect(page.getByRole('region', { name: /^Why \d/ })).toBeVisible();
  await expect(
    page.getByRole('region', { name: 'Links to this page' }).getByRole('link', { name: '/', exact: true }),
  ).toBeVisible();
});

test('a preview shows the picture that the page names, as the service fetched it', async ({ page }) => {
  await open(page, `/${second}/pages/find?path=/`);
  const picture = page
    .getByRole('region', { name: 'How it looks when shared' })
    .getByRole('img', { name: 'Picture of the page' })
    .first();
  await picture.scrollIntoViewIfNeeded();

  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await expect(picture).toHaveAttribute('src', new RegExp(`^/api/dashboard/preview-image\\?domain=${site.domain}`));
});

test('pages and links are sorted, searched and filtered by the service, and the address keeps it', async ({ page }) => {
  await open(page, `/${second}/pages`);
  const { pages, pageTotal } = await askAudits<Run>(site, `runs/${second}?sort=healthScore&order=asc&limit=5`);
  const table = page.getByRole('table', { name: 'Pages' });
  await expect(table).toHaveAttribute('aria-rowcount', String(pageTotal + 1));
  await table.getByRole('button', { name: 'Health' }).click();
  await expect(table.getByRole('row').nth(1)).toContainText(pages[0]?.path ?? '');
  const scored = await askAudits<{ pages: { path: string; linkScore: number }[] }>(
    site,
    `runs/${second}?sort=linkScore&order=desc&limit=1&fields=path,linkScore`,
  );
  await table.getByRole('button', { name: 'Link score' }).click();
  await expect(table.getByRole('row').nth(1)).toContainText(scored.pages[0]?.path ?? '');
  await expect(table.getByRole('row').nth(1)).toContainText(scored.pages[0]?.linkScore.toFixed(1) ?? '');
  await page.getByLabel('Search pages').fill('pots');
  await expect(table.getByRole('row')).toHaveCount(3);
  await page.reload();
  await expect(table.getByRole('row')).toHaveCount(3);
  await expect(page.getByRole('link', { name: 'Download CSV' })).toHaveAttribute('href', /what=pages.*search=pots/);

  await page.getByRole('navigation', { name: 'Audit' }).getByRole('link', { name: 'Links' }).click();
  const links = page.getByRole('table', { name: 'Links' });
  await expect(links.getByRole('row', { name: /\/broken/ })).toContainText('404');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByLabel('Status').selectOption('404');
  await expect(links.getByRole('row')).toHaveCount(2);
  await page.keyboard.press('Escape');
  await links.getByRole('link', { name: '/', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: '/' })).toBeVisible();
});

test('robots.txt, sitemaps and crawlers are as the audit found them', async ({ page }) => {
  await open(page, `/${second}/robots`);
  const { run } = await askAudits<Run>(site, `runs/${second}`);
  await expect(page.getByRole('table', { name: 'Sitemap files' })).toContainText(`${site.domain}/sitemap.xml`);
  const robots = page.getByRole('region', { name: 'robots.txt', exact: true });
  await expect(robots).toContainText('Did you mean disallow?');
  await expect(robots).toContainText('Disallow: /private/');

  await page.getByRole('navigation', { name: 'Audit' }).getByRole('link', { name: 'AI access' }).click();

  const access = page.getByRole('table', { name: 'Crawler access' });
  await expect(access.getByRole('row')).toHaveCount(run.robotsAnalysis.bots.length + 1);
  await expect(access.getByRole('row', { name: /^GPTBot/ })).toContainText('403');
  await expect(access.getByRole('row', { name: /^ClaudeBot/ })).toContainText('Blocked, line 6');
  await access.getByRole('button', { name: 'Crawler' }).click();
  await expect(access.getByRole('columnheader', { name: 'Crawler' })).toHaveAttribute('aria-sort', 'ascending');
});

test('two audits are compared: findings, pages that came, went and changed', async ({ page }) => {
  await open(page, `/${second}/compare`);
  const compared = await askAudits<Record<string, { total: number }>>(site, `runs/${second}/compare?with=${first}`);
  await expect(page.getByLabel('Compare with')).toHaveValue(first);
  await expect(page.getByRole('region', { name: 'New findings' })).toContainText(String(compared.newFindings?.total));
  await expect(page.getByRole('table', { name: 'Fixed findings' }).getByRole('row')).toHaveCount(
    (compared.fixedFindings?.total ?? 0) + 1,
  );
  await expect(page.getByRole('table', { name: 'Changed pages' }).getByRole('row', { name: /^\/about/ })).toContainText(
    'AboutAbout the kiln',
  );
  await expect(page.getByRole('table', { name: 'Removed pages' })).toContainText('/pots/3');

  await page.getByRole('table', { name: 'Added pages' }).getByRole('link', { name: '/new' }).click();

  await expect(page.getByRole('heading', { level: 1, name: '/new' })).toBeVisible();
});

test('the files that each page loads are exported from any tab', async ({ page }) => {
  await open(page, `/${second}`);
  await page.getByRole('button', { name: 'Export' }).click();
  await expect(page.getByRole('menuitem', { name: 'Links to other sites' })).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Resources' }).click();

  const file = await (await download).createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of file) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toContain('/share.png');
});

test('an export is the file of what the screen shows', async ({ page }) => {
  await open(page, `/${second}/pages`);
  await page.getByRole('button', { name: 'Export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'NDJSON' }).click();

  const file = await (await download).createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of file) chunks.push(chunk as Buffer);
  const paths = Buffer.concat(chunks)
    .toString()
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { path: string }).path);
  const { pages } = await askAudits<Run>(site, `runs/${second}`);
  expect(paths.toSorted()).toEqual(pages.map(({ path }) => path).toSorted());
});

test('axe finds nothing on the screens of audits, in both themes, and none scrolls sideways at 320 px', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const { pages } = await askAudits<Run>(site, `runs/${second}?search=app&fields=id,path`);
  const tabs = [
    '',
    '/issues',
    '/issues/META_DESC_MISSING',
    '/pages',
    `/pages/${pages[0]?.id}`,
    '/links',
    '/robots',
    '/ai-access',
    '/compare',
  ];
  await signIn(page.context(), site.account);
  const found: Record<string, unknown> = {};
  for (const path of ['', ...tabs.map((tab) => `/${second}${tab}`)]) {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`/d/${site.domain}/audits${path}`);
    await expect(page.getByRole('heading', { level: 1, name: /./ })).toBeVisible();
    await expect(page.getByText(/^Loading /)).toHaveCount(0);
    await settle(page);
    const light = await violations(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 320, height: 640 });
    await settle(page);
    const dark = await contrast(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (light.length + dark.length > 0 || width > 320) found[path] = { light, dark, width };
    await page.setViewportSize({ width: 1280, height: 800 });
  }

  expect(found).toEqual({});
});

test('an audit is started, followed while it goes on, and stopped with what it has', async ({ page }) => {
  site.slowDown(700);
  await open(page, '');
  await page.getByRole('button', { name: 'Start audit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Start audit' });
  await dialog.getByRole('radio', { name: 'Only these addresses' }).check();
  await dialog.getByRole('button', { name: 'Start audit' }).click();
  await expect(dialog.getByLabel('Addresses', { exact: true })).toHaveAccessibleDescription(
    /Enter at least one address/,
  );
  await dialog.getByRole('radio', { name: 'Follow links' }).check();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Start audit' }).click();
  await expect(page.getByRole('progressbar', { name: 'Pages crawled' })).toBeVisible();
  const id = /audits\/([\w-]+)$/.exec(page.url())?.[1] ?? '';
  // A second start opens the audit that goes on.
  await page.getByRole('button', { name: 'Start audit' }).click();
  await dialog.getByRole('button', { name: 'Start audit' }).click();
  await expect(page.getByText('An audit of this domain is already running; this is it.')).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`${id}$`));

  await page.getByRole('button', { name: 'Stop audit' }).click();

  await expect(page.getByText(/did not read the whole site|has no results/)).toBeVisible({ timeout: 20_000 });
  site.slowDown(0);
  const { run } = await askAudits<Run>(site, `runs/${id}`);
  expect(run.closeReason).toBe('cancelled');
});

test('what is refused is said where it was asked for', async ({ page }) => {
  await open(page, '');
  await page.getByRole('button', { name: 'Start audit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Start audit' });
  const start = dialog.getByRole('button', { name: 'Start audit' });
  const addresses = dialog.getByLabel('Addresses', { exact: true });
  await dialog.getByRole('radio', { name: 'Only these addresses' }).check();
  await addresses.fill(`https://${site.domain}/\nhttps://elsewhere.test/`);
  await start.click();
  await expect(addresses).toHaveAccessibleDescription(/Address 2 is not on the domain/);

  await dialog.getByRole('radio', { name: 'Sitemap' }).check();
  await start.click();
  await expect(dialog.getByLabel('Sitemap address')).toHaveAccessibleDescription(/The domain has no sitemap/);
  await dialog.getByLabel('Sitemap address').fill(`https://${site.domain}/sitemap.xml`);
  await dialog.getByRole('checkbox', { name: 'Only new pages' }).check();

  await runCommand(runningService(), 'domain', 'suspend', site.domain);
  await expect(async () => {
    await start.click();
    await expect(dialog.getByRole('alert')).toContainText('suspended by the operator', { timeout: 1000 });
  }).toPass();
  await runCommand(runningService(), 'domain', 'resume', site.domain);
  await setActive(site.account, false);
  await expect(async () => {
    await start.click();
    await expect(dialog.getByRole('alert')).toContainText('account is inactive', { timeout: 1000 });
  }).toPass();
  await setActive(site.account, true);
});
