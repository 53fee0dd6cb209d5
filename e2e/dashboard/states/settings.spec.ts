// States of the settings: limits and plans that refuse, an inactive account, a domain of somebody else, axe.
import { contrast, settle, violations } from '../accessibility/violations.ts';
import { expect, test } from '../fixtures.ts';
import { setActive } from '../world/accounts.ts';

test.use({ plan: 'essential' });

test('more redirects than the plan allows, and headers, are refused with the way out', async ({ app, domain }) => {
  await app.goto(`/d/${domain}/settings/redirects`);
  await app.getByRole('button', { name: 'Paste CSV' }).click();
  const paste = app.getByRole('dialog', { name: 'Paste CSV' });
  await paste.getByLabel('Rules').fill(Array.from({ length: 11 }, (_, n) => `/a${n},/b${n}`).join('\n'));
  await paste.getByRole('button', { name: 'Add rules' }).click();
  await app.getByRole('button', { name: 'Save changes' }).click();
  await expect(app.getByRole('alert').filter({ hasText: '11 of 10 redirect rules' })).toBeVisible();
  await app.getByRole('button', { name: 'Discard' }).click();

  await app.goto(`/d/${domain}/settings/headers`);
  await app.getByRole('button', { name: 'Add rule' }).click();
  await app.getByLabel('Name, rule 1 header 1').fill('x-a');
  await app.getByLabel('Value, rule 1 header 1').fill('1');
  await app.getByRole('button', { name: 'Save changes' }).click();

  await expect(app.getByRole('alert').filter({ hasText: 'This needs a higher plan.' })).toBeVisible();
});

test('an inactive account reads its settings and is told why nothing is saved', async ({ app, account, domain }) => {
  await setActive(account, false);
  await app.goto(`/d/${domain}/settings/general`);
  await app.getByLabel('Render on demand').uncheck();
  await app.getByRole('button', { name: 'Save changes' }).click();

  await expect(app.getByRole('main').getByRole('alert').filter({ hasText: 'Account inactive' })).toBeVisible();
  await expect(app.getByRole('region', { name: 'Unsaved changes' })).toBeVisible();
});

test('axe finds nothing in the settings, and nothing scrolls sideways at 320 px', async ({ app, domain }) => {
  test.setTimeout(90_000);
  const tabs = {
    general: 'Origin host',
    redirects: 'Address to test',
    'crawler-policy': 'every crawler is let in',
    headers: 'No rule yet.',
    ignored: 'No path is ignored.',
    sitemap: 'Sitemap address',
    rendering: 'Wait for selector',
    audits: 'checks run.',
    brand: 'Brand name',
    install: 'By DNS',
    remove: 'Remove domain',
  };
  const found: Record<string, string[]> = {};
  for (const [tab, shown] of Object.entries(tabs)) {
    await app.setViewportSize({ width: 1280, height: 800 });
    await app.goto(`/d/${domain}/settings/${tab}`);
    await expect(app.getByRole('main').getByText(shown).first()).toBeVisible();
    await app.emulateMedia({ colorScheme: 'light' });
    await settle(app);
    const light = await violations(app);
    await app.emulateMedia({ colorScheme: 'dark' });
    await settle(app);
    const here = [...light, ...(await contrast(app))];
    if (here.length > 0) found[tab] = here;
    await app.setViewportSize({ width: 320, height: 640 });
    const width = await app.evaluate(() => document.documentElement.scrollWidth);
    if (width > 320) found[`${tab} 320 px`] = [String(width)];
  }

  expect(found).toEqual({});
});
