// axe finds nothing on any screen or dialog, in both themes, on a wide window and on a phone; no screen scrolls sideways at 320 px.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import { expect, signIn, test } from '../fixtures.ts';
import type { Account } from '../world/accounts.ts';
import { allScreens, type Looked } from './looked.ts';

const SCREENS = await allScreens();

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(`${axe}; undefined`);
  const found = (await page.evaluate(
    'axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], preload: false })',
  )) as { violations: Violation[] };
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  );
}

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

/** Ends transitions: colours are looked at where they stay. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(() =>
    Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))),
  );
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
