// The domains of an account: the list, adding one, and the first run. What is added is in the API afterwards.
import { expect, signIn, test } from '../fixtures.ts';
import { createAccount, newDomain, setActive } from '../world/accounts.ts';

test('a domain is added and its set-up opens, without anything to reload', async ({ app, context }) => {
  const added = newDomain('added');
  await app.goto('/domains');
  await app.getByRole('link', { name: 'Add domain' }).first().click();
  await expect(app.getByRole('heading', { level: 1, name: 'Add domain' })).toBeFocused();
  // People paste addresses.
  await app.getByLabel('Domain', { exact: true }).fill(`https://${added.toUpperCase()}/shop?x=1`);
  await app.getByLabel('Origin host').fill('my-app.example.app');

  await app.getByRole('button', { name: 'Add domain' }).click();

  await expect(app.getByRole('heading', { level: 1, name: `Connect ${added}` })).toBeFocused();
  const answer = await context.request.get(`/api/dashboard/domains/${added}`);
  expect(await answer.json()).toMatchObject({ domain: added, originHost: 'my-app.example.app', status: 'pending' });
});

test('what cannot be added is said at its field, which has the focus', async ({ app, domain }) => {
  const taken = newDomain('taken');
  await createAccount({ domains: [taken] });
  await app.goto('/domains/new');
  const [name, origin] = [app.getByLabel('Domain', { exact: true }), app.getByLabel('Origin host')];
  const add = app.getByRole('button', { name: 'Add domain' });

  for (const [value, said] of [
    ['', /Enter a domain/],
    ['localhost', /not a domain name/],
    [domain, /already on your account/],
    [taken, /connected by another account/],
  ] as const) {
    await name.fill(value);
    await add.click();
    await expect(name).toHaveAccessibleDescription(said);
    await expect(name).toHaveAttribute('aria-invalid', 'true');
    await expect(name).toBeFocused();
  }
  await name.fill(newDomain('fine'));
  for (const [value, said] of [
    ['my-app.lovable.dev', /where the site is edited/],
    [await name.inputValue(), /a different host from the domain/],
  ] as const) {
    await origin.fill(value);
    await add.click();
    await expect(origin).toHaveAccessibleDescription(said);
    await expect(origin).toBeFocused();
  }
});

test('the list shows what the API says, and searches and sorts in the address', async ({ app, context, domain }) => {
  const second = newDomain('second');
  await app.goto('/domains/new');
  await app.getByLabel('Domain', { exact: true }).fill(second);
  await app.getByRole('button', { name: 'Add domain' }).click();
  await expect(app.getByRole('heading', { level: 1, name: `Connect ${second}` })).toBeVisible();
  const answer = await context.request.get('/api/dashboard/sites');
  const { sites, total } = (await answer.json()) as { total: number; sites: { domain: string; attention: number }[] };
  expect(total).toBe(2);

  await app.goto('/domains');

  const table = app.getByRole('table', { name: 'Domains' });
  await expect(table).toHaveAttribute('aria-rowcount', '3');
  // A domain that is not connected needs somebody, and stands first.
  expect(sites[0]?.domain).toBe(second);
  await expect(table.getByRole('row').nth(1)).toContainText(second);
  await expect(table.getByRole('row', { name: second })).toContainText('Pending');
  await expect(table.getByRole('row', { name: domain })).toContainText('Connected');
  await app.getByLabel('Search domains').fill(second);
  await expect(table).toHaveAttribute('aria-rowcount', '2');
  await app.reload();
  await expect(app.getByLabel('Search domains')).toHaveValue(second);
  await table.getByRole('link', { name: second }).click();
  await expect(app.getByRole('heading', { level: 1, name: 'Overview' })).toBeFocused();
});

