// Answers to AI agents on the screen of an audit: what the domain's settings say is what the screen shows.
import { keyApi } from '../../lib/service.mjs';
import { settle, violations } from '../accessibility/violations.ts';
import { expect, signIn, test } from '../fixtures.ts';
import { runningService } from '../world/accounts.ts';
import { audit, startAuditedSite } from '../world/audits.ts';

test('each AI agent is told with what it gets, and the rule that keeps it out leads to the policy', async ({
  page,
}) => {
  test.setTimeout(90_000);
  const site = await startAuditedSite();
  const run = await audit(site);
  const api = keyApi(runningService(), site.key);
  const rules = [{ match: { crawler: 'claude-code' }, action: 'pay' }];
  await api('PUT', `/api/domains/${site.domain}/crawler-policy`, { mode: 'enforce', rules });

  await signIn(page.context(), site.account);
  await page.goto(`/d/${site.domain}/audits/${run}/ai-access`);

  const agents = page.getByRole('region', { name: 'What agents get' });
  await expect(agents).toContainText('1 is refused.');
  const row = (name: RegExp) => agents.getByRole('row', { name });
  await expect(row(/^Claude Code/)).toContainText('A refusal, 402');
  await expect(row(/^Claude Code/)).toContainText('Rule 1 of the crawler policy refuses it.');
  await expect(row(/^Cursor/)).toContainText('It asks for Markdown.');
  await expect(row(/^ChatGPT-User/)).toContainText('Finished HTML');
  await agents.getByRole('button', { name: /^All \d+ agents$/ }).click();
  await expect(row(/^Aider/)).toBeVisible();
  await settle(page);
  expect(await violations(page)).toEqual([]);
  await agents.getByRole('link', { name: 'Crawler policy' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Crawler policy' })).toBeVisible();
  site.close();
});
