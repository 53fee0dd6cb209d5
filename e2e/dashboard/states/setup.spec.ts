// States of the set-up: behind a CDN, suspended.
import { expect, test } from '../fixtures.ts';
import { newDomain, runningService } from '../world/accounts.ts';
import { setDns } from '../world/dns.ts';
import { runCommand } from '../world/service.ts';

test('a domain behind a CDN is told that its records are hidden, and how to connect all the same', async ({
  app,
  context,
}) => {
  const domain = newDomain('cdn');
  setDns(domain, 'A 127.0.9.1');
  await app.goto('/domains/new');
  await app.getByLabel('Domain', { exact: true }).fill(domain);
  await app.getByRole('button', { name: 'Add domain' }).click();

  await expect(app.getByText(`A CDN stands in front of ${domain}.`)).toBeVisible();
  const row = app.getByRole('table', { name: 'DNS records' }).getByRole('row', { name: /^A @/ });
  await expect(row).toContainText('Behind a proxy');
  await expect(row).toContainText('Found 127.0.9.1, which hides the record.');
  await expect(app.getByRole('region', { name: 'Or connect without changing DNS' })).toBeVisible();
  const answer = await context.request.get(`/api/domains/${domain}/records`);
  expect(await answer.json()).toMatchObject({
    records: expect.arrayContaining(
      [{ type: 'A', state: 'proxied' }].map((record) => expect.objectContaining(record) as object),
    ) as object,
  });
});

test('a suspended domain says so on every screen, reads on, and is neither checked nor changed', async ({
  app,
  domain,
}) => {
  await runCommand(runningService(), 'domain', 'suspend', domain);
  const bar = app.getByRole('alert').filter({ hasText: `${domain} is suspended by the operator.` });

  await app.goto(`/d/${domain}`);
  await expect(bar).toBeVisible();
  for (const [section, heading] of [
    ['Rendering', 'Rendering'],
    ['Audits', 'Audits'],
    ['Crawlers', 'Crawlers'],
  ] as const) {
    await app.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: section }).click();
    await expect(app.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await expect(bar).toBeVisible();
  }
  await app.goto(`/d/${domain}/setup`);
  const check = app.getByRole('button', { name: 'Check now' });
  await expect(check).toHaveAttribute('aria-disabled', 'true');
  await expect(check).toHaveAccessibleDescription('A suspended domain is not checked.');
  await expect(app.getByRole('region', { name: 'Check the site' })).toHaveCount(0);
  await app.goto(`/d/${domain}/settings/general`);
  await app.getByLabel('Render on demand').uncheck();
  for (const [path, action] of [
    ['', 'Save changes'],
    ['/rendering', 'Refresh'],
    ['/audits', 'Start audit'],
  ] as const) {
    if (path !== '') {
      await app.goto(`/d/${domain}${path}`);
    }
    const button = app.getByRole('button', { name: action }).first();
    await expect(button).toHaveAttribute('aria-disabled', 'true');
    await expect(button).toHaveAccessibleDescription(/suspended by the operator/);
  }
  await runCommand(runningService(), 'domain', 'resume', domain);
  await app.goto(`/d/${domain}`);
  await expect(app.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await expect(bar).toHaveCount(0);
});
