// The demo domain of an installation: every screen of it says what is made up, and screens of other domains do not.
import { expect, signIn, test } from '../fixtures.ts';
import { createAccount, newDomain, runningService } from '../world/accounts.ts';
import { runCommand } from '../world/service.ts';

const BAR = 'Demo domain. Pages, snapshots and audits are real; crawler visits and AI answers are made up.';
/** Sections, and the headings of their first screens. */
const SECTIONS = [
  ['Overview', 'Overview'],
  ['Rendering', 'Rendering'],
  ['Audits', 'Audits'],
  ['AI mentions', 'AI mentions'],
  ['Crawlers', 'Crawlers'],
  ['Settings', 'General'],
] as const;

test('every screen of the demo domain says what is made up, and leads to a domain of one’s own', async ({
  page,
  context,
}) => {
  const service = runningService();
  // A second try finds the demo domain of the first one.
  await runCommand(service, 'domain', 'remove', service.demo).catch(() => undefined);
  const other = newDomain('shop');
  await signIn(context, await createAccount({ domains: [service.demo, other] }));
  const bar = page.getByText(BAR);

  await page.goto(`/d/${service.demo}/setup`);
  await expect(bar).toBeVisible();
  for (const [section, heading] of SECTIONS) {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: section }).click();
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await expect(bar).toBeVisible();
  }
  await page.goto(`/d/${other}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await expect(page.getByRole('main')).toContainText('Crawler visits');
  await expect(bar).toBeHidden();

  await page.goto(`/d/${service.demo}`);
  await page.getByRole('link', { name: 'Add your domain' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Add domain' })).toBeVisible();
  await expect(bar).toBeHidden();
});
