// axe finds nothing on any screen or dialog, in both themes, on a wide window and on a phone; no screen scrolls sideways at 320 px.
import type { Page } from '@playwright/test';
import { expect, signIn, test } from '../fixtures.ts';
import type { Account } from '../world/accounts.ts';
import { allScreens, type Looked } from './looked.ts';
import { contrast, settle, violations } from './violations.ts';

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

/** Looks at each screen in both themes, and then at what `more` says of it. Returns what is wrong, by screen. */
async function lookAtAll(
  page: Page,
  account: Account,
  more: (page: Page) => Promise<string[]>,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const screen of SCREENS) {
    await page.context().clearCookies();
    await page.emulateMedia({ colorScheme: 'light' });
    await show(page, account, screen);
    await settle(page);
    const light = await violations(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await settle(page);
    const here = [...light, ...(await contrast(page)), ...(await more(page))];
    if (here.length > 0) found[screen.name] = here;
  }
  return found;
}

async function wider(page: Page, most: number, what: string): Promise<string[]> {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  return width > most ? [`${what}: ${String(width)} px`] : [];
}

test('axe finds nothing on any screen, and texts of twice the size lose nothing', async ({ page, account }) => {
  test.setTimeout(120_000);
  await page.setViewportSize({ width: 1280, height: 844 });

  const found = await lookAtAll(page, account, async () => {
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
    return wider(page, 1280, 'twice the size');
  });

  expect(found).toEqual({});
});

test('axe finds nothing on any screen on a phone, and none scrolls sideways at 320 px', async ({ page, account }) => {
  test.setTimeout(120_000);
  await page.setViewportSize({ width: 390, height: 844 });

  const found = await lookAtAll(page, account, async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    const wide = await wider(page, 320, 'on 320 px');
    await page.setViewportSize({ width: 390, height: 844 });
    return wide;
  });

  expect(found).toEqual({});
});
