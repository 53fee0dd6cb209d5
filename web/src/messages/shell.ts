// Words of what surrounds every screen: navigation, switcher, palette, keys, bars.
import { count, counted } from '../lib/numbers';

export const skip = () => 'Skip to content';
export const main = () => 'Main';
export const overview = () => 'Overview';
export const rendering = () => 'Rendering';
export const audits = () => 'Audits';
export const mentions = () => 'AI mentions';
export const mentionsShort = () => 'Mentions';
export const crawlers = () => 'Crawlers';
export const settings = () => 'Settings';

export const domain = (name: string) => `Domain: ${name}`;
export const noDomain = () => 'Choose a domain';
export const switchDomain = () => 'Switch domain';
export const filterDomains = () => 'Filter domains';
export const domainsWhat = () => 'Domains';
export const allDomains = () => 'All domains';
export const addDomain = () => 'Add domain';
export const noDomainMatches = (query: string) => `No domain matches “${query}”.`;
export const noDomainsYet = () => 'No domain yet.';
export const needsAttention = (things: number) => `${counted(things, 'needs', 'need')} attention`;
export const domainStatus: Record<string, () => string> = {
  pending: () => 'Pending',
  connected: () => 'Connected',
  'via api': () => 'Via API',
  suspended: () => 'Suspended',
};

/** Names of sections with a badge: Audits, 18 errors. */
export const errorsBadge = (section: string, errors: number) => `${section}, ${counted(errors, 'error', 'errors')}`;
export const attentionBadge = (section: string, things: number) =>
  `${section}, ${counted(things, 'thing needs', 'things need')} attention`;
export const manyBadge = () => '999+';
export const demoBar = () =>
  'Demo domain. Pages, snapshots and audits are real; crawler visits and AI answers are made up.';
export const addYours = () => 'Add your domain';

export const search = () => 'Search or jump to';
export const shortcut = (isMac: boolean) => (isMac ? '⌘ K' : 'Ctrl K');
export const results = () => 'Results';
export const groupDo = () => 'Do';
export const groupGo = () => 'Go to';
/** Pages of the sections, as the palette names them. */
export const places = {
  setup: () => 'Set-up',
  prompts: () => 'Prompts',
  answers: () => 'Answers of assistants',
  sources: () => 'Sources of answers',
  competitors: () => 'Competitors',
  reports: () => 'Reports',
  readPages: () => 'Pages that crawlers read',
  failures: () => 'Pages that failed, robots.txt',
  people: () => 'People from assistants',
  live: () => 'Live visits',
  spoofed: () => 'Spoofed visits',
  redirects: () => 'Redirects',
  crawlerPolicy: () => 'Crawler policy, blocked crawlers',
  headers: () => 'Headers',
  ignored: () => 'Ignored paths',
  sitemap: () => 'Sitemap',
  rootFiles: () => 'Root files: robots.txt, sitemap, llms.txt',
  indexNow: () => 'IndexNow',
  notFound: () => 'Missing pages (not found)',
  interval: () => 'Refresh interval, blocked addresses',
  schedule: () => 'Schedule, webhook',
  brand: () => 'Brand name, aliases',
  install: () => 'Install',
  remove: () => 'Remove domain',
};
export const groupPages = () => 'Pages';
export const groupDomains = () => 'Domains';
export const nothingFound = (query: string) => `Nothing matches “${query}”.`;
export const resultCount = (results: number) => counted(results, 'result', 'results');
export const esc = () => 'Esc';

export const themeIs = (theme: string) => `Theme: ${theme}`;
export const themes = { system: () => 'System', light: () => 'Light', dark: () => 'Dark' };
export const useTheme = (theme: string) => `Use the theme ${theme}`;

export const account = (email: string) => `Account: ${email}`;
export const profile = () => 'Profile';
export const security = () => 'Security';
export const people = () => 'People';
export const switchAccount = () => 'Switch account';
export const switchFailed = () => 'The account was not switched. Try again.';
export const apiKeys = () => 'API keys';
export const webhooks = () => 'Webhooks';
export const usage = () => 'Usage';
export const signOut = () => 'Sign out';
export const signOutFailed = () => 'Signing out failed: the server does not answer. You are still signed in.';
export const menu = () => 'Menu';
export const rendersIn = (month: string) => `Renders in ${month}`;
export const rendersOf = (limit: number) => (limit < 0 ? '' : ` of ${count(limit)}`);

export const help = () => 'Keys';
export const helpText = () => 'Shortcuts do nothing while you type in a field.';
export const keysOff = () => 'Single-key shortcuts are switched off in your profile.';
export const helpKey = () => 'This help';
export const keyThen = () => 'then';
export const enter = () => 'Enter';
export const openRow = () => 'Open the row';
export const closeLayer = () => 'Close what is open';

export const notFound = () => 'Not found';
export const notFoundText = () => 'There is no such page, or it belongs to another account.';
export const toStart = () => 'Go to the start';

export const appName = () => 'Glasshouse';
export const notReachableTitle = () => 'Glasshouse does not answer';
export const notReachableText = () => 'The server is down or starting. Your data is safe.';
export const startTitle = () => 'Your domains did not load';
