// States of AI mentions: nothing yet, no key, a small sample, a spent budget, refusals.
import { expect, test } from '../fixtures.ts';
import { setActive } from '../world/accounts.ts';
import { askPrompts, send } from '../world/assistants.ts';
import { runCommand, startService } from '../world/service.ts';

test('a domain without prompts is told how to begin, and every tab says that nothing is there yet', async ({
  app,
  domain,
}) => {
  const texts = [
    ['', 'No prompt yet'],
    ['/prompts', 'No prompt yet'],
    ['/answers', 'No answer yet'],
    ['/sources', 'No source yet'],
    ['/competitors', 'No competitor yet'],
    ['/reports', 'No report yet'],
  ] as const;

  for (const [tab, text] of texts) {
    await app.goto(`/d/${domain}/mentions${tab}`);
    await expect(app.getByRole('heading', { name: text })).toBeVisible();
  }
  await app.goto(`/d/${domain}/mentions`);
  await app.getByRole('main').getByRole('button', { name: 'Add prompts' }).last().click();

  await expect(app.getByRole('dialog', { name: 'Add prompts' })).toBeVisible();
});

test('few answers are called early, a spent budget is said, and an inactive account is refused', async ({
  app,
  context,
  account,
  domain,
}) => {
  await askPrompts(context.request, domain, [{ promptText: 'Which tools host documentation?', providers: ['gemini'] }]);
  const where = `/api/domains/${domain}/monitoring`;
  expect((await send(context.request, 'PATCH', where, { budgetUsdPerMonth: 0 })).status).toBe(200);

  await app.goto(`/d/${domain}/mentions`);

  await expect(app.getByText(/^Early: 1 answer in this period/)).toBeVisible();
  await expect(app.getByText('The budget of this domain is spent.')).toBeVisible();
  await setActive(account, false);
  await app.getByRole('button', { name: 'Add prompts' }).click();
  const dialog = app.getByRole('dialog', { name: 'Add prompts' });
  await dialog.getByLabel('Prompts, one per line').fill('Is this refused?');
  await dialog.getByRole('button', { name: 'Add prompts' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Account inactive');
  await expect(dialog.getByLabel('Prompts, one per line')).toHaveValue('Is this refused?');
});

test('without a key every assistant says so, and paused prompts can be kept', async ({ browser }) => {
  test.setTimeout(60_000);
  const service = await startService();
  try {
    const account = { email: 'nokey@example.test', password: 'purple monkey dishwasher' };
    const { email, password } = account;
    await runCommand(service, 'account', 'create', '--email', email, '--password', password, '--plan', 'agency');
    await runCommand(service, 'domain', 'add', 'nokey.test', '--account', email, '--status', 'connected');
    const context = await browser.newContext({ baseURL: service.address });
    await context.request.post('/api/session', { data: account });
    const page = await context.newPage();
    await page.goto('/d/nokey.test/mentions');

    await expect(page.getByText('No assistant can be asked yet.')).toBeVisible();
    await page.getByRole('button', { name: 'Add prompts' }).first().click();
    for (const name of ['ChatGPT', 'Perplexity', 'Gemini', 'Claude', 'AI Overviews'])
      await expect(page.getByRole('dialog').getByLabel(name)).toBeDisabled();
    await context.close();
  } finally {
    await service.stop();
  }
});

test('another account’s prompts, answers and reports are not found', async ({ app, domain }) => {
  const id = '01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10';

  for (const [list, name] of [
    ['prompts', 'Prompts'],
    ['answers', 'Answers'],
    ['reports', 'Reports'],
  ] as const) {
    await app.goto(`/d/${domain}/mentions/${list}/${id}`);
    await expect(app.getByRole('heading', { level: 1, name: 'Not found' })).toBeVisible();
    await app.getByRole('main').getByRole('link', { name, exact: true }).last().click();
    await expect(app).toHaveURL(new RegExp(`/mentions/${list}$`));
  }
});
