// States of the set-up: behind a CDN, suspended.
import { expect, test } from '../fixtures.ts';
import { newDomain, runningService } from '../world/accounts.ts';
import { send } from '../world/assistants.ts';
import { setDns } from '../world/dns.ts';
import { runCommand } from '../world/service.ts';

test('a domain behind a CDN is told that its records are hidden, and how to connect all the same', async ({
  app,
  context,
}) => {
  const domain = newDomain('cdn');
  setDns(domain, 'A 127.0.9.1');
  await app.goto('/domains/new');
  await app.getByLabel('Domain', { exact: true }).fill(domain);
  await app.getByRole('button', { name: 'Add domain' }).click();

  await expect(app.getByText(`A CDN stands in front of ${domain}.`)).toBeVisible();
  const row = app.getByRole('table', { name: 'DNS records' }).getByRole('row', { name: /^A @/ });
  await expect(row).toContainText('Behind a proxy');
  await expect(row).toContainText('Found 127.0.9.1, which hides the record.');
  await expect(app.getByRole('region', { name: 'Or connect without changing DNS' })).toBeVisible();
  const answer = await context.request.get(`/api/domains/${domain}/records`);
  expect(await answer.json()).toMatchObject({
    records: expect.arrayContaining(
      [{ type: 'A', state: 'proxied' }].map((record) => expect.objectContaining(record) as object),
    ) as object,
  });
});

test('a suspended domain says so on every screen, reads on, and is neither checked nor changed', async ({
  app,
  domain,
}) => {
  await runCommand(runningService(), 'domain', 'suspend', domain);
  const bar = app.getByRole('alert').filter({ hasText: `${domain} is suspended by the operator.` });

  await app.goto(`/d/${domain}`);
  await expect(bar).toBeVisible();
  for (const [section, heading] of [
    ['Rendering', 'Rendering'],
    ['Audits', 'Audits'],
    ['Crawlers', 'Crawlers'],
  ] as const) {
    await app.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: section }).click();
    await expect(app.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await expect(bar).toBeVisible();
  }
  await app.goto(`/d/${domain}/setup`);
  const check = app.getByRole('button', { name: 'Check now' });
  await expect(check).toHaveAttribute('aria-disabled', 'true');
  await expect(check).toHaveAccessibleDescription('A suspended domain is not checked.');
  await expect(app.getByRole('region', { name: 'Check the site' })).toHaveCount(0);
  await app.goto(`/d/${domain}/settings/general`);
  await app.getByLabel('Render on demand').uncheck();
  for (const [path, action] of [
    ['', 'Save changes'],
    ['/rendering', 'Refresh'],
    ['/audits', 'Start audit'],
  ] as const) {
    if (path !== '') {
      await app.goto(`/d/${domain}${path}`);
    }
    const button = app.getByRole('button', { name: action }).first();
    await expect(button).toHaveAttribute('aria-disabled', 'true');
    await expect(button).toHaveAccessibleDescription(/suspended by the operator/);
  }
  await runCommand(runningService(), 'domain', 'resume', domain);
  await app.goto(`/d/${domain}`);
  await expect(app.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await expect(bar).toHaveCount(0);
});

test('a suspended domain offers no action that is refused, and keeps those that are not', async ({
  app,
  domain,
  context,
}) => {
  const promptText = 'Which shop sells hand made pots?';
  const prompt = { action: 'create', domain, promptText, intent: 'comm', active: 0 };
  expect((await send(context.request, 'POST', '/api/ai-mentions/prompts', prompt)).status).toBe(200);
  await runCommand(runningService(), 'domain', 'suspend', domain);
  const palette = app.getByRole('dialog', { name: 'Search or jump to' });
  const looks: string[] = [];
  app.on('request', (request) => {
    if (request.method() === 'POST') looks.push(request.url());
  });

  await app.goto(`/d/${domain}/mentions/prompts`);
  for (const action of ['Resume', 'Edit', 'Delete']) {
    const button = app.getByRole('button', { name: `${action} ${promptText}` });
    await expect(button).toHaveAccessibleDescription(/suspended by the operator/);
    // A person can press what is off.
    await button.click({ force: true });
    await expect(app.getByRole('dialog')).toHaveCount(0);
  }
  for (const [path, heading, action] of [
    ['/mentions/prompts', 'AI mentions', 'Add prompts'],
    ['/audits', 'Audits', 'Start audit'],
    ['/rendering', 'Rendering', 'Re-render all pages'],
    ['/rendering/page?path=/', '/', 'Look again'],
    ['/setup', `Connect ${domain}`, 'Check now'],
  ] as const) {
    await app.goto(`/d/${domain}${path}`);
    await expect(app.getByRole('heading', { level: 1, name: heading, exact: true })).toBeVisible();
    await expect(app.getByRole('alert').filter({ hasText: 'is suspended by the operator' })).toBeVisible();
    await app.keyboard.press('Control+k');
    await expect(palette.getByRole('option', { name: 'Overview' }).first()).toBeVisible();
    await expect(palette.getByRole('option', { name: action, exact: true })).toHaveCount(0);
    await app.keyboard.press('Escape');
  }
  expect(looks).toEqual([]);

  await app.goto(`/d/${domain}/crawlers`);
  await app.getByRole('button', { name: 'Share' }).click();
  await app.getByRole('button', { name: 'Turn sharing on' }).click();
  await expect(app.getByLabel('Public link')).toHaveValue(/#gh_stats_/);
  await app.goto(`/d/${domain}/settings/remove`);
  await app.getByRole('button', { name: 'Remove domain' }).click();
  await app.getByLabel(`Type ${domain} to confirm`).fill(domain);
  await app.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click();
  await expect.poll(async () => (await context.request.get(`/api/dashboard/domains/${domain}`)).status()).toBe(404);
});
