// Settings of a domain: what is saved here is in the API afterwards; what is refused stands at its field while the rest is saved.
import type { BrowserContext, Page } from '@playwright/test';
import { expect, signIn, test } from '../fixtures.ts';
import { createAccount, newDomain, type Account } from '../world/accounts.ts';
import { startOrigin, type Origin } from '../world/origin.ts';

// One account with two domains for all of them.
test.describe.configure({ mode: 'default' });

const [domain, gone] = [newDomain('set'), newDomain('gone')];
let account: Account;
let origin: Origin;

test.beforeAll(async () => {
  origin = await startOrigin(domain, ['/', '/a']);
  account = await createAccount({ plan: 'business', domains: [domain, gone] });
});

test.afterAll(() => origin.close());

async function open(page: Page, tab: string, heading: string, of = domain): Promise<void> {
  await signIn(page.context(), account);
  await page.goto(`/d/${of}/settings/${tab}`);
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
}

async function stored<T>(context: BrowserContext, path: string): Promise<T> {
  const answer = await context.request.get(path);
  expect(answer.status()).toBe(200);
  return (await answer.json()) as T;
}

interface Detail {
  originHost: string;
  preferredHost: string | null;
  redirectRules: { source: string; destination: string; status: number }[];
  customResponseHeaders: { pathPattern: string; headers: { name: string; value: string }[] }[];
  ignorePaths: string;
  sitemapUrl: string;
}
const detail = (context: BrowserContext) => stored<Detail>(context, `/api/dashboard/domains/${domain}`);

const save = (page: Page) => page.getByRole('button', { name: 'Save changes' }).click();
const isSaved = (page: Page) => expect(page.getByRole('status').filter({ hasText: 'Saved.' })).toBeVisible();

test('an origin that does not answer is saved and marked, beside what is right', async ({ page, context }) => {
  await open(page, 'general', 'General');
  const host = page.getByLabel('Origin host');
  await host.fill('127.0.0.1:9');
  await page.getByLabel('Preferred host').selectOption('Without www');
  await expect(page.getByRole('region', { name: 'Unsaved changes' })).toContainText('2 unsaved changes');

  await save(page);

  await expect(host).toHaveAttribute('aria-invalid', 'true');
  await expect(host).toHaveAccessibleDescription(/does not answer/);
  await expect(host).toBeFocused();
  expect(await detail(context)).toMatchObject({ originHost: '127.0.0.1:9', preferredHost: 'apex' });
  await host.fill(origin.host);
  await save(page);
  await isSaved(page);
  await expect(host).not.toHaveAttribute('aria-invalid', 'true');
});

test('redirects are added, pasted, moved by keys and saved; a bad rule leaves all as it was', async ({
  page,
  context,
}) => {
  await open(page, 'redirects', 'Redirects');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await expect(page.getByLabel('From, rule 1')).toBeFocused();
  await page.keyboard.type('/old/*');
  await page.getByLabel('To, rule 1').fill('/new/$1');
  await page.getByRole('button', { name: 'Paste CSV' }).click();
  const paste = page.getByRole('dialog', { name: 'Paste CSV' });
  await paste.getByLabel('Rules').fill('from;to;status\n/x;/y;307\n/loop;/target');
  await expect(paste).toContainText('2 rules found.');
  await paste.getByRole('button', { name: 'Add rules' }).click();
  await page.getByRole('button', { name: 'Move rule 3 up' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Move rule 2 up' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('From, rule 1')).toHaveValue('/loop');
  await save(page);
  await isSaved(page);
  const sources = async () => (await detail(context)).redirectRules.map(({ source }) => source);
  expect(await sources()).toEqual(['/loop', '/old/*', '/x']);

  await page.getByLabel('To, rule 1').fill('/loop');
  await page.getByLabel('From, rule 3').fill('/z');
  await save(page);

  await expect(page.getByLabel('To, rule 1')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByLabel('To, rule 1')).toHaveAccessibleDescription(/Not saved/);
  await expect(page.getByLabel('From, rule 3')).toHaveValue('/z');
  expect(await sources()).toEqual(['/loop', '/old/*', '/x']);
});

test('a crawler policy: rules are added, moved by keys, tried before they are saved, and saved', async ({
  page,
  context,
}) => {
  await open(page, 'crawler-policy', 'Crawler policy');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByLabel('Which one, rule 1').selectOption('CCBot');
  await page.getByLabel('Paths, rule 1').fill('/blog/**');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByLabel('Crawlers, rule 2').selectOption('All of a company');
  await page.getByLabel('Which one, rule 2').selectOption('OpenAI');
  await page.getByLabel('Answer, rule 2').selectOption('Limit (429)');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByLabel('Requests a minute, rule 2')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Requests a minute, rule 2').fill('30');
  await page.getByRole('button', { name: 'Move rule 2 up' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Answer, rule 1')).toHaveValue('limit');

  const result = page.getByRole('status', { name: 'Result' });
  await page.getByLabel('Address to test').fill('/blog/tea');
  await page.getByLabel('As crawler').selectOption('CCBot');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(result).toContainText('Rule 2 answers 403.');
  await expect(result).toContainText('does not enforce');
  await page.getByRole('radio', { name: 'Enforce' }).check();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(result).toContainText('Is refused with 403');

  await save(page);
  await isSaved(page);
  expect(await stored(context, `/api/domains/${domain}/crawler-policy`)).toEqual({
    mode: 'enforce',
    obeyRobotsTxt: false,
    rules: [
      { match: { provider: 'openai' }, paths: [], action: 'limit', perMinute: 30, text: null },
      { match: { crawler: 'ccbot' }, paths: ['/blog/**'], action: 'block', perMinute: null, text: null },
    ],
  });
});

test('leaving with unsaved changes asks; Escape stays', async ({ page }) => {
  await open(page, 'ignored', 'Ignored paths');
  await page.getByRole('textbox', { name: 'Ignored paths' }).fill('/drafts/*');
  const tab = (name: string) =>
    page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name, exact: true });
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });

  await tab('Sitemap').click();
  await expect(question).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(page.getByRole('heading', { level: 1, name: 'Ignored paths' })).toBeVisible();
  await tab('Sitemap').click();
  await question.getByRole('button', { name: 'Leave' }).click();

  await expect(page.getByRole('heading', { level: 1, name: 'Sitemap' })).toBeVisible();
});

