// Journeys by the keyboard alone.
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, role: 'button' | 'link' | 'textbox' | 'combobox', name: string): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true });
  for (let presses = 0; presses < 40; presses += 1) {
    if (await wanted.evaluateAll((found) => found.some((element) => element === document.activeElement))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${role} ${name}`);
}

test('somebody signs in, makes a key and signs out without a pointer', async ({ page, account }) => {
  await page.goto('/account/keys');
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  await tabTo(page, 'textbox', 'E-mail');
  await page.keyboard.type(account.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(account.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'API keys' })).toBeFocused();

  await tabTo(page, 'button', 'Create key');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Create key' }).getByLabel('Name')).toBeFocused();
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Key created' })).toBeVisible();
  await tabTo(page, 'button', 'Done');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('row', { name: /By keyboard/ })).toBeVisible();

  await tabTo(page, 'button', `Account: ${account.email}`);
  await page.keyboard.press('Enter');
  await tabTo(page, 'button', 'Sign out');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
});

test('the focus stays in a dialog', async ({ app }) => {
  await app.goto('/account/keys');
  await app.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = app.getByRole('dialog', { name: 'Create key' });
  await expect(dialog.getByLabel('Name')).toBeFocused();

  const isInside = () => dialog.evaluate((element) => element.contains(document.activeElement));
  for (let presses = 0; presses < 8; presses += 1) {
    await app.keyboard.press('Tab');
    expect(await isInside()).toBe(true);
  }
});
