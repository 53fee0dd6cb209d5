// Long lists: the domains of an agency and 50,000 pages of a domain, of which the document never has more than 60 rows.
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { addDomains, newDomain, runningService } from '../world/accounts.ts';
import { importPages } from '../world/visits.ts';

// One after the other: both have the command line write much.
test.describe.configure({ mode: 'default' });

const MOST_ROWS = 60;

/** Scrolls a table to a share of its height and returns the most rows that the document had on the way. */
async function scrollTo(page: Page, table: string, share: number): Promise<number> {
  return page.getByRole('table', { name: table }).evaluate(async (element, to) => {
    const scroller = element.closest('[data-rows]') as HTMLElement;
    let most = 0;
    const from = scroller.scrollTop;
    const end = (scroller.scrollHeight - scroller.clientHeight) * to;
    for (let step = 1; step <= 5; step += 1) {
      scroller.scrollTop = from + ((end - from) * step) / 5;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      most = Math.max(most, document.querySelectorAll('tr').length);
    }
    // Heights that were guessed are measured by now.
    if (to === 1) scroller.scrollTop = scroller.scrollHeight;
    return most;
  }, share);
}

test.describe('an account of an agency', () => {
  test.use({ plan: 'enterprise' });

  test('70 domains are searched and scrolled, and the document has a few of them', async ({ app, account }) => {
    test.setTimeout(90_000);
    const base = newDomain('shop').replace('.test', '');
    const names = Array.from({ length: 70 }, (_, index) => `${base}-${String(index + 1).padStart(2, '0')}.test`);
    await addDomains(account, names);

    await app.goto('/domains?sort=domain&order=desc');

    const table = app.getByRole('table', { name: 'Domains' });
    await expect(table).toHaveAttribute('aria-rowcount', '72');
    expect(await scrollTo(app, 'Domains', 1)).toBeLessThanOrEqual(MOST_ROWS);
    await expect(table.getByRole('row', { name: `${base}-01.test` })).toBeVisible();
    await app.getByLabel('Search domains').fill(`${base}-50`);
    await expect(table).toHaveAttribute('aria-rowcount', '2');
    await table.getByRole('link', { name: `${base}-50.test` }).click();
    await expect(app.getByRole('heading', { level: 1, name: 'Overview' })).toBeFocused();
    await expect(app).toHaveURL(new RegExp(`/d/${base}-50.test$`));
  });
});

test('50,000 pages are sorted by the service, and the document never has more than 60 rows', async ({
  app,
  domain,
}) => {
  test.setTimeout(120_000);
  const slow = { timeout: 30_000 };
  await importPages(runningService(), domain, 50_000);

  await app.goto(`/d/${domain}/crawlers/pages?sort=path&order=asc`);

  const table = app.getByRole('table', { name: 'Pages' });
  await expect(table).toHaveAttribute('aria-rowcount', '50001', slow);
  await expect(table.getByRole('row', { name: /\/page\/00001/ })).toBeVisible(slow);
  expect(await scrollTo(app, 'Pages', 0.5)).toBeLessThanOrEqual(MOST_ROWS);
  expect(await scrollTo(app, 'Pages', 1)).toBeLessThanOrEqual(MOST_ROWS);
  await expect(table.getByRole('row', { name: /\/page\/50000/ })).toBeVisible(slow);
  // The place in the list is in the address, and a reload comes back to it.
  await expect(app).toHaveURL(/at=49\d{3}/);
  await app.reload();
  await expect(table.getByRole('row', { name: /\/page\/49995/ })).toBeVisible(slow);
});