test('ignored paths: a pattern that cannot be used stands at its field', async ({ page, context }) => {
  await open(page, 'ignored', 'Ignored paths');
  const field = page.getByRole('textbox', { name: 'Ignored paths' });
  await field.fill('/a/**/b');
  await save(page);
  await expect(field).toHaveAccessibleDescription(/Not saved/);
  expect((await detail(context)).ignorePaths).toBe('');
  await field.fill('/admin/**');
  await save(page);

  await isSaved(page);
  expect((await detail(context)).ignorePaths).toBe('/admin/**');
});

test('headers: a forbidden one stands at its field, a good one is saved', async ({ page, context }) => {
  await open(page, 'headers', 'Headers');
  await page.getByRole('button', { name: 'Add rule' }).click();
  const name = page.getByLabel('Name, rule 1 header 1');
  await page.getByLabel('Path pattern, rule 1').fill('/blog/**');
  await name.fill('set-cookie');
  await page.getByLabel('Value, rule 1 header 1').fill('a=b');
  await save(page);
  await expect(name).toHaveAttribute('aria-invalid', 'true');
  await name.fill('x-robots-tag');
  await page.getByLabel('Value, rule 1 header 1').fill('noarchive');
  await save(page);

  await isSaved(page);
  expect((await detail(context)).customResponseHeaders).toEqual([
    { pathPattern: '/blog/**', headers: [{ name: 'x-robots-tag', value: 'noarchive' }] },
  ]);
});

test('a sitemap that cannot be fetched stays away; one that can is read and read again', async ({ page, context }) => {
  await open(page, 'sitemap', 'Sitemap');
  const field = page.getByLabel('Sitemap address');
  await field.fill('http://127.0.0.1:9/sitemap.xml');
  await save(page);
  await expect(field).toHaveAccessibleDescription(/could not be fetched/);
  expect((await detail(context)).sitemapUrl).toBe('');
  await field.fill(`http://${origin.host}/sitemap.xml`);
  await save(page);
  await isSaved(page);
  await expect(page.getByText('2 pages found when it was last read.')).toBeVisible();

  await page.getByRole('button', { name: 'Read again' }).click();

  await expect(page.getByText('The sitemap names 2 pages.')).toBeVisible();
});

test('rendering: interval, rules and blocked addresses are saved', async ({ page, context }) => {
  await open(page, 'rendering', 'Rendering');
  await page.getByLabel('Refresh interval', { exact: true }).fill('12');
  await page.getByLabel('Unit of refresh interval').selectOption('hours');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByLabel('Path pattern, rule 1').fill('/news/**');
  await page.getByLabel('Interval, rule 1', { exact: true }).fill('30');
  await page.getByLabel('Unit of interval, rule 1').selectOption('minutes');
  await page.getByLabel('Blocked addresses').fill('*://ads.example/*');
  await save(page);

  await isSaved(page);
  expect(await stored(context, `/api/domains/${domain}/rendering`)).toMatchObject({
    refreshIntervalSeconds: 43_200,
    refreshRules: [{ pattern: '/news/**', intervalSeconds: 1800 }],
    blockedUrls: ['*://ads.example/*'],
  });
});

test('rendering: signs of a missing page are saved', async ({ page, context }) => {
  await open(page, 'rendering', 'Rendering');
  await page.getByLabel('Has an element').fill('.not-found');
  await page.getByLabel('Shows a text').fill('This page does not exist');
  await page.getByLabel('Compare with an address that cannot exist').check();
  await save(page);

  await isSaved(page);
  expect(await stored(context, `/api/domains/${domain}/rendering`)).toMatchObject({
    notFound: { selector: '.not-found', text: 'This page does not exist', compare: true },
    notFoundProblem: null,
  });
});

