// The set-up of a domain: records to copy, what is seen of them row by row, and success without a reload.
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { newDomain, runningService } from '../world/accounts.ts';
import { setDns } from '../world/dns.ts';
import { startOrigin } from '../world/origin.ts';
import { runCommand } from '../world/service.ts';

/** Adds a domain and opens its set-up. */
async function open(app: Page, domain: string): Promise<void> {
  await app.goto('/domains/new');
  await app.getByLabel('Domain', { exact: true }).fill(domain);
  await app.getByRole('button', { name: 'Add domain' }).click();
  await expect(app.getByRole('heading', { level: 1, name: `Connect ${domain}` })).toBeVisible();
}

test('a new domain begins with what people see of it beside what crawlers get', async ({ app, context }) => {
  test.setTimeout(90_000);
  const domain = newDomain('today');
  const origin = await startOrigin(domain, ['/', '/about']);
  await app.goto('/domains/new');
  await app.getByLabel('Domain', { exact: true }).fill(domain);
  await app.getByLabel('Origin host').fill(origin.host);
  await app.getByRole('button', { name: 'Add domain' }).click();
  const today = app.getByRole('region', { name: 'What crawlers see today' });

  await expect(today.getByRole('status')).toContainText('Crawlers that run no JavaScript get not one word', {
    timeout: 40_000,
  });

  await expect(today.getByRole('img', { name: 'Live page' })).toBeVisible();
  await expect(today.getByRole('img', { name: 'Page without Glasshouse' })).toBeVisible();
  await today.getByLabel('Address').fill('https://elsewhere.test/');
  await today.getByRole('button', { name: 'Look' }).click();
  await expect(today.getByLabel('Address')).toHaveAccessibleDescription(/Enter an address of/);
  await today.getByLabel('Address').fill(`https://${domain}/about`);
  await today.getByRole('button', { name: 'Look' }).click();
  const views = async () => {
    const answer = await context.request.get('/api/dashboard/views', { params: { domain, path: '/about' } });
    return ((await answer.json()) as { view: unknown }).view;
  };
  await expect.poll(views, { timeout: 20_000 }).not.toBeNull();
  await origin.close();
});

test('records are copied one by one and all together', async ({ app, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const domain = newDomain('copied');
  await open(app, domain);
  const answer = await context.request.get(`/api/domains/${domain}/records`);
  const { records } = (await answer.json()) as { records: { type: string; name: string; value: string }[] };
  const table = app.getByRole('table', { name: 'DNS records' });
  await expect(table.getByRole('row')).toHaveCount(records.length + 1);
  const read = () => app.evaluate(() => navigator.clipboard.readText());

  await app.getByRole('button', { name: 'Copy value of A www' }).click();
  await expect.poll(read).toBe('127.0.0.1');
  await app.getByRole('button', { name: 'Copy all' }).click();

  await expect
    .poll(read)
    .toBe(records.map(({ name, type, value }) => `${name}\t300\tIN\t${type}\t${value}`).join('\n'));
});

test('records that come right turn the page green by itself, with the focus on the way on', async ({
  app,
  context,
}) => {
  const domain = newDomain('green');
  setDns(domain, 'A 127.0.0.2');
  await open(app, domain);
  const row = app.getByRole('table', { name: 'DNS records' }).getByRole('row', { name: /^A @/ });
  await expect(row).toContainText('Points elsewhere');
  await expect(row).toContainText('127.0.0.2');
  await expect(app.getByText(`${domain} points at 127.0.0.2.`)).toBeVisible();

  setDns(domain, 'A 127.0.0.1');
  await app.getByRole('button', { name: 'Check now' }).click();

  await expect(app.getByRole('status', { name: `${domain} is connected` })).toBeVisible();
  await expect(app.getByRole('link', { name: 'See your first crawl' })).toBeFocused();
  await expect(row).toContainText('Found');
  const answer = await context.request.get(`/api/dashboard/domains/${domain}`);
  expect(await answer.json()).toMatchObject({ status: 'connected' });
});

test('DNS that fails is told apart from a record that is missing', async ({ app }) => {
  const domain = newDomain('silent');
  setDns(domain, 'SERVFAIL');

  await open(app, domain);

  await expect(app.getByText('DNS did not answer.').first()).toBeVisible();
});

test('the seventh check of a minute waits as long as the service says', async ({ app, context }) => {
  const domain = newDomain('eager');
  await open(app, domain);
  await expect(app.getByRole('button', { name: 'Check now' })).toBeVisible();
  const { csrfToken } = (await (await context.request.get('/api/session')).json()) as { csrfToken: string };
  const headers = { 'x-csrf-token': csrfToken };
  await expect
    .poll(async () => (await context.request.post(`/api/dashboard/domains/${domain}/check`, { headers })).status(), {
      intervals: [0],
    })
    .toBe(429);

  await app.getByRole('button', { name: 'Check now' }).click();

  await expect(app.getByText(/Six checks a minute are allowed/).first()).toBeVisible();
  await expect(app.getByRole('button', { name: 'Check now' })).toHaveAttribute('aria-disabled', 'true');
});

test('a contested domain is told why a TXT record is among its records', async ({ app, account }) => {
  const domain = newDomain('contested');
  const other = `${newDomain('x').slice(2, 10)}@example.test`;
  await runCommand(
    runningService(),
    'account',
    'create',
    '--email',
    other,
    '--password',
    'purple monkey dishwasher',
    '--plan',
    'agency',
  );
  await runCommand(runningService(), 'domain', 'add', domain, '--account', other);
  expect(other).not.toBe(account.email);

  await open(app, domain);

  await expect(app.getByText('Why a TXT record?')).toBeVisible();
  await expect(app.getByRole('button', { name: 'Copy value of TXT _glasshouse' })).toBeVisible();
});

test('the origin host is saved, and a host that cannot be one is refused at its field', async ({
  app,
  context,
  domain,
}) => {
  await app.goto(`/d/${domain}/setup`);
  const origin = app.getByLabel('Origin host');
  await origin.fill(domain);
  await app.getByRole('button', { name: 'Save origin host' }).click();
  await expect(origin).toHaveAccessibleDescription(/a different host from the domain/);

  await origin.fill('127.0.0.1:9');
  await app.getByRole('button', { name: 'Save origin host' }).click();

  await expect
    .poll(async () => (await (await context.request.get(`/api/dashboard/domains/${domain}`)).json()) as object)
    .toMatchObject({ originHost: '127.0.0.1:9' });
});

test('a snippet for each platform has the domain filled in and is copied whole', async ({ app, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const domain = newDomain('snippet');
  await open(app, domain);
  const panel = app.getByRole('region', { name: 'Or connect without changing DNS' });
  const platforms = panel.getByRole('group', { name: 'Platform' });

  const names = [
    'Cloudflare Workers',
    'Vercel',
    'Netlify',
    'Next.js',
    'Express',
    'Fastify',
    'nginx',
    'Apache',
    'Caddy',
  ];
  await expect(platforms.getByRole('button')).toHaveText(names);
  for (const platform of names) {
    await platforms.getByRole('button', { name: platform }).click();
    const snippet = panel.getByRole('region', { name: `Snippet for ${platform}` });
    await expect(snippet).toContainText(domain);
    await expect(snippet).not.toContainText(/__DOMAIN__|__SERVICE_URL__/);
    await panel.getByRole('button', { name: 'Copy snippet' }).click();
    await expect.poll(() => app.evaluate(() => navigator.clipboard.readText())).toBe(await snippet.textContent());
  }

  await expect(panel).toContainText('host and port of your app in place of __APP_ADDRESS__');
});
