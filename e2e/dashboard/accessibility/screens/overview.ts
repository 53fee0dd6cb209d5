// Screens of the list of domains, of adding one, of the set-up and of the overview.
import type { Looked } from '../looked.ts';

export const SCREENS: readonly Looked[] = [
  { name: 'domains', path: '/domains', heading: 'Domains' },
  { name: 'first run', path: '/first-run', heading: 'Which site should crawlers read?' },
  {
    name: 'adding a domain, with an error',
    path: '/domains/new',
    heading: 'Add domain',
    prepare: (page) => page.getByRole('button', { name: 'Add domain' }).click(),
  },
  // The account has one domain, to which the start leads.
  { name: 'overview', path: '/', heading: 'Overview' },
  {
    name: 'set-up',
    path: '/',
    heading: 'Overview',
    prepare: async (page) => {
      await page.goto(`${page.url()}/setup`);
      await page.getByRole('table', { name: 'DNS records' }).waitFor();
    },
  },
];