interface RootFile {
  path: string;
  mode: string;
  source: string;
  body: string | null;
}

test('root files: a new domain has robots and sitemap; a file is added and another one switched off', async ({
  page,
  context,
}) => {
  await open(page, 'root-files', 'Root files');
  await expect(page.getByRole('heading', { name: '/robots.txt' })).toBeVisible();
  await page.getByLabel('Served, file 2').selectOption('Never');
  await page.getByRole('button', { name: 'Add file' }).click();
  await page.getByLabel('Path, file 3').fill('/ads.txt');
  await page.getByLabel('Served, file 3').selectOption('Always');
  await page.getByLabel('Content, file 3').fill('google.com, pub-1, DIRECT');
  await save(page);

  await isSaved(page);
  const { files } = await stored<{ files: RootFile[] }>(context, `/api/domains/${domain}/root-files`);
  expect(files).toMatchObject([
    { path: '/robots.txt', mode: 'fallback', source: 'robots', body: null },
    { path: '/sitemap.xml', mode: 'off', source: 'sitemap' },
    { path: '/ads.txt', mode: 'always', source: 'text', body: 'google.com, pub-1, DIRECT' },
  ]);
});

test('IndexNow is switched on, and its key is shown', async ({ page, context }) => {
  await open(page, 'indexnow', 'IndexNow');
  await page.getByLabel('Submit changed pages').check();
  await save(page);

  await isSaved(page);
  const state = await stored<{ enabled: boolean; keyLocation: string }>(context, `/api/domains/${domain}/indexnow`);
  expect(state.enabled).toBe(true);
  await expect(page.getByText(state.keyLocation)).toBeVisible();
});

test('audits: what is set is stored, headers are never shown again, and the secret is shown once', async ({
  page,
  context,
}) => {
  await open(page, 'audits', 'Audits');
  await page.getByLabel('Schedule').selectOption('Weekly, on Mondays');
  await page.getByLabel('Exclude').fill('/tmp/*');
  await page.getByLabel('Requests per second').fill('2.5');
  await page.getByRole('button', { name: 'Add request header' }).click();
  await page.getByLabel('Name, request header 1').fill('x-key');
  await page.getByLabel('Value, request header 1').fill('sealed-value-1');
  await page.getByRole('button', { name: 'Ignore a finding' }).click();
  await page.getByLabel('Webhook address').fill('https://hooks.example/audits');
  await save(page);
  const once = page.getByRole('dialog', { name: 'Webhook secret' });
  await expect(once.getByLabel('Secret')).toHaveValue(/.{20}/);
  await once.getByRole('button', { name: 'Done' }).click();

  await expect(page.getByText('Sent: x-key.')).toBeVisible();
  expect(await page.content()).not.toContain('sealed-value-1');
  expect(await stored(context, `/api/domains/${domain}/auditing`)).toMatchObject({
    frequency: 'weekly',
    exclude: ['/tmp/*'],
    requestsPerSecond: 2.5,
    headers: [{ name: 'x-key' }],
    ignored: [{ pathPattern: '/*' }],
    webhookUrl: 'https://hooks.example/audits',
  });
});

test('brand and monitoring are saved together', async ({ page, context }) => {
  await open(page, 'brand', 'Brand');
  await page.getByLabel('Brand name').fill('Luma Docs');
  await page.getByLabel('Aliases', { exact: true }).fill('Luma\nLumen');
  await page.getByRole('button', { name: 'Add competitor' }).click();
  await page.getByLabel('Name, competitor 1').fill('Notewise');
  await page.getByLabel('Digest').selectOption('Weekly');
  await page.getByLabel('Monthly budget').fill('12');
  await save(page);

  await isSaved(page);
  expect(await stored(context, `/api/domains/${domain}/brand`)).toMatchObject({
    name: 'Luma Docs',
    aliases: ['Luma', 'Lumen'],
    competitors: [{ name: 'Notewise', status: 'tracked' }],
    derived: false,
  });
  expect(await stored(context, `/api/domains/${domain}/monitoring`)).toMatchObject({
    digest: 'weekly',
    budgetUsdPerMonth: 12,
  });
});

test('a domain is removed after its name was typed', async ({ page, context }) => {
  await open(page, 'remove', 'Remove', gone);
  await page.getByRole('button', { name: 'Remove domain' }).click();
  const question = page.getByRole('dialog', { name: `Remove ${gone}?` });
  await question.getByLabel(`Type ${gone} to confirm`).fill('something else');
  await expect(question.getByRole('button', { name: 'Remove domain' })).toBeDisabled();
  await question.getByLabel(`Type ${gone} to confirm`).press('Enter');
  expect((await context.request.get(`/api/dashboard/domains/${gone}`)).status()).toBe(200);

  await question.getByLabel(`Type ${gone} to confirm`).fill(gone);
  await question.getByRole('button', { name: 'Remove domain' }).click();

  await expect(page.getByText(`${gone} was removed.`)).toBeVisible();
  expect((await context.request.get(`/api/dashboard/domains/${gone}`)).status()).toBe(404);
});
