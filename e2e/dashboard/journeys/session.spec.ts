// The end of a session: signing out in every tab, a session that ends by itself, another account in another tab.
import { expect, signIn, test } from '../fixtures.ts';
import { createAccount, setPassword } from '../world/accounts.ts';

test('signing out empties every tab, and Back shows nothing', async ({ app, context, account }) => {
  const other = await context.newPage();
  await app.goto('/account/profile');
  await app.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Usage' }).click();
  await expect(app.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
  await other.goto('/account/keys');
  await expect(other.getByRole('heading', { level: 1, name: 'API keys' })).toBeVisible();

  await app.getByRole('button', { name: `Account: ${account.email}` }).click();
  await app.getByRole('button', { name: 'Sign out' }).click();

  for (const tab of [app, other]) {
    await expect(tab.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
    await expect(tab.getByText(account.email)).toHaveCount(0);
  }
  await app.goBack();
  await expect(app.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  await expect(app.getByText(account.email)).toHaveCount(0);
  expect((await context.request.get('/api/session')).status()).toBe(401);
});

test('after a session has ended one signs in and is where one was', async ({ app, account }) => {
  await app.goto('/account/profile');
  await app.getByRole('link', { name: 'API keys', exact: true }).first().click();
  await expect(app.getByRole('heading', { level: 1, name: 'API keys' })).toBeVisible();
  const password = 'another password of the account';
  await setPassword(account, password);

  await app.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Usage' }).click();

  await expect(app.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  await expect(app.getByText('Your session ended. Sign in to continue where you left off.')).toBeVisible();
  await app.getByLabel('E-mail').fill(account.email);
  await app.getByLabel('Password', { exact: true }).fill(password);
  await app.getByRole('button', { name: 'Sign in' }).click();
  await expect(app.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
});

test('a tab of another account never goes on under the new one', async ({ app, context, account }) => {
  const somebody = await createAccount();
  await app.goto('/account/profile');
  await expect(app.getByRole('button', { name: `Account: ${account.email}` })).toBeVisible();
  const other = await context.newPage();
  await context.clearCookies();
  await other.goto('/sign-in');
  await other.getByLabel('E-mail').fill(somebody.email);
  await other.getByLabel('Password', { exact: true }).fill(somebody.password);

  await other.getByRole('button', { name: 'Sign in' }).click();

  await expect(app.getByRole('button', { name: `Account: ${somebody.email}` })).toBeVisible();
  await expect(app.getByText(account.email)).toHaveCount(0);
});

test('nothing of an account stays in the storage of the browser', async ({ app, account }) => {
  await app.goto('/account/profile');
  await expect(app.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await app.getByRole('button', { name: `Account: ${account.email}` }).click();

  await app.getByRole('button', { name: 'Sign out' }).click();

  await expect(app.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  const kept = await app.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(kept).not.toContain(account.email);
  expect(kept).not.toMatch(/token|csrf|domain/i);
});

test('a page that was kept by the browser is read again', async ({ page, context, account }) => {
  await signIn(context, account);
  await page.goto('/account/profile');
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await page.goto('/api/docs');
  await context.clearCookies();

  await page.goBack();

  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
});
