// States of the crawlers of a domain: none yet, nothing of a kind, links that do not work.
import { expect, test } from '../fixtures.ts';

test('a domain that no crawler visited says so, and every page has its own empty state', async ({ app, domain }) => {
  await app.goto(`/d/${domain}/crawlers`);
  await expect(app.getByText('No crawler has come yet')).toBeVisible();
  await expect(app.getByRole('link', { name: 'Check the set-up' })).toHaveAttribute('href', `/d/${domain}/setup`);
  const tabs = app.getByRole('navigation', { name: 'Crawlers' });
  for (const [tab, text] of [
    ['Pages', 'No page was read'],
    ['Errors', 'No page failed'],
    ['People', 'No visitors from assistants'],
    ['Live', 'Waiting for the next visit'],
    ['Spoofed', 'Nobody pretended to be a crawler'],
  ] as const) {
    await tabs.getByRole('link', { name: tab }).click();
    await expect(app.getByRole('heading', { level: 3, name: text })).toBeVisible();
    if (tab === 'Errors') await expect(app.getByText('robots.txt could not be read')).toBeVisible();
  }
});

test('a public link without its end, with a wrong one, or of another domain says what is wrong', async ({
  app,
  page,
  context,
  domain,
}) => {
  await app.goto(`/d/${domain}/crawlers`);
  await app.getByRole('button', { name: 'Share' }).click();
  await app.getByRole('button', { name: 'Turn sharing on' }).click();
  const link = new URL(await app.getByLabel('Public link').inputValue());

  await page.goto(link.pathname);
  await expect(page.getByRole('heading', { name: 'This link is not complete' })).toBeVisible();
  // Another fragment alone loads nothing anew.
  await page.goto(`${link.pathname}#gh_stats_nobodyevermadethis0000`);
  await expect(page.getByRole('heading', { name: 'This link is not complete' })).toBeVisible();
  await page.goto(`/share/other.test${link.hash}`);
  await expect(page.getByRole('heading', { name: 'This link belongs to another domain' })).toBeVisible();

  // The session of this browser is as it was.
  expect((await context.request.get('/api/session')).status()).toBe(200);
  await page.goto(`/d/${domain}/crawlers`);
  await expect(page.getByRole('heading', { level: 1, name: 'Crawlers' })).toBeVisible();
});
