// States of the account as a whole.
import { expect, test } from '../fixtures.ts';
import { setActive } from '../world/accounts.ts';

test('an inactive account is told so on every screen, and reads on', async ({ app, account }) => {
  await setActive(account, false);

  await app.goto('/account/usage');
  const bar = app.getByRole('alert').filter({ hasText: 'Account inactive.' });
  await expect(bar).toBeVisible();
  await expect(app.getByRole('table', { name: 'Usage' })).toBeVisible();
  await app.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Profile' }).click();
  await expect(bar).toBeVisible();
  await setActive(account, true);
  await app.reload();

  await expect(app.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await expect(bar).toHaveCount(0);
});
