// Lighthouse gives the main screens, with data in them, at least 95 for accessibility and for best practices.
import { request as requests } from '@playwright/test';
import { expect, signIn, test } from '../fixtures.ts';
import { runningService } from '../world/accounts.ts';
import { askPrompts, send } from '../world/assistants.ts';
import { audit, startAuditedSite } from '../world/audits.ts';
import { importVisits, shopVisits } from '../world/visits.ts';
import { openMeasuredBrowser } from './lighthouse.ts';

const LEAST = 95;

test('Lighthouse gives at least 95 for accessibility and best practices', async ({ baseURL }) => {
  test.setTimeout(150_000);
  const address = baseURL ?? '';
  const site = await startAuditedSite();
  const [runId] = await Promise.all([audit(site), importVisits(runningService(), site.domain, shopVisits())]);
  const api = await requests.newContext({ baseURL: address });
  expect((await api.post('/api/session', { data: site.account })).status()).toBe(204);
  const brand = { name: 'Kiln', aliases: [], domains: [site.domain], competitors: [] };
  expect((await send(api, 'PUT', `/api/domains/${site.domain}/brand`, brand)).status).toBe(200);
  await askPrompts(api, site.domain, [{ promptText: 'Which kiln fires pots best?' }]);
  const paths = { domain: site.domain, paths: ['/', '/pots/1', '/about'] };
  expect((await send(api, 'POST', '/api/dashboard/cache/invalidate-paths-cache', paths)).status).toBe(200);
  const browser = await openMeasuredBrowser();
  const found: Record<string, unknown> = {};

  for (const [name, path] of Object.entries({
    'sign-in': '/sign-in',
    Overview: `/d/${site.domain}`,
    Rendering: `/d/${site.domain}/rendering`,
    'an audit': `/d/${site.domain}/audits/${runId}`,
    'AI mentions': `/d/${site.domain}/mentions`,
    Crawlers: `/d/${site.domain}/crawlers`,
  })) {
    if (name === 'Overview') await signIn(browser.context, site.account, address);
    const { scores, lost } = await browser.scores(`${address}${path}`, ['accessibility', 'best-practices']);
    if (Object.values(scores).some((score) => score < LEAST)) found[name] = { scores, lost };
  }

  await Promise.all([browser.close(), api.dispose()]);
  site.close();
  expect(found).toEqual({});
});
