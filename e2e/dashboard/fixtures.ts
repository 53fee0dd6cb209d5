// Fixtures of every journey: an account of its own, a page that is signed in, and a watch over console and network.
// Every journey fails on a message in the console and on a request to another host.
// See docs/decisions/0007.
import { expect, test as base, type BrowserContext, type Page } from '@playwright/test';
import { createAccount, newDomain, type Account, type Plan } from './world/accounts.ts';

export { expect };

interface Fixtures {
  /** Plan of the account. */
  plan: Plan;
  /** An account with one domain, which nobody else uses. */
  account: Account;
  /** Domain of the account. */
  domain: string;
  /** A page whose browser is signed in to the account. */
  app: Page;
}

/** Signs a browser in, by the API. */
export async function signIn(context: BrowserContext, account: Account, address = ''): Promise<void> {
  const answer = await context.request.post(`${address}/api/session`, { data: account });
  expect(answer.status(), await answer.text()).toBe(204);
}

/** Fails a journey on what a person would not see: console messages, script errors, requests to other hosts. */
function watch(context: BrowserContext, address: string): string[] {
  const found: string[] = [];
  context.on('console', (message) => {
    // The browser reports refused and failed requests by itself; what a screen makes of them is what journeys look at.
    if (/^Failed to load resource/.test(message.text())) return;
    found.push(`console ${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (error) => found.push(`script error: ${error.error().stack ?? error.error().message}`));
  context.on('request', (request) => {
    if (!request.url().startsWith(`${address}/`) && !request.url().startsWith('data:'))
      found.push(`request to ${request.url()}`);
  });
  return found;
}

export const test = base.extend<Fixtures>({
  plan: ['agency', { option: true }],
  domain: async ({}, use) => use(newDomain('shop')),
  account: async ({ plan, domain }, use) => use(await createAccount({ plan, domains: [domain] })),
  context: async ({ context, baseURL }, use) => {
    const found = watch(context, baseURL ?? '');
    await use(context);
    expect(found, 'messages in the console and requests to other hosts').toEqual([]);
  },
  app: async ({ page, context, account }, use) => {
    await signIn(context, account);
    await use(page);
  },
});
