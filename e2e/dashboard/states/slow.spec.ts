// A service that does not answer: a line at once, words after five seconds, and both are gone when the answer comes.
import { expect, test } from '../fixtures.ts';

test('a screen that waits says so after five seconds, and no longer once the answer is there', async ({
  app,
  domain,
}) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await app.route('**/api/dashboard/overview?*', async (route) => {
    await held;
    await route.continue();
  });
  const words = app.getByRole('status').filter({ hasText: 'The server is taking a long time to answer.' });

  await app.goto(`/d/${domain}`);
  await expect(app.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await expect(words).toBeVisible();
  release();

  await expect(words).toHaveCount(0);
  await expect(app.getByRole('region', { name: 'Needs attention' })).toBeVisible();
});

test('a long name of a domain and of a brand scrolls no screen sideways', async ({ app, domain, context }) => {
  const name = `${'Extraordinarily'.repeat(5)} Ltd`;
  const session = (await (await context.request.get('/api/session')).json()) as { csrfToken: string };
  const answer = await context.request.put(`/api/domains/${domain}/brand`, {
    data: { name, aliases: [], domains: [domain], competitors: [{ name: 'Y'.repeat(78), aliases: [], domains: [] }] },
    headers: { 'x-csrf-token': session.csrfToken },
  });
  expect(answer.ok()).toBe(true);

  for (const width of [320, 1280]) {
    await app.setViewportSize({ width, height: 800 });
    for (const path of ['', '/mentions', '/mentions/competitors', '/settings/brand', '/setup']) {
      await app.goto(`/d/${domain}${path}`);
      await expect(app.getByRole('heading', { level: 1 })).toBeVisible();
      const overflow = await app.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, `${path} at ${width}`).toBeLessThanOrEqual(0);
    }
  }
});

test('on a phone every field of the settings has a label that shows', async ({ app, domain }) => {
  await app.setViewportSize({ width: 390, height: 800 });
  await app.goto(`/d/${domain}/settings/redirects`);
  await app.getByRole('button', { name: 'Add rule' }).click();

  await expect(app.getByText('From, rule 1')).toBeInViewport();
  for (const label of await app.locator('main label').all()) {
    expect((await label.boundingBox())?.width ?? 0).toBeGreaterThan(20);
  }
});
