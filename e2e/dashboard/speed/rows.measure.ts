// Frames a second while a table of many rows is scrolled: the snapshots of a domain, of a service that runs already
// (DASHBOARD_ADDRESS, ROWS_DOMAIN, ROWS_EMAIL, ROWS_PASSWORD).
import { expect, signIn, test } from '../fixtures.ts';
import { keep, median, REPETITIONS } from './figures.ts';

const DOMAIN = process.env.ROWS_DOMAIN ?? '';

test('frames a second over all rows', async ({ page, context }) => {
  test.setTimeout(10 * 60_000);
  await signIn(context, { email: process.env.ROWS_EMAIL ?? '', password: process.env.ROWS_PASSWORD ?? '' });
  await page.goto(`/d/${DOMAIN}/rendering`);
  const table = page.getByRole('table', { name: 'Snapshots' });
  await expect(table.getByRole('row').nth(5)).toBeVisible();
  const rows = Number(await table.getAttribute('aria-rowcount')) - 1;
  const found: { rate: number; most: number }[] = [];
  for (let time = 0; time < REPETITIONS; time += 1) {
    found.push(
      await table.evaluate(async (element) => {
        // What scrolls is the nearest ancestor that can, else the page.
        let area: Element = element;
        const canScroll = (one: Element) =>
          one.scrollHeight > one.clientHeight + 10 && /auto|scroll/.test(getComputedStyle(one).overflowY);
        while (!canScroll(area) && area.parentElement !== null) area = area.parentElement;
        const [steps, height] = [300, area.scrollHeight - area.clientHeight];
        let most = 0;
        const start = performance.now();
        for (let step = 1; step <= steps; step += 1) {
          area.scrollTop = (height * step) / steps;
          await new Promise((resolve) => requestAnimationFrame(resolve));
          most = Math.max(most, element.querySelectorAll('tbody tr').length);
        }
        const rate = (1000 * steps) / (performance.now() - start);
        area.scrollTop = 0;
        return { rate, most };
      }),
    );
  }
  keep('rows', rows);
  keep('frames a second', median(found.map(({ rate }) => rate)));
  keep('rows in the document', Math.max(...found.map(({ most }) => most)));
});
