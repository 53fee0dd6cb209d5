// The book below /docs: public, by keyboard, without JavaScript, with Markdown beside each page.
import { expect, test } from '../fixtures.ts';

test('a reader goes by keyboard from the contents to a page and on to the next', async ({ page }) => {
  await page.goto('/docs');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the page' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(page.getByText('On this page')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'From nothing to a page that a crawler got' }).first()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(
    page.getByRole('heading', { level: 1, name: 'From nothing to a page that a crawler got' }),
  ).toBeVisible();

  await page.getByRole('navigation', { name: 'Onward' }).getByRole('link', { name: 'One command' }).press('Enter');

  await expect(page.getByRole('heading', { level: 1, name: 'One command' })).toBeVisible();
  const contents = page.getByRole('navigation', { name: 'Contents' });
  await expect(contents.getByRole('link', { name: 'One command' })).toHaveAttribute('aria-current', 'page');
});

test('the theme that was chosen in the dashboard is that of the book', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.goto('/docs');
  const light = await background();

  await page.evaluate(() => localStorage.setItem('glasshouse.theme', 'dark'));
  await page.reload();

  expect(await background()).not.toBe(light);
});

test('Markdown and the list for language models are beside the pages', async ({ page, request }) => {
  await page.goto('/docs/settings');
  const beside = await page.getByRole('link', { name: 'Markdown of this page' }).getAttribute('href');

  const markdown = await request.get(beside ?? '');
  const list = await request.get('/docs/llms.txt');

  expect(markdown.headers()['content-type']).toBe('text/markdown; charset=utf-8');
  expect(await markdown.text()).toMatch(/^# Settings\n/);
  expect(list.headers()['content-type']).toBe('text/plain; charset=utf-8');
  expect(await list.text()).toContain('(/docs/settings.md)');
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } });

  test('every link of the contents leads to a page', async ({ page, request }) => {
    await page.goto('/docs');
    await page.getByRole('link', { name: 'Contents' }).click();
    await expect(page.getByRole('navigation', { name: 'Contents' })).toBeInViewport();

    const links = await page.getByRole('navigation', { name: 'Contents' }).getByRole('link').all();

    expect(links.length).toBeGreaterThan(25);
    for (const link of links) {
      const path = (await link.getAttribute('href')) ?? '';
      expect((await request.get(path)).status(), path).toBe(200);
    }
  });

  test('a page that the book has not leads back', async ({ page }) => {
    const answer = await page.goto('/docs/none');

    expect(answer?.status()).toBe(404);
    await page.getByRole('link', { name: '↑ Documentation' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Glasshouse: documentation' })).toBeVisible();
  });
});
