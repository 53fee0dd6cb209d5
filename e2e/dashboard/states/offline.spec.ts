// Without a connection: what was loaded stays and says that it is old; with the connection back the figures come by themselves.
import { expect, test } from '../fixtures.ts';
import { runningService } from '../world/accounts.ts';
import { importVisits } from '../world/visits.ts';

test('a screen that lost its connection keeps its figures, and has the new ones when the connection is back', async ({
  app,
  context,
  domain,
}) => {
  const service = runningService();
  await importVisits(service, domain, [{ daysAgo: 0, crawler: 'bingbot', path: '/', count: 5 }]);
  await app.goto(`/d/${domain}/crawlers`);
  const bingbot = app.getByRole('table', { name: 'Crawlers' }).getByRole('row', { name: /bingbot/ });
  await expect(bingbot).toContainText('5');
  const tabs = app.getByRole('navigation', { name: 'Crawlers' });
  await tabs.getByRole('link', { name: 'Pages' }).click();
  await expect(app.getByRole('table', { name: 'Pages' }).getByRole('row')).toHaveCount(2);

  const bar = app.getByRole('status').filter({ hasText: 'You are offline.' });

  await context.setOffline(true);
  await expect(bar).toBeVisible();
  await tabs.getByRole('link', { name: 'Overview' }).click();
  await expect(bingbot).toContainText('5');
  await tabs.getByRole('link', { name: 'Pages' }).click();
  // What was never loaded says why it is not there.
  await app.getByRole('button', { name: 'New', exact: true }).click();
  await expect(app.getByRole('region', { name: 'Pages' }).getByText('You are offline.')).toBeVisible();
  await importVisits(service, domain, [{ daysAgo: 0, crawler: 'bingbot', path: '/late', count: 36 }]);
  await context.setOffline(false);

  await expect(bar).toHaveCount(0);
  await expect(app.getByRole('table', { name: 'Pages' }).getByRole('row', { name: /\/late/ })).toContainText('36');
});
