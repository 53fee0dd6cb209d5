// Parts around every screen: navigation, palette, switcher, theme, keys and their help, the phone's bars, paths without a screen.
import { expect, test } from '../fixtures.ts';

test('the theme is chosen, kept, and set before the first paint', async ({ app }) => {
  await app.goto('/account/profile');
  await app.getByRole('button', { name: 'Theme: System' }).click();

  await app.getByRole('menuitem', { name: 'Dark' }).click();

  await expect(app.getByRole('button', { name: 'Theme: Dark' })).toBeVisible();
  const chosen = () => app.evaluate(() => document.documentElement.dataset.theme);
  expect(await chosen()).toBe('dark');
  await app.reload({ waitUntil: 'commit' });
  await expect.poll(chosen).toBe('dark');
  await app.getByRole('button', { name: 'Theme: Dark' }).click();
  await app.getByRole('menuitem', { name: 'System' }).click();
  await expect.poll(chosen).toBeUndefined();
});

test('the palette opens by its keys and leads to a place', async ({ app }) => {
  await app.goto('/account/profile');
  await expect(app.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await app.keyboard.press('Control+k');
  const palette = app.getByRole('dialog', { name: 'Search or jump to' });
  const field = palette.getByRole('combobox', { name: 'Search or jump to' });
  await expect(field).toBeFocused();

  await field.fill('usage');
  await field.press('Enter');

  await expect(app.getByRole('heading', { level: 1, name: 'Usage' })).toBeFocused();
  await expect(palette).toBeHidden();
});

test('the palette opens empty after a search that was left', async ({ app }) => {
  await app.goto('/account/profile');
  await expect(app.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  const field = app.getByRole('combobox', { name: 'Search or jump to' });
  await app.keyboard.press('Control+k');
  await field.fill('usage');
  await field.press('Escape');
  await expect(field).toBeHidden();

  await app.keyboard.press('Control+k');

  await expect(field).toHaveValue('');
});

test('what is typed before the palette has loaded is in its field', async ({ app }) => {
  await app.goto('/account/profile');
  await expect(app.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await app.route(/dialog-surface/, async (route) => {
    await released;
    await route.continue();
  });

  await app.keyboard.press('Control+k');
  await app.keyboard.type('usage');
  release();

  await expect(app.getByRole('combobox', { name: 'Search or jump to' })).toHaveValue('usage');
});

test('the palette offers what can be done on the screen', async ({ app }) => {
  await app.goto('/account/keys');
  await app.getByRole('button', { name: 'Search or jump to' }).click();
  const field = app.getByRole('combobox', { name: 'Search or jump to' });
  await field.fill('create k');

  await app.getByRole('option', { name: 'Create key' }).click();

  await expect(app.getByRole('dialog', { name: 'Create key' })).toBeVisible();
});

test('Escape closes one layer and gives the focus back', async ({ app }) => {
  await app.goto('/account/profile');
  const opener = app.getByRole('button', { name: 'Search or jump to' });
  await opener.focus();
  await app.keyboard.press('Enter');
  await expect(app.getByRole('combobox', { name: 'Search or jump to' })).toBeFocused();

  await app.keyboard.press('Escape');

  await expect(app.getByRole('dialog')).toHaveCount(0);
  await expect(opener).toBeFocused();
});

test('the help lists the keys; single keys can be switched off and are silent in fields', async ({ app }) => {
  await app.goto('/account/security');
  await expect(app.getByRole('heading', { level: 1, name: 'Security' })).toBeVisible();
  await app.keyboard.press('?');
  const help = app.getByRole('dialog', { name: 'Keys' });
  await expect(help.getByText('Search or jump to')).toBeVisible();
  await app.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await app.getByLabel('New password', { exact: true }).pressSequentially('?g');
  await expect(help).toBeHidden();

  await app.goto('/account/profile');
  await app.getByRole('switch', { name: 'Use single-key shortcuts' }).click();
  await app.getByRole('heading', { level: 1 }).click();
  await app.keyboard.press('?');

  await expect(app.getByRole('switch', { name: 'Use single-key shortcuts' })).not.toBeChecked();
  await expect(help).toBeHidden();
  await app.keyboard.press('Control+k');
  await expect(app.getByRole('dialog', { name: 'Search or jump to' })).toBeVisible();
});

test('a path without a screen says so and leads on', async ({ app }) => {
  await app.goto('/nothing/like.this');

  await expect(app.getByRole('heading', { level: 1, name: 'Not found' })).toBeVisible();
  await expect(app).toHaveTitle(/^Not found/);
  await expect(app.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await app.getByRole('main').getByRole('button', { name: 'Search or jump to' }).click();
  await expect(app.getByRole('dialog', { name: 'Search or jump to' })).toBeVisible();
});

test('the skip link leads past the navigation', async ({ app }) => {
  await app.goto('/account/usage');
  await expect(app.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
  await app.keyboard.press('Tab');
  await expect(app.getByRole('link', { name: 'Skip to content' })).toBeFocused();

  await app.keyboard.press('Enter');

  await expect(app.getByRole('main')).toBeFocused();
});

test('Back and Forward follow the screens, with their heading in focus', async ({ app }) => {
  await app.goto('/account/profile');
  const tabs = app.getByRole('navigation', { name: 'Account' });
  await tabs.getByRole('link', { name: 'API keys' }).click();
  await expect(app.getByRole('heading', { level: 1, name: 'API keys' })).toBeFocused();
  await tabs.getByRole('link', { name: 'Usage' }).click();
  await expect(app.getByRole('heading', { level: 1, name: 'Usage' })).toBeFocused();

  await app.goBack();
  await expect(app.getByRole('heading', { level: 1, name: 'API keys' })).toBeFocused();
  await app.goForward();

  await expect(app.getByRole('heading', { level: 1, name: 'Usage' })).toBeFocused();
  await expect(tabs.getByRole('link', { name: 'Usage' })).toHaveAttribute('aria-current', 'page');
});

test('the bar of a lost connection comes and goes', async ({ app, context }) => {
  await app.goto('/account/profile');
  await expect(app.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  const bar = app.getByRole('status').filter({ hasText: 'You are offline.' });

  await context.setOffline(true);
  await expect(bar).toBeVisible();
  await context.setOffline(false);

  await expect(bar).toBeHidden();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('sections are at the bottom, the account in the menu', async ({ app, account }) => {
    await app.goto('/account/profile');
    const sections = app.getByRole('navigation', { name: 'Main' });
    for (const name of ['Overview', 'Rendering', 'Audits', 'AI mentions', 'Crawlers', 'Settings']) {
      await expect(sections.getByRole('link', { name, exact: true })).toBeVisible();
    }

    await app.getByRole('button', { name: 'Menu' }).tap();
    const menu = app.getByRole('dialog', { name: 'Menu' });
    await expect(menu.getByText(account.email)).toBeVisible();
    await menu.getByRole('link', { name: 'Usage' }).tap();

    await expect(app.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
  });

  test('somebody signs out from the menu', async ({ app }) => {
    await app.goto('/account/profile');
    await app.getByRole('button', { name: 'Menu' }).tap();

    await app.getByRole('button', { name: 'Sign out' }).tap();

    await expect(app.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  });
});
