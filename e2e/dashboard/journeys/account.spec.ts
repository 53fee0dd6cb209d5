// The account: password, keys, usage. What is done here is in the API afterwards.
import { request } from '@playwright/test';
import { expect, test } from '../fixtures.ts';

test('a changed password ends every other session and lets this one go on', async ({ app, account, baseURL }) => {
  const elsewhere = await request.newContext({ baseURL: baseURL ?? '' });
  await elsewhere.post('/api/session', { data: account });
  await app.goto('/account/security');
  await app.getByLabel('Current password', { exact: true }).fill(account.password);
  await app.getByLabel('New password', { exact: true }).fill('purple monkey dishwasher');

  await app.getByRole('button', { name: 'Change password' }).click();

  await expect(app.getByRole('status').filter({ hasText: 'Password changed.' })).toBeVisible();
  expect((await elsewhere.get('/api/session')).status()).toBe(401);
  const again = { email: account.email, password: 'purple monkey dishwasher' };
  expect((await elsewhere.post('/api/session', { data: again })).status()).toBe(204);
  await elsewhere.dispose();
  // The new session has a new token: what changes something works at once.
  await app.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'API keys' }).click();
  await app.getByRole('button', { name: 'Create key' }).first().click();
  await app.getByRole('dialog', { name: 'Create key' }).getByRole('button', { name: 'Create key' }).click();
  await expect(app.getByRole('dialog', { name: 'Key created' })).toBeVisible();
});

test('a wrong current password is said at its field', async ({ app }) => {
  await app.goto('/account/security');
  const current = app.getByLabel('Current password', { exact: true });
  await current.fill('not the password');
  await app.getByLabel('New password', { exact: true }).fill('purple monkey dishwasher');

  await app.getByRole('button', { name: 'Change password' }).click();

  await expect(current).toHaveAttribute('aria-invalid', 'true');
  await expect(current).toHaveAccessibleDescription(/not the current password/);
  await expect(current).toBeFocused();
});

test('a short new password is refused before it is sent', async ({ app, account }) => {
  await app.goto('/account/security');
  await app.getByLabel('Current password', { exact: true }).fill(account.password);
  const fresh = app.getByLabel('New password', { exact: true });
  await fresh.fill('short');

  await app.getByRole('button', { name: 'Change password' }).click();

  await expect(fresh).toHaveAccessibleDescription(/Use at least 12 characters; this has 5/);
  await expect(fresh).toBeFocused();
});

test('a key is made, shown once, works, and is revoked', async ({ app, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await app.goto('/account/keys');
  await app.getByRole('button', { name: 'Create key' }).first().click();
  const creation = app.getByRole('dialog', { name: 'Create key' });
  await creation.getByLabel('Name').fill('Build server');
  await creation.getByRole('button', { name: 'Create key' }).click();
  const created = app.getByRole('dialog', { name: 'Key created' });
  const secret = await created.getByLabel('API key').inputValue();
  expect(secret).toMatch(/^gh_live_/);
  // Only its button closes it: what is lost here is lost.
  await app.keyboard.press('Escape');
  await expect(created).toBeVisible();
  await created.getByRole('button', { name: 'Copy' }).click();
  expect(await app.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await created.getByRole('button', { name: 'Done' }).click();
  await expect(created).toBeHidden();
  const use = () => context.request.get('/api/usage', { headers: { 'x-service-api-key': secret, cookie: '' } });
  expect((await use()).status()).toBe(200);
  const row = app.getByRole('table', { name: 'API keys' }).getByRole('row', { name: /Build server/ });
  await expect(row).toContainText(secret.slice(-4));
  expect(await app.content()).not.toContain(secret);

  await row.getByRole('button', { name: 'Revoke Build server' }).click();
  await app.getByRole('dialog', { name: 'Revoke Build server?' }).getByRole('button', { name: 'Revoke key' }).click();

  await expect(row).toContainText('Revoked');
  await expect.poll(async () => (await use()).status()).toBe(401);
});

test('keeping a key keeps it', async ({ app, context }) => {
  await app.goto('/account/keys');
  await app.getByRole('button', { name: 'Create key' }).first().click();
  const creation = app.getByRole('dialog', { name: 'Create key' });
  await creation.getByLabel('Name').fill('Kept');
  await creation.getByLabel('Name').press('Enter');
  await app.getByRole('dialog', { name: 'Key created' }).getByRole('button', { name: 'Done' }).click();
  await app.getByRole('button', { name: 'Revoke Kept' }).click();

  await app.getByRole('dialog', { name: 'Revoke Kept?' }).getByRole('button', { name: 'Keep key' }).click();

  await expect(app.getByRole('dialog')).toHaveCount(0);
  await expect(app.getByRole('button', { name: 'Revoke Kept' })).toBeFocused();
  const { keys } = (await (await context.request.get('/api/keys')).json()) as { keys: { revokedAt: string | null }[] };
  expect(keys.map((key) => key.revokedAt)).toEqual([null]);
});

test('usage shows what the API says', async ({ app, context }) => {
  const answer = await context.request.get('/api/usage');
  const usage = (await answer.json()) as { limits: { name: string; used: number | null; limit: number }[] };
  const domains = usage.limits.find(({ name }) => name === 'domains');

  await app.goto('/account/usage');

  const row = app.getByRole('table', { name: 'Usage' }).getByRole('row', { name: /^Domains/ });
  await expect(row).toContainText(String(domains?.used));
  await expect(row).toContainText(domains?.limit === -1 ? 'no limit' : String(domains?.limit));
  await expect(app.getByRole('table', { name: 'Usage' }).getByRole('row')).toHaveCount(usage.limits.length + 1);
});

test('a search in a table is in the address and outlives a reload', async ({ app }) => {
  await app.goto('/account/keys');
  await app.getByRole('button', { name: 'Create key' }).first().click();
  await app.getByRole('dialog', { name: 'Create key' }).getByLabel('Name').fill('Build server');
  await app.getByRole('dialog', { name: 'Create key' }).getByRole('button', { name: 'Create key' }).click();
  await app.getByRole('dialog', { name: 'Key created' }).getByRole('button', { name: 'Done' }).click();
  await app.getByLabel('Search keys').fill('nothing like this');
  await expect(app.getByText('No keys match “nothing like this”')).toBeVisible();
  await expect(app).toHaveURL(/q=nothing\+like\+this/);

  await app.reload();

  await expect(app.getByLabel('Search keys')).toHaveValue('nothing like this');
  await app.getByRole('button', { name: 'Clear search' }).click();
  await expect(app.getByRole('row', { name: /Build server/ })).toBeVisible();
});
