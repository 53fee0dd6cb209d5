// Signing in as a person: second factor, recovery codes, a lost password.
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import type { Account } from '../world/accounts.ts';
import { codeOf } from '../world/authenticator.ts';

/** Turns the second factor on, as a person does; returns its secret and the recovery codes. */
async function turnOn(app: Page, account: Account): Promise<{ secret: string; codes: string[] }> {
  await app.goto('/account/security');
  await app.getByRole('button', { name: 'Turn on' }).click();
  const dialog = app.getByRole('dialog', { name: 'Turn the second factor on' });
  await dialog.getByLabel('Password', { exact: true }).fill(account.password);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await expect(dialog.getByRole('img', { name: 'QR code' })).toBeVisible();
  const secret = await dialog.getByLabel('Secret').inputValue();
  await dialog.getByLabel('Code', { exact: true }).fill(codeOf(secret));
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  const kept = app.getByRole('dialog', { name: 'Recovery codes' });
  await expect(kept.getByRole('listitem')).toHaveCount(10);
  const codes = await kept.getByRole('listitem').allTextContents();
  await kept.getByRole('button', { name: 'I have kept them' }).click();
  await expect(kept).toBeHidden();
  return { secret, codes };
}

async function signIn(page: Page, account: Account): Promise<void> {
  await page.context().clearCookies();
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Second step' })).toBeVisible();
}

test('with a second factor signing in takes a second step', async ({ app, account }) => {
  const { secret, codes } = await turnOn(app, account);
  expect(codes).toHaveLength(10);
  await expect(app.getByText('Your second factor is on.')).toBeVisible();
  await signIn(app, account);
  const code = app.getByLabel('Code');
  await expect(code).toBeFocused();
  await code.fill('000000');
  await app.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(code).toHaveAccessibleDescription(/wrong or was used/);

  await code.fill(codeOf(secret, 1));
  await app.getByRole('button', { name: 'Sign in', exact: true }).click();

  await expect(app.getByRole('button', { name: `Account: ${account.email}` })).toBeVisible();
});

test('a recovery code signs in, and another one turns the second factor off', async ({ app, account }) => {
  const { codes } = await turnOn(app, account);
  await signIn(app, account);
  await app.getByLabel('Code').fill(codes[0] ?? '');
  await app.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(app.getByRole('button', { name: `Account: ${account.email}` })).toBeVisible();
  await app.goto('/account/security');
  await app.getByRole('button', { name: 'Turn off' }).click();
  const dialog = app.getByRole('dialog', { name: 'Turn the second factor off' });

  await dialog.getByLabel('Code').fill(codes[1] ?? '');
  await dialog.getByRole('button', { name: 'Turn off' }).click();

  await expect(app.getByText('Your second factor is off.')).toBeVisible();
  const session = await (await app.context().request.get('/api/session')).json();
  expect(session).toMatchObject({ secondFactor: false });
});

test('a lost password is asked for without saying whether the address is known', async ({ page, account }) => {
  for (const email of [account.email, 'nobody@example.test']) {
    await page.goto('/sign-in');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Set another password' })).toBeVisible();
    await page.getByLabel('E-mail').fill(email);

    await page.getByRole('button', { name: 'Send link' }).click();

    await expect(page.getByRole('alert')).toContainText(
      `A link is on its way to ${email}, if somebody signs in with it here.`,
    );
    await expect(page.getByText('glasshouse account set-password')).toBeVisible();
  }
});

test('a link that does not work says so and offers another one', async ({ page }) => {
  await page.goto('/reset#unknown');
  await page.getByLabel('New password', { exact: true }).fill('purple monkey dishwasher');

  await page.getByRole('button', { name: 'Set password' }).click();

  await expect(page.getByRole('alert')).toContainText('This link was used, has expired or is unknown.');
  await expect(page.getByRole('button', { name: 'Send link' })).toBeVisible();
});
