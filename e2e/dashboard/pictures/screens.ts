// Every screen of the map: where it is, and what it shows when it is there to be taken.
import type { Locator, Page } from '@playwright/test';
import { MAIN, OWNER, PENDING } from '../world/plan.ts';
import type { Places } from './places.ts';

export interface Screen {
  /** Name of its picture. */
  name: string;
  path: (places: Places) => string;
  /** What has to be visible. */
  shows: (page: Page) => Locator[];
  /** What is opened before it is taken. */
  prepare?: (page: Page) => Promise<void>;
  /** Whose session; none: nobody's. */
  isSignedOut?: boolean;
  /** Taken on a phone too. */
  isOnPhone?: boolean;
  /** What has to be visible on a phone, when that is less. */
  showsOnPhone?: (page: Page) => Locator[];
}

const here = (rest: string) => () => `/d/${MAIN}${rest}`;
const inRun = (rest: (places: Places) => string) => (places: Places) =>
  `/d/${MAIN}/audits/${places.runs.at(-1)}${rest(places)}`;
const table = (name: string) => (page: Page) => [
  page.getByRole('table', { name, exact: true }).getByRole('row').nth(1),
];
const heading = (name: string | RegExp) => (page: Page) => [page.getByRole('heading', { level: 1, name })];
const regions =
  (...names: string[]) =>
  (page: Page) =>
    names.map((name) => page.getByRole('region', { name, exact: true }));

const ENTRY: Screen[] = [
  {
    name: 'sign-in',
    path: () => '/sign-in',
    shows: (page) => [page.getByRole('button', { name: 'Sign in' })],
    prepare: (page) => page.getByLabel('E-mail').fill(OWNER.email),
    isSignedOut: true,
    isOnPhone: true,
  },
  { name: 'first-run', path: () => '/first-run', shows: regions('This installation') },
  { name: 'domains', path: () => '/domains', shows: table('Domains') },
  { name: 'add-domain', path: () => '/domains/new', shows: heading('Add domain') },
  {
    name: 'overview',
    path: here(''),
    shows: regions('Crawler visits per day', 'Needs attention', 'AI visibility by assistant', 'Snapshots'),
    isOnPhone: true,
  },
  { name: 'setup', path: () => `/d/${PENDING}/setup`, shows: table('DNS records') },
];

const RENDERING: Screen[] = [
  { name: 'rendering', path: here('/rendering'), shows: table('Snapshots') },
  {
    name: 'refresh',
    path: ({ batch }) => `/d/${MAIN}/rendering/batches/${batch}`,
    shows: heading(/^Refresh of /),
  },
  {
    name: 'person-and-crawler',
    path: here('/rendering/page?path=/pricing'),
    shows: (page) => [page.getByRole('img', { name: /^Live page/ }), page.getByRole('img', { name: /^Snapshot/ })],
    isOnPhone: true,
    showsOnPhone: (page) => [page.getByRole('img', { name: /^Live page/ })],
  },
  {
    name: 'page-as-markdown',
    path: here('/rendering/page?path=/pricing&show=markdown'),
    shows: (page) => [page.getByText(/^About [\d,]+ tokens; the HTML has/)],
  },
];

const AUDITS: Screen[] = [
  { name: 'audits', path: here('/audits'), shows: table('Audits') },
  {
    name: 'start-audit',
    path: here('/audits'),
    shows: table('Audits'),
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Start audit' }).first().click();
      await page.getByRole('dialog', { name: 'Start audit' }).waitFor();
    },
  },
  {
    name: 'audit',
    path: inRun(() => ''),
    shows: regions('Health', 'What to fix first', 'Who may read your site'),
    isOnPhone: true,
  },
  { name: 'audit-issues', path: inRun(() => '/issues'), shows: table('Issues') },
  {
    name: 'audit-issue',
    path: inRun(({ issue }) => `/issues/${issue}`),
    shows: (page) => [...regions('Why it matters', 'How to fix')(page), ...table('Pages with this issue')(page)],
  },
  { name: 'audit-pages', path: inRun(() => '/pages'), shows: table('Pages') },
  {
    name: 'audit-page',
    path: inRun(({ page }) => `/pages/${page}`),
    shows: regions('Issues', 'How it looks when shared'),
  },
  { name: 'audit-links', path: inRun(() => '/links'), shows: table('Links') },
  {
    name: 'audit-link-graph',
    path: inRun(() => '/links?view=graph'),
    shows: (page) => [page.getByRole('img', { name: /^Link graph/ })],
  },
  { name: 'audit-robots', path: inRun(() => '/robots'), shows: regions('robots.txt') },
  {
    name: 'audit-ai-access',
    path: inRun(() => '/ai-access'),
    shows: (page) => [...table('What agents get')(page), ...table('Crawler access')(page)],
  },
  {
    name: 'audit-compare',
    path: ({ runs }) => `/d/${MAIN}/audits/${runs[1]}/compare?with=${runs[0]}`,
    shows: table('Fixed findings'),
  },
];

