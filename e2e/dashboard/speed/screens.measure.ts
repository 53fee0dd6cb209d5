// How fast the dashboard is in the made world: Lighthouse's performance as on a phone, changes of route and interactions on a processor
// that is four times slower, layout shift. Medians; nothing fails here.
import type { Page } from '@playwright/test';
import { openMeasuredBrowser } from '../accessibility/lighthouse.ts';
import { expect, signIn, test } from '../fixtures.ts';
import { findPlaces, type Places } from '../pictures/places.ts';
import { MAIN, OWNER } from '../world/plan.ts';
import { keep, median, REPETITIONS } from './figures.ts';

const SECTIONS = ['Rendering', 'Audits', 'AI mentions', 'Crawlers', 'Settings', 'Overview'];
const HEADINGS: Record<string, string> = { Settings: 'General' };

function screensOf({ runs }: Places): Record<string, string> {
  return {
    'sign-in': '/sign-in',
    overview: `/d/${MAIN}`,
    rendering: `/d/${MAIN}/rendering`,
    audit: `/d/${MAIN}/audits/${runs.at(-1)}`,
    mentions: `/d/${MAIN}/mentions`,
    crawlers: `/d/${MAIN}/crawlers`,
  };
}

async function slow(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}

/** Milliseconds from a press to the frame in which something is so. */
async function timeOf(page: Page, name: string, role: string, heading: string): Promise<number> {
  const target = page.getByRole(role as 'link', { name }).first();
  // A person points before they press; files of the screen come meanwhile.
  await target.hover();
  await expect(target).toBeVisible();
  return target.evaluate(
    (element, wanted) =>
      new Promise<number>((resolve) => {
        const start = performance.now();
        const look = (): void => {
          const isThere = wanted === '' || document.querySelector('h1')?.textContent?.trim() === wanted;
          requestAnimationFrame(isThere ? () => resolve(performance.now() - start) : look);
        };
        (element as HTMLElement).click();
        look();
      }),
    heading,
  );
}

test('Lighthouse: performance as on a phone', async ({ baseURL, context }) => {
  test.setTimeout(30 * 60_000);
  const address = baseURL ?? '';
  await signIn(context, OWNER);
  const screens = screensOf(await findPlaces(context.request));
  const browser = await openMeasuredBrowser();
  for (const [name, path] of Object.entries(screens)) {
    if (name === 'overview') await signIn(browser.context, OWNER, address);
    const scores: number[] = [];
    for (let time = 0; time < REPETITIONS; time += 1) {
      const found = await browser.scores(`${address}${path}`, ['performance'], 'mobile');
      scores.push(found.scores.performance ?? 0);
    }
    keep(`lighthouse:${name}`, median(scores));
  }
  await browser.close();
});

test('changes of route and interactions, four times slower', async ({ page, context }) => {
  test.setTimeout(10 * 60_000);
  await signIn(context, OWNER);
  await page.goto(`/d/${MAIN}`);
  await expect(page.getByRole('region', { name: 'Needs attention' })).toBeVisible();
  await slow(page);
  const [routes, presses]: [number[], number[]] = [[], []];
  for (let time = 0; time < REPETITIONS; time += 1) {
    for (const section of SECTIONS) {
      routes.push(await timeOf(page, section, 'link', HEADINGS[section] ?? section));
      await expect(page.getByText(/^Loading /)).toHaveCount(0);
    }
    presses.push(await timeOf(page, 'Show as table', 'button', ''));
    presses.push(await timeOf(page, 'Show as chart', 'button', ''));
  }
  keep('route change, ms', median(routes));
  keep('route change, slowest, ms', Math.max(...routes));
  keep('interaction, ms', median(presses));
});

test('layout shift', async ({ page, context }) => {
  test.setTimeout(5 * 60_000);
  await signIn(context, OWNER);
  for (const [name, path] of Object.entries(screensOf(await findPlaces(context.request)))) {
    if (name === 'sign-in') continue;
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByText(/^Loading /)).toHaveCount(0);
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0;
          const observer = new PerformanceObserver((list) => {
            for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
              if (!entry.hadRecentInput) sum += entry.value;
          });
          observer.observe({ type: 'layout-shift', buffered: true });
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
        }),
    );
    keep(`layout shift:${name}`, shift);
  }
});
