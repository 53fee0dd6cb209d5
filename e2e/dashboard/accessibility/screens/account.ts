// Screens of the shell, the session and the account.
import type { Page } from '@playwright/test';
import type { Looked } from '../looked.ts';

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name }).waitFor();

export const SCREENS: readonly Looked[] = [
  { name: 'sign-in', path: '/sign-in', heading: 'Sign in', isSignedOut: true },
  {
    name: 'sign-in with errors',
    path: '/sign-in',
    heading: 'Sign in',
    isSignedOut: true,
    prepare: (page) => page.getByRole('button', { name: 'Sign in' }).click(),
  },
  { name: 'another password', path: '/reset', heading: 'Set another password', isSignedOut: true },
  { name: 'link of another password', path: '/reset#token', heading: 'Set another password', isSignedOut: true },
  { name: 'link of an invitation', path: '/invitation#token', heading: 'Accept the invitation', isSignedOut: true },
  { name: 'profile', path: '/account/profile', heading: 'Profile' },
  { name: 'security', path: '/account/security', heading: 'Security' },
  {
    name: 'set-up of a second factor',
    path: '/account/security',
    heading: 'Security',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Turn on' }).click();
      await dialog(page, 'Turn the second factor on');
    },
  },
  { name: 'people', path: '/account/people', heading: 'People' },
  {
    name: 'invitation of a person',
    path: '/account/people',
    heading: 'People',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Invite' }).first().click();
      await dialog(page, 'Invite a person');
    },
  },
  { name: 'keys', path: '/account/keys', heading: 'API keys' },
  {
    name: 'creation of a key',
    path: '/account/keys',
    heading: 'API keys',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Create key' }).first().click();
      await dialog(page, 'Create key');
    },
  },
  { name: 'webhooks', path: '/account/webhooks', heading: 'Webhooks' },
  {
    name: 'creation of a webhook',
    path: '/account/webhooks',
    heading: 'Webhooks',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Create webhook' }).first().click();
      await dialog(page, 'Create webhook');
    },
  },
  { name: 'deliveries of a webhook', path: '/account/webhooks/none', heading: 'Deliveries' },
  { name: 'usage', path: '/account/usage', heading: 'Usage' },
  { name: 'not found', path: '/nowhere', heading: 'Not found' },
  {
    name: 'palette',
    path: '/account/usage',
    heading: 'Usage',
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await dialog(page, 'Search or jump to');
    },
  },
  {
    name: 'help for keys',
    path: '/account/usage',
    heading: 'Usage',
    prepare: async (page) => {
      await page.keyboard.press('?');
      await dialog(page, 'Keys');
    },
  },
];
