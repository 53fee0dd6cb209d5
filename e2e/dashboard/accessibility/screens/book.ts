// Pages of the book, which need no sign-in.
import type { Looked } from '../looked.ts';

const page = (path: string, heading: string): Looked => ({ name: `book: ${path}`, path, heading, isSignedOut: true });

export const SCREENS: readonly Looked[] = [
  page('/docs', 'Glasshouse: documentation'),
  page('/docs/tutorial', 'From nothing to a page that a crawler got'),
  page('/docs/settings', 'Settings'),
  page('/docs/crawlers', 'Crawlers'),
  page('/docs/dashboard', 'The dashboard'),
  page('/docs/integrations/nginx', 'nginx'),
  page('/docs/none', 'No such page'),
];
