// People of an account: invited, limited, changed, removed; what each sees. What is done here is in the API afterwards.
import { randomBytes } from 'node:crypto';
import { request, type Browser, type Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { addDomains, createAccount, newDomain } from '../world/accounts.ts';

const PASSWORD = 'purple monkey dishwasher';
const newAddress = () => `${randomBytes(6).toString('hex')}@example.test`;

interface SessionInfo {
  account: { name: string };
}

interface Person {
  id: string;
  email: string;
  role: string;
  domains: string[] | null;
  state: string;
}

async function people(app: Page): Promise<Person[]> {
  const answer = await app.context().request.get('/api/people');
  return ((await answer.json()) as { people: Person[] }).people;
}

/** Invites somebody as the owner does, and returns the path of the link. */
async function invite(
  app: Page,
  email: string,
  role: 'Owner' | 'Editor' | 'Viewer',
  domain: string | null = null,
): Promise<string> {
  await app.goto('/account/people');
  await app.getByRole('button', { name: 'Invite' }).first().click();
  const dialog = app.getByRole('dialog', { name: 'Invite a person' });
  await dialog.getByLabel('E-mail').fill(email);
  await dialog.getByRole('radio', { name: role }).check();
  if (domain !== null) {
    await dialog.getByRole('radio', { name: 'Only some' }).check();
    await dialog.getByRole('checkbox', { name: domain }).check();
  }
  await dialog.getByRole('button', { name: 'Invite' }).click();
  const shown = app.getByRole('dialog', { name: 'Invitation link' });
  const link = new URL(await shown.getByLabel('Invitation link').inputValue());
  // Only its button closes it: what is lost here is lost.
  await app.keyboard.press('Escape');
  await expect(shown).toBeVisible();
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(shown).toBeHidden();
  return link.pathname + link.hash;
}

/** Opens a link in a browser of its own, and joins with a password. */
async function join(browser: Browser, baseURL: string | undefined, path: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: baseURL ?? '', viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(path);
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Accept' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Accept the invitation' })).toHaveCount(0);
  return page;
}

test('somebody is invited, joins with the link, and sees what a viewer sees', async ({ app, browser, baseURL }) => {
  const email = newAddress();
  const path = await invite(app, email, 'Viewer');
  const row = app.getByRole('table', { name: 'People' }).getByRole('row', { name: new RegExp(email) });
  await expect(row).toContainText('Invited');

  const page = await join(browser, baseURL, path);

  await page.goto('/account/usage');
  const tabs = page.getByRole('navigation', { name: 'Account' }).getByRole('link');
  await expect(tabs).toHaveText(['Profile', 'Security', 'Webhooks', 'Usage']);
  await app.reload();
  await expect(row).toContainText('Active');
  expect((await people(app)).find((person) => person.email === email)).toMatchObject({
    role: 'viewer',
    state: 'active',
  });
  // A link works once.
  await page.context().clearCookies();
  await page.goto(path);
  await page.reload();
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Accept' }).click();
  await expect(page.getByRole('alert')).toContainText('This link was used, has expired or is unknown.');
  await page.context().close();
});

