// The check of a site in the set-up: findings with their remedies, what the API says, refusals, and a site that does not answer.
import type { BrowserContext } from '@playwright/test';
import { settle, violations } from '../accessibility/violations.ts';
import { expect, test } from '../fixtures.ts';
import { startPublicSite } from '../world/public-site.ts';

test('a check says what is wrong, what it means and what to do on the platform, by keyboard alone', async ({
  app,
  domain,
}) => {
  const site = await startPublicSite(domain);
  test.skip(site === null, 'this user may not listen on port 80');
  await app.goto(`/d/${domain}/settings/install`);
  await app.getByRole('link', { name: 'Check the site' }).click();
  const panel = app.getByRole('region', { name: 'Check the site' });
  await panel.getByLabel('Crawler').selectOption('GPTBot');
  const path = panel.getByLabel('Path');
  await path.fill('pricing');
  await path.press('Enter');
  await expect(path).toHaveAccessibleDescription(/begins with \//);
  await expect(path).toBeFocused();
  await path.fill('/pricing');
  const answered = app.waitForResponse((answer) => answer.url().endsWith('/verify'));

  await path.press('Enter');

  const report = (await (await answered).json()) as {
    checks: { id: string; ok: boolean; detail: string; remedy: string | null }[];
  };
  const found = report.checks.filter(({ ok }) => !ok);
  expect(report.checks).toHaveLength(20);
  expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining(['crawler_snapshot', 'missing_page']));
  await expect(panel.getByRole('status')).toContainText(`${found.length} of`);
  await expect(panel.getByRole('status')).toContainText(
    `http://${domain}/pricing as GPTBot and as a person, on Cloudflare`,
  );
  const findings = panel.getByRole('list', { name: 'Results of the check' }).first();
  await expect(findings.getByRole('listitem')).toHaveCount(found.length);
  const [first] = found;
  const row = findings.getByRole('listitem').filter({ hasText: 'Crawlers do not get the content of the page' });
  await expect(row).toContainText('Error: Found');
  await expect(row).toContainText(first?.detail ?? '');
  await expect(row).toContainText('Crawlers that run no scripts see an empty page');
  await expect(row).toContainText('What to do on Cloudflare');
  await expect(row).toContainText((first?.remedy ?? '').replaceAll('`', ''));
  await panel.getByText(`${report.checks.length - found.length} checks without a finding`).press('Enter');
  await expect(panel.getByRole('listitem').filter({ hasText: 'HEAD is answered like GET' })).toContainText('Passed');
  await settle(app);
  expect(await violations(app)).toEqual([]);
  await app.setViewportSize({ width: 320, height: 640 });
  expect(await app.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect(site?.agents.some((agent) => agent.includes('GPTBot'))).toBe(true);
  site?.close();
});

/** Sends checks until the service refuses one. */
async function useUp(context: BrowserContext, domain: string) {
  const { csrfToken } = (await (await context.request.get('/api/session')).json()) as { csrfToken: string };
  await expect
    .poll(
      async () =>
        (
          await context.request.post(`/api/domains/${domain}/verify`, {
            headers: { 'x-csrf-token': csrfToken },
            data: {},
          })
        ).status(),
      { intervals: [0] },
    )
    .toBe(429);
}

test('the seventh check of a minute waits as long as the service says', async ({ app, context, domain }) => {
  await app.goto(`/d/${domain}/setup`);
  const panel = app.getByRole('region', { name: 'Check the site' });
  await expect(panel).toBeVisible();
  await useUp(context, domain);

  await panel.getByRole('button', { name: 'Check the site' }).click();

  await expect(panel.getByRole('alert')).toContainText(/Six checks a minute are allowed. The next one is in \d+ s/);
  await expect(panel.getByRole('button', { name: 'Check the site' })).toHaveAttribute('aria-disabled', 'true');
});

test('what a check found stays in view while the next one waits', async ({ app, context, domain }) => {
  const site = await startPublicSite(domain);
  test.skip(site === null, 'this user may not listen on port 80');
  await app.goto(`/d/${domain}/setup`);
  const panel = app.getByRole('region', { name: 'Check the site' });
  await panel.getByRole('button', { name: 'Check the site' }).click();
  const findings = panel.getByRole('list', { name: 'Results of the check' }).first();
  await expect(findings).toBeVisible();
  await useUp(context, domain);

  await panel.getByRole('button', { name: 'Check again' }).click();

  await expect(panel.getByRole('alert')).toContainText('Six checks a minute are allowed');
  await expect(findings).toBeVisible();
  site?.close();
});

test('a site that does not answer is told with the reason', async ({ app, domain }) => {
  await app.goto(`/d/${domain}/setup`);
  const panel = app.getByRole('region', { name: 'Check the site' });

  await panel.getByRole('button', { name: 'Check the site' }).click();

  await expect(panel.getByRole('alert')).toContainText(
    new RegExp(`${domain} could be reached neither as a crawler nor as a person: [a-z].+[.]$`),
  );
});