test('the thing that needs care is named, and selected domains are tagged and found by their tag', async ({
  app,
  context,
  domain,
}) => {
  const second = newDomain('second');
  await app.goto('/domains/new');
  await app.getByLabel('Domain', { exact: true }).fill(second);
  await app.getByRole('button', { name: 'Add domain' }).click();
  await expect(app.getByRole('heading', { level: 1, name: `Connect ${second}` })).toBeVisible();
  await app.goto('/domains');
  const table = app.getByRole('table', { name: 'Domains' });
  const urgent = table.getByRole('row', { name: second }).getByRole('link', { name: /The domain is not connected/ });
  await expect(urgent).toHaveAttribute('href', `/d/${second}/setup`);

  await app.getByLabel(`Select ${domain}`).check();
  await app.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Tag' }).click();
  const dialog = app.getByRole('dialog', { name: 'Tag 1 domain' });
  await dialog.getByLabel('Tag', { exact: true }).fill('Not a tag');
  await dialog.getByRole('button', { name: 'Add tag' }).click();
  await expect(dialog.getByLabel('Tag', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByLabel('Tag', { exact: true }).fill('customers');
  await dialog.getByRole('button', { name: 'Add tag' }).click();
  await expect(app.getByText('1 domain tagged')).toBeVisible();

  await app.getByRole('button', { name: 'Filter' }).click();
  await app.getByLabel('Tag', { exact: true }).selectOption('customers');

  await expect(table).toHaveAttribute('aria-rowcount', '2');
  await expect(table.getByRole('row', { name: domain })).toBeVisible();
  const file = await context.request.get('/api/dashboard/sites?tag=customers&format=csv');
  expect((await file.text()).split('\n')).toHaveLength(3);
});

test('selected domains are audited together, and a refresh that has no sitemap is said by name', async ({
  page,
  context,
}) => {
  const names = [newDomain('one'), newDomain('two')];
  await signIn(context, await createAccount({ domains: names }));
  await page.goto('/domains');
  for (const name of names) await page.getByLabel(`Select ${name}`).check();
  const selection = page.getByRole('region', { name: 'Selection' });

  await selection.getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('dialog', { name: 'Refresh 2 domains?' }).getByRole('button', { name: 'Refresh' }).click();

  await expect(
    page.getByText(/^Not done for one-\w+\.test and two-\w+\.test: The domain has no sitemap/),
  ).toBeVisible();
  await selection.getByRole('button', { name: 'Audit' }).click();
  await page.getByRole('dialog', { name: 'Audit 2 domains?' }).getByRole('button', { name: 'Audit' }).click();
  await expect(page.getByText('2 audits started')).toBeVisible();
  for (const name of names) {
    const answer = await context.request.get('/api/seo-spider/runs', { params: { domain: name } });
    expect(((await answer.json()) as { runs: unknown[] }).runs).toHaveLength(1);
  }
});

test.describe('with the smallest plan', () => {
  test.use({ plan: 'essential' });

  test('the limit of domains says how many are used', async ({ app }) => {
    await app.goto('/domains/new');
    await app.getByLabel('Domain', { exact: true }).fill(newDomain('more'));

    await app.getByRole('button', { name: 'Add domain' }).click();

    await expect(app.getByRole('alert').filter({ hasText: '1 of 1 domain used.' }).first()).toBeVisible();
  });
});

test('an inactive account adds nothing and is told so', async ({ app, account }) => {
  await app.goto('/domains/new');
  await app.getByLabel('Domain', { exact: true }).fill(newDomain('late'));
  await setActive(account, false);

  await app.getByRole('button', { name: 'Add domain' }).click();

  await expect(app.getByRole('alert').filter({ hasText: 'Account inactive' }).first()).toBeVisible();
});

test('an account without a domain begins with the first run', async ({ page }) => {
  const account = await createAccount();
  await page.context().request.post('/api/session', { data: account });

  await page.goto('/');

  await expect(page.getByRole('heading', { level: 1, name: 'Which site should crawlers read?' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'This installation' }).getByText('Database')).toBeVisible();
  const first = newDomain('first');
  await page.getByLabel('Domain', { exact: true }).fill(first);
  await page.getByRole('button', { name: 'Add domain' }).click();
  await expect(page.getByRole('heading', { level: 1, name: `Connect ${first}` })).toBeVisible();
});