test('a person is limited to a domain, and the list says so', async ({ app, domain }) => {
  await app.goto('/account/people');
  const email = newAddress();
  await app.getByRole('button', { name: 'Invite' }).first().click();
  const dialog = app.getByRole('dialog', { name: 'Invite a person' });
  await dialog.getByLabel('E-mail').fill(email);
  await dialog.getByRole('radio', { name: 'Only some' }).check();
  await dialog.getByRole('button', { name: 'Invite' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Choose at least one domain.');
  await dialog.getByRole('checkbox', { name: domain }).check();
  await dialog.getByRole('button', { name: 'Invite' }).click();
  await app.getByRole('dialog', { name: 'Invitation link' }).getByRole('button', { name: 'Done' }).click();

  await expect(app.getByRole('table', { name: 'People' }).getByRole('row', { name: new RegExp(email) })).toContainText(
    domain,
  );

  expect((await people(app)).find((person) => person.email === email)?.domains).toEqual([domain]);
});

test('an editor of one domain works on it, and is refused the rest', async ({
  app,
  account,
  domain,
  browser,
  baseURL,
}) => {
  const other = newDomain('hidden');
  await addDomains(account, [other]);
  const page = await join(browser, baseURL, await invite(app, newAddress(), 'Editor', domain));

  await page.goto(`/d/${domain}/settings/general`);
  await page.getByLabel('Preferred host').selectOption('Without www');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Saved.' })).toBeVisible();

  await page.goto('/domains');
  const rows = page.getByRole('table', { name: 'Domains' }).getByRole('row');
  await expect(rows.filter({ hasText: domain })).toHaveCount(1);
  await expect(rows.filter({ hasText: other })).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Add domain' })).toHaveCount(0);
  await page.goto(`/d/${other}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Not found' })).toBeVisible();
  await page.goto('/account/people');
  await expect(page.getByText('Your role in this account does not allow that.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Invite' })).toHaveCount(0);
  const asked = [`/api/dashboard/domains/${other}`, '/api/people', '/api/keys'];
  const statuses = await Promise.all(asked.map(async (path) => (await page.context().request.get(path)).status()));
  expect(statuses).toEqual([404, 403, 403]);
  await page.context().close();
});

test('a viewer finds what changes something switched off, with the reason', async ({
  app,
  domain,
  browser,
  baseURL,
}) => {
  const page = await join(browser, baseURL, await invite(app, newAddress(), 'Viewer'));

  await page.goto(`/d/${domain}/audits`);

  const start = page.getByRole('button', { name: 'Start audit' }).first();
  await expect(start).toHaveAttribute('aria-disabled', 'true');
  await expect(start).toHaveAccessibleDescription('A viewer changes nothing. An owner can give you another role.');
  await page.context().close();
});

test('a role is changed, and a person removed', async ({ app, browser, baseURL }) => {
  const email = newAddress();
  const page = await join(browser, baseURL, await invite(app, email, 'Viewer'));
  await app.reload();
  await app.getByRole('button', { name: `Change ${email}` }).click();
  const change = app.getByRole('dialog', { name: `Change ${email}` });
  await change.getByRole('radio', { name: 'Editor' }).check();
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(change).toBeHidden();
  expect((await people(app)).find((person) => person.email === email)?.role).toBe('editor');

  await app.getByRole('button', { name: `Remove ${email}` }).click();
  await app
    .getByRole('dialog', { name: `Remove ${email}?` })
    .getByRole('button', { name: 'Remove' })
    .click();

  await expect(app.getByRole('button', { name: `Remove ${email}` })).toHaveCount(0);
  expect((await page.context().request.get('/api/session')).status()).toBe(401);
  await page.context().close();
});

test('the only owner stays, and is told why', async ({ app, account }) => {
  await app.goto('/account/people');
  await app.getByRole('button', { name: `Remove ${account.email}` }).click();
  const dialog = app.getByRole('dialog', { name: `Remove ${account.email}?` });

  await dialog.getByRole('button', { name: 'Remove' }).click();

  await expect(dialog.getByRole('alert')).toContainText('This is the only owner');
  await dialog.getByRole('button', { name: 'Keep' }).click();
  expect(await people(app)).toHaveLength(1);
});

test('a person of two accounts accepts with the session and switches between them', async ({
  app,
  account,
  baseURL,
}) => {
  const other = await createAccount();
  const elsewhere = await request.newContext({ baseURL: baseURL ?? '' });
  await elsewhere.post('/api/session', { data: other });
  const { csrfToken } = (await (await elsewhere.get('/api/session')).json()) as { csrfToken: string };
  const data = { email: account.email, role: 'viewer' };
  const invited = await elsewhere.post('/api/people', { data, headers: { 'x-csrf-token': csrfToken } });
  const link = new URL(((await invited.json()) as { inviteUrl: string }).inviteUrl);
  await elsewhere.dispose();

  await app.goto(link.pathname + link.hash);
  await app.getByRole('button', { name: `Accept as ${account.email}` }).click();
  await expect(app.getByRole('heading', { level: 1, name: 'Accept the invitation' })).toHaveCount(0);
  await app.getByRole('button', { name: `Account: ${account.email}` }).click();
  await expect(app.getByRole('button', { name: other.email, pressed: true })).toBeVisible();
  await app.getByRole('group', { name: 'Switch account' }).getByRole('button', { name: account.email }).click();

  const current = async () => (await (await app.context().request.get('/api/session')).json()) as SessionInfo;
  await expect.poll(async () => (await current()).account.name).toBe(account.email);
});
