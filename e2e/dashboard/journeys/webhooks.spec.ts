// Webhooks: made, tried out, sent again, switched off, deleted. What is done here is in the API afterwards.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

let server: Server;
let address: string;
let received: Received[];

test.beforeEach(async () => {
  received = [];
  server = createServer((incoming, outgoing) => {
    let body = '';
    incoming.on('data', (part: Buffer) => (body += part.toString()));
    incoming.on('end', () => {
      received.push({ headers: incoming.headers, body });
      outgoing.writeHead(received.length === 1 ? 500 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});

test.afterEach(() => {
  server.close();
});

async function webhooks(app: Page): Promise<{ id: string; url: string; events: string[]; enabled: boolean }[]> {
  const answer = await app.context().request.get('/api/webhooks');
  return ((await answer.json()) as { webhooks: { id: string; url: string; events: string[]; enabled: boolean }[] })
    .webhooks;
}

test('a webhook is made, shows its secret once, and a test that failed is sent again', async ({ app }) => {
  await app.goto('/account/webhooks');
  await app.getByRole('button', { name: 'Create webhook' }).first().click();
  const creation = app.getByRole('dialog', { name: 'Create webhook' });
  await creation.getByRole('button', { name: 'Create webhook' }).click();
  await expect(creation.getByText('Choose at least one event.')).toBeVisible();
  await creation.getByLabel('Address').fill(address);
  await creation.getByRole('checkbox', { name: 'An audit is over' }).check();
  await creation.getByRole('button', { name: 'Create webhook' }).click();
  const created = app.getByRole('dialog', { name: 'Webhook created' });
  expect(await created.getByLabel('Secret').inputValue()).toMatch(/^whsec_/);
  await created.getByRole('button', { name: 'Done' }).click();
  expect((await webhooks(app)).map(({ url, events }) => [url, events])).toEqual([[address, ['audit.completed']]]);

  await app.getByRole('link', { name: address }).click();
  await expect(app.getByRole('heading', { name: 'Deliveries', exact: true })).toBeVisible();
  await app.getByRole('button', { name: 'Send test' }).click();

  const row = app.getByRole('row').filter({ hasText: 'Test' });
  await expect(row.getByText('500')).toBeVisible();
  await row.getByRole('button', { name: 'Send Test again' }).click();
  await expect(row.getByText('Delivered')).toBeVisible();
  expect(received[0]?.headers['webhook-id']).toBe(received.at(-1)?.headers['webhook-id']);
  expect((JSON.parse(received[0]?.body ?? '') as { type: string }).type).toBe('webhook.test');
});

test('a webhook is switched off and deleted', async ({ app }) => {
  const made = { url: address, format: 'ntfy', events: ['limit.near'] };
  const { csrfToken } = (await (await app.context().request.get('/api/session')).json()) as { csrfToken: string };
  const headers = { 'x-csrf-token': csrfToken };
  expect((await app.context().request.post('/api/webhooks', { data: made, headers })).status()).toBe(201);
  await app.goto('/account/webhooks');
  const host = new URL(address).host;

  await app.getByRole('button', { name: `Turn ${host} off` }).click();
  await expect(app.getByRole('button', { name: `Turn ${host} on` })).toBeVisible();
  expect((await webhooks(app)).map(({ enabled }) => enabled)).toEqual([false]);
  await app.getByRole('button', { name: `Delete ${host}` }).click();
  await app
    .getByRole('dialog', { name: `Delete the webhook of ${host}?` })
    .getByRole('button', { name: 'Delete webhook' })
    .click();

  await expect(app.getByText('No webhook yet')).toBeVisible();
  expect(await webhooks(app)).toEqual([]);
});
