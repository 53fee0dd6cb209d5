// A newer version was installed while a page is open: the files of the page are gone.
import { expect, test } from '../fixtures.ts';

test('a screen whose file is gone is loaded anew once, then the bar offers it', async ({ app, context }) => {
  await app.goto('/account/profile');
  await expect(app.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  const gone = /\/assets\/usage-[^/]+\.js$/;
  await context.route(gone, (route) => route.fulfill({ status: 404, body: '' }));

  await app.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Usage' }).click();

  const bar = app.getByRole('status').filter({ hasText: 'A new version is there' });
  await expect(bar).toBeVisible();
  await expect(app).toHaveURL('/account/usage');
  await context.unroute(gone);
  await bar.getByRole('button', { name: 'Reload' }).click();
  await expect(app.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
});
