// axe finds nothing on any screen or dialog, in both themes, on a wide window and on a phone; no screen scrolls sideways at 320 px.
import type { Page } from '@playwright/test';
import { expect, signIn, test } from '../fixtures.ts';
import type { Account } from '../world/accounts.ts';
import { allScreens, type Looked } from './looked.ts';
import { settle, violations } from './violations.ts';

const SCREENS = await allScreens();

async function show(
  page: Page,
  account: Account,
  { path, heading, prepare, isSignedOut = false }: Looked,
): Promise<void> {
  if (!isSignedOut) await signIn(page.context(), account);
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
  await expect(page.getByText(/^Loading /)).toHaveCount(0);
  await prepare?.(page);
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [device, width] of [
    ['desktop', 1280],
    ['phone', 390],
  ] as const) {
    test.describe(`${colorScheme}, ${device}`, () => {
      test.use({ colorScheme, viewport: { width, height: 844 } });

      test('axe finds nothing on any screen', async ({ page, account }) => {
        test.setTimeout(120_000);
        const found: Record<string, string[]> = {};
        for (const screen of SCREENS) {
          await page.context().clearCookies();
          await show(page, account, screen);
          await settle(page);
          const here = await violations(page);
          if (here.length > 0) found[screen.name] = here;
        }

        expect(found).toEqual({});
      });
    });
  }
}

test.describe('320 px', () => {
  test.use({ viewport: { width: 320, height: 640 } });

  test('no screen scrolls sideways', async ({ page, account }) => {
    test.setTimeout(90_000);
    const wide: Record<string, number> = {};
    for (const screen of SCREENS) {
      await page.context().clearCookies();
      await show(page, account, screen);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 320) wide[screen.name] = width;
    }

    expect(wide).toEqual({});
  });
});

test('texts of twice the size lose nothing', async ({ page, account }) => {
  test.setTimeout(90_000);
  const cut: Record<string, number> = {};
  for (const screen of SCREENS) {
    await page.context().clearCookies();
    await show(page, account, screen);
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > 1280) cut[screen.name] = width;
  }

  expect(cut).toEqual({});
});
