// Screens that are looked at by axe, in every theme and on every width. A new screen adds a line.
import type { Page } from '@playwright/test';

export interface Looked {
  name: string;
  path: string;
  /** Heading of the screen: it is there when the screen is. */
  heading: string;
  /** What is opened or pressed before it is looked at. */
  prepare?: (page: Page) => Promise<void>;
  isSignedOut?: boolean;
}

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
  { name: 'profile', path: '/account/profile', heading: 'Profile' },
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
