// Signing in: what is refused and how, and back to where one came from.
import { expect, signIn, test } from '../fixtures.ts';

const DO_NOT_MATCH = 'This e-mail and password do not match.';

test('signing in leads back to where one came from', async ({ page, account }) => {
  await page.goto('/account/keys?q=build');
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  await expect(page).toHaveTitle(/^Sign in/);

  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();

  await expect(page.getByRole('heading', { level: 1, name: 'API keys' })).toBeFocused();
  await expect(page).toHaveTitle(/^API keys/);
  await expect(page).toHaveURL('/account/keys?q=build');
});

test('a wrong password is said, and the e-mail stays', async ({ page, account }) => {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill('not the password');

  await page.getByRole('button', { name: 'Sign in' }).click();

  await expect(page.getByRole('alert')).toHaveText(new RegExp(DO_NOT_MATCH));
  await expect(page.getByLabel('E-mail')).toHaveValue(account.email);
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('');
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
});

test('an empty form says at each field what is missing', async ({ page }) => {
  await page.goto('/sign-in');

  await page.getByRole('button', { name: 'Sign in' }).click();

  const [email, password] = [page.getByLabel('E-mail'), page.getByLabel('Password', { exact: true })];
  await expect(email).toBeFocused();
  await expect(email).toHaveAttribute('aria-invalid', 'true');
  await expect(email).toHaveAccessibleDescription(/Enter an e-mail address/);
  await expect(password).toHaveAttribute('aria-invalid', 'true');
  await expect(password).toHaveAccessibleDescription(/Enter the password/);
});

test('the password can be shown', async ({ page }) => {
  await page.goto('/sign-in');
  const password = page.getByLabel('Password', { exact: true });
  await password.fill('quay jug');

  await page.getByRole('button', { name: 'Show password' }).click();

  await expect(password).toHaveAttribute('type', 'text');
  await expect(page.getByRole('button', { name: 'Show password' })).toHaveAttribute('aria-pressed', 'true');
});

test.describe('after many attempts', () => {
  // A client of its own: its attempts count towards nobody else's limit.
  test.use({ extraHTTPHeaders: { 'x-forwarded-for': '198.51.100.7' } });

  test('the wait is counted down', async ({ page, account }) => {
    const attempt = () => page.request.post('/api/session', { data: { ...account, password: 'wrong' } });
    for (let attempts = 0; attempts < 10; attempts += 1) expect((await attempt()).status()).toBe(401);
    await page.goto('/sign-in');
    await page.getByLabel('E-mail').fill(account.email);
    await page.getByLabel('Password', { exact: true }).fill(account.password);

    await page.getByRole('button', { name: 'Sign in' }).click();

    await expect(page.getByRole('alert')).toContainText(/Too many attempts. Try again in/);
  });
});

test('without a connection signing in says so and works afterwards', async ({ page, context, account }) => {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toContainText('The server does not answer.');
  await expect(page.getByRole('status').filter({ hasText: 'You are offline.' })).toBeVisible();

  await context.setOffline(false);
  await page.getByRole('button', { name: 'Sign in' }).click();

  await expect(page.getByRole('button', { name: `Account: ${account.email}` })).toBeVisible();
});

test('somebody who is signed in is led on from the page of signing in', async ({ page, context, account }) => {
  await signIn(context, account);

  await page.goto('/sign-in?next=/account/usage');

  await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
});

test('an address of another site is no place to go on to', async ({ page, context, account, baseURL }) => {
  await signIn(context, account);

  await page.goto('/sign-in?next=//example.com/');

  await expect(page.getByRole('button', { name: `Account: ${account.email}` })).toBeVisible();
  expect(new URL(page.url()).origin).toBe(baseURL);
});