const MENTIONS: Screen[] = [
  {
    name: 'mentions',
    path: here('/mentions'),
    shows: regions('Visibility', 'What to do', 'Share of voice', 'Latest answer that changed'),
    isOnPhone: true,
  },
  { name: 'mentions-prompts', path: here('/mentions/prompts'), shows: table('Prompts') },
  {
    name: 'mentions-add-prompts',
    path: here('/mentions/prompts'),
    shows: table('Prompts'),
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Add prompts' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add prompts' });
      await dialog
        .getByLabel('Prompts, one per line')
        .fill('How do I version documentation?\nWhich documentation tool has the best search?');
      await dialog
        .getByRole('region', { name: 'Cost' })
        .getByText(/about \$/)
        .first()
        .waitFor();
    },
  },
  { name: 'mentions-prompt', path: ({ prompt }) => `/d/${MAIN}/mentions/prompts/${prompt}`, shows: table('Answers') },
  { name: 'mentions-answers', path: here('/mentions/answers'), shows: table('Answers') },
  {
    name: 'mentions-answer',
    path: ({ answer }) => `/d/${MAIN}/mentions/answers/${answer}`,
    shows: regions('Answer', 'Sources'),
  },
  { name: 'mentions-sources', path: here('/mentions/sources'), shows: table('Sources') },
  { name: 'mentions-competitors', path: here('/mentions/competitors'), shows: table('Competitors') },
  { name: 'mentions-reports', path: here('/mentions/reports'), shows: table('Reports') },
  {
    name: 'mentions-report',
    path: ({ report }) => `/d/${MAIN}/mentions/reports/${report}`,
    shows: heading(/^Report of /),
  },
];

const CRAWLERS: Screen[] = [
  {
    name: 'crawlers',
    path: here('/crawlers'),
    shows: (page) => [...regions('Visits per day', 'Are they who they say?')(page), ...table('Crawlers')(page)],
    isOnPhone: true,
  },
  { name: 'crawlers-pages', path: here('/crawlers/pages'), shows: table('Pages') },
  { name: 'crawlers-errors', path: here('/crawlers/errors'), shows: table('Pages that failed') },
  { name: 'crawlers-people', path: here('/crawlers/people'), shows: table('People from assistants') },
  { name: 'crawlers-live', path: here('/crawlers/live'), shows: table('Live visits') },
  { name: 'crawlers-spoofed', path: here('/crawlers/spoofed'), shows: table('Spoofed crawlers') },
  {
    name: 'share',
    path: ({ shareToken }) => `/share/${MAIN}#${shareToken}`,
    shows: table('Most read pages'),
    isSignedOut: true,
  },
];

const TABS = {
  general: 'General',
  redirects: 'Redirects',
  'crawler-policy': 'Crawler policy',
  headers: 'Headers',
  ignored: 'Ignored paths',
  sitemap: 'Sitemap',
  'root-files': 'Root files',
  indexnow: 'IndexNow',
  rendering: 'Rendering',
  audits: 'Audits',
  brand: 'Brand',
  install: 'Install',
  remove: 'Remove',
};

const SETTINGS: Screen[] = [
  ...Object.entries(TABS).map(([tab, name]) => ({
    name: `settings-${tab}`,
    path: here(`/settings/${tab}`),
    shows: heading(name),
  })),
  { name: 'profile', path: () => '/account/profile', shows: heading('Profile') },
  { name: 'security', path: () => '/account/security', shows: heading('Security') },
  { name: 'people', path: () => '/account/people', shows: table('People') },
  { name: 'keys', path: () => '/account/keys', shows: table('API keys') },
  { name: 'webhooks', path: () => '/account/webhooks', shows: heading('Webhooks') },
  { name: 'usage', path: () => '/account/usage', shows: table('Usage') },
  {
    name: 'palette',
    path: here(''),
    shows: regions('Needs attention'),
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Search or jump to' }).waitFor();
    },
  },
];

export const SCREENS: readonly Screen[] = [...ENTRY, ...RENDERING, ...AUDITS, ...MENTIONS, ...CRAWLERS, ...SETTINGS];
