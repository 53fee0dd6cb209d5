// Takes a picture of every screen, light and dark, and of some of them on a phone: make screenshots.
import fs from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, type Page } from '@playwright/test';
import { settle } from '../accessibility/violations.ts';
import { expect, signIn, test } from '../fixtures.ts';
import { runningService } from '../world/accounts.ts';
import { sendCrawler } from '../world/edge.ts';
import { MAIN, OWNER } from '../world/plan.ts';
import { agentOf, type CrawlerName } from '../world/visits.ts';
import { findPlaces, type Places } from './places.ts';
import { SCREENS, type Screen } from './screens.ts';

const folder = path.resolve(process.env.PICTURES ?? path.join(import.meta.dirname, '../../../docs/pictures'));
const DESK: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};

test.describe.configure({ mode: 'default' });

let places: Places;

test.beforeAll(async ({ playwright, baseURL }) => {
  fs.mkdirSync(folder, { recursive: true });
  const request = await playwright.request.newContext({ baseURL: baseURL ?? '' });
  expect((await request.post('/api/session', { data: OWNER })).status()).toBe(204);
  places = await findPlaces(request);
  await request.dispose();
});

async function open(browser: Browser, screen: Screen, options: BrowserContextOptions): Promise<[BrowserContext, Page]> {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  if (!screen.isSignedOut) await signIn(context, OWNER);
  const page = await context.newPage();
  await page.goto(screen.path(places));
  if (screen.name === 'crawlers-live') {
    await page.getByRole('status', { name: 'Connected' }).waitFor();
    await visitNow();
  }
  await isThere(page, screen);
  await screen.prepare?.(page);
  return [context, page];
}

async function isThere(page: Page, screen: Screen): Promise<void> {
  const isPhone = (page.viewportSize()?.width ?? 0) < 860;
  const shown = isPhone && screen.showsOnPhone !== undefined ? screen.showsOnPhone : screen.shows;
  for (const shows of shown(page)) await expect(shows.first()).toBeVisible({ timeout: 40_000 });
  await expect(page.getByText(/^Loading /)).toHaveCount(0);
  await expect(page.getByRole('progressbar', { name: /Loading/ })).toHaveCount(0);
}

/** Some crawlers come while the live list is looked at. */
async function visitNow(): Promise<void> {
  const edge = String(runningService().env.GLASSHOUSE_EDGE__HTTP_LISTEN);
  const names: CrawlerName[] = ['googlebot', 'gptbot', 'claudebot', 'bingbot', 'oaisearchbot'];
  for (const [index, name] of names.entries())
    await sendCrawler(edge, MAIN, agentOf(name), ['/pricing', `/docs/${index}`, `/docs/${index * 40}`]);
}

/** Takes what the window shows, as WebP. */
async function take(page: Page, name: string, quality: number): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await settle(page);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
  await session.detach();
  fs.writeFileSync(path.join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
}

for (const screen of SCREENS) {
  test(`picture of ${screen.name}`, async ({ browser }) => {
    test.setTimeout(90_000);
    const [context, page] = await open(browser, screen, { ...DESK, colorScheme: 'light' });
    await take(page, screen.name, 70);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await take(page, `${screen.name}-dark`, 70);
    await context.close();
    if (screen.isOnPhone !== true) return;
    const [phone, small] = await open(browser, screen, { ...PHONE, colorScheme: 'light' });
    await take(small, `${screen.name}-phone`, 60);
    await phone.close();
  });
}
