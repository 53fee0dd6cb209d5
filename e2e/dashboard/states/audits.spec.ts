// States of audits: none yet, none that is one's own, one without results.
import { expect, signIn, test } from '../fixtures.ts';
import { createAccount, newDomain } from '../world/accounts.ts';

test('a domain without an audit is told what one does', async ({ app, domain }) => {
  await app.goto(`/d/${domain}/audits`);

  await expect(app.getByText('No audit yet')).toBeVisible();
  await expect(app.getByRole('main').getByRole('button', { name: 'Start audit' })).toHaveCount(2);
});

test('an audit of a site that does not answer has failed, says why, and is nobody else’s', async ({
  app,
  domain,
  browser,
}) => {
  await app.goto(`/d/${domain}/audits`);
  await app.getByRole('main').getByRole('button', { name: 'Start audit' }).first().click();
  await app.getByRole('dialog').getByRole('button', { name: 'Start audit' }).click();

  await expect(app.getByText('This audit has no results.')).toBeVisible({ timeout: 30_000 });
  await expect(app.getByRole('navigation', { name: 'Audit' })).toBeVisible();
  const stranger = await browser.newContext();
  await signIn(stranger, await createAccount({ domains: [newDomain('other')] }));
  const page = await stranger.newPage();
  await page.goto(app.url());
  await expect(page.getByRole('heading', { level: 1, name: 'Not found' })).toBeVisible();
  await stranger.close();
});
