// States of the list of keys: nothing yet, a part of the service that is missing, no connection.
import { expect, test } from '../fixtures.ts';

test('an account without keys is told what they are for', async ({ app }) => {
  await app.goto('/account/keys');

  await expect(app.getByText('No API key yet')).toBeVisible();
  await expect(app.getByRole('main').getByRole('button', { name: 'Create key' })).toHaveCount(2);
});

test('what was loaded stays while there is no connection, and says that it is old', async ({ app, context }) => {
  await app.goto('/account/usage');
  await expect(app.getByRole('table', { name: 'Usage' })).toBeVisible();
  const tabs = app.getByRole('navigation', { name: 'Account' });
  await tabs.getByRole('link', { name: 'API keys' }).click();
  await expect(app.getByText('No API key yet')).toBeVisible();

  await context.setOffline(true);
  await tabs.getByRole('link', { name: 'Usage' }).click();

  await expect(app.getByRole('table', { name: 'Usage' })).toBeVisible();
  await expect(app.getByText('You are offline.').first()).toBeVisible();
});
