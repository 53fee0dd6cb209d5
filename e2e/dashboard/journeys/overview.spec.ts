// The overview: its figures and sentences are those of the API, what is dismissed stays hidden and can be had back.
import type { APIRequestContext } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { newDomain } from '../world/accounts.ts';

interface Overview {
  visits: { total: number };
  attention: { id: string }[];
}

async function overviewOf(request: APIRequestContext, domain: string): Promise<Overview> {
  const answer = await request.get('/api/dashboard/overview', { params: { domain } });
  expect(answer.status()).toBe(200);
  return (await answer.json()) as Overview;
}

test('the only domain opens at once, and its figures are those of the API', async ({ app, context, domain }) => {
  const { visits, attention } = await overviewOf(context.request, domain);

  await app.goto('/');

  await expect(app.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await expect(app).toHaveURL(`/d/${domain}`);
  const main = app.getByRole('main');
  await expect(main.getByRole('link', { name: /^Crawler visits/ })).toContainText(String(visits.total));
  for (const name of ['Served from cache', 'Site health', 'AI visibility', 'People from assistants']) {
    await expect(main.getByRole('link', { name: new RegExp(`^${name}`) })).toBeVisible();
  }
  expect(attention).toEqual([]);
  await expect(main.getByRole('region', { name: 'Needs attention' })).toContainText('Nothing needs you');
  for (const name of ['Crawler visits per day', 'Most read pages', 'Since your last visit', 'Snapshots']) {
    await expect(main.getByRole('region', { name })).toBeVisible();
  }
});

test('a domain that is not connected leads to its set-up; what is dismissed can be had back', async ({
  app,
  context,
}) => {
  const domain = newDomain('pending');
  await app.goto('/domains/new');
  await app.getByLabel('Domain', { exact: true }).fill(domain);
  await app.getByRole('button', { name: 'Add domain' }).click();
  await expect(app.getByRole('heading', { level: 1, name: `Connect ${domain}` })).toBeVisible();
  await app.goto(`/d/${domain}`);
  await expect(app.getByText(`${domain} is not connected yet: continue the set-up.`)).toBeVisible();
  await expect(app.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Overview, 1/ })).toBeVisible();
  const needs = app.getByRole('region', { name: 'Needs attention' });
  const ids = async () => (await overviewOf(context.request, domain)).attention.map(({ id }) => id);
  expect(await ids()).toEqual(['not_connected']);

  await needs.getByRole('button', { name: 'Dismiss The domain is not connected' }).click();
  await expect(needs).toContainText('Nothing needs you');
  await expect.poll(ids).toEqual([]);
  await app.getByRole('button', { name: 'Undo' }).click();

  await expect(needs.getByRole('link', { name: /The domain is not connected/ })).toBeVisible();
  await expect.poll(ids).toEqual(['not_connected']);
  await needs.getByRole('link', { name: /The domain is not connected/ }).click();
  await expect(app.getByRole('heading', { level: 1, name: `Connect ${domain}` })).toBeFocused();
});

test('the first steps tick themselves, and can be hidden', async ({ app, context, domain }) => {
  await app.goto(`/d/${domain}`);
  const steps = app.getByRole('region', { name: 'First steps' });
  await expect(steps).toContainText('0 of 4 done');
  await expect(steps.getByRole('link', { name: 'Set the sitemap' })).toHaveAttribute(
    'href',
    `/d/${domain}/settings/sitemap`,
  );
  const { csrfToken } = (await (await context.request.get('/api/session')).json()) as { csrfToken: string };
  await context.request.post(`/api/domains/${domain}/stats-token`, { headers: { 'x-csrf-token': csrfToken } });

  await app.reload();

  await expect(steps).toContainText('1 of 4 done');
  await steps.getByRole('button', { name: 'Hide first steps' }).click();
  await expect(steps).toHaveCount(0);
  await app.reload();
  await expect(app.getByRole('region', { name: 'Needs attention' })).toBeVisible();
  await expect(steps).toHaveCount(0);
});

test('the range is in the address and outlives a reload', async ({ app, domain }) => {
  await app.goto(`/d/${domain}`);
  await app.getByRole('button', { name: 'Date range: Last 30 days' }).click();
  await app.getByRole('menuitem', { name: 'Last 7 days' }).click();
  await expect(app).toHaveURL(/range=7/);

  await app.reload();

  await expect(app.getByRole('button', { name: 'Date range: Last 7 days' })).toBeVisible();
  await expect(app.getByText('No crawler visited in 7 days.')).toBeVisible();
});

test('a domain of another account is not found', async ({ app }) => {
  await app.goto(`/d/${newDomain('foreign')}`);

  await expect(app.getByRole('heading', { level: 1, name: 'Not found' })).toBeVisible();
});
