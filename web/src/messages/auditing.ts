// Words of how a domain is audited. Read as a part of settings.ts.
import { count, counted } from '../lib/numbers';

export const whenTitle = () => 'When and how';
export const schedule = () => 'Schedule';
export const scheduleHint = () =>
  'Between midnight and six o’clock UTC. Scheduled audits count their pages, and not as audits on demand.';
export const frequencies = {
  manual: () => 'Only when started by hand',
  daily: () => 'Daily',
  weekly: () => 'Weekly, on Mondays',
  monthly: () => 'Monthly, on the first',
};
export const findPages = () => 'Find pages by';
export const modes = { follow: () => 'Following links', sitemap: () => 'The sitemap' };
export const runScripts = () => 'Render pages that need it';
export const runScriptsHint = () => 'Shows what only JavaScript adds.';
export const whoIsTold = () => 'Notifications';
export const auditWebhookHint = () => 'Called when an audit ends, signed with a secret. Leave empty for none.';

export const whichPages = () => 'Which pages';
export const include = () => 'Include';
export const includeHint = () => 'Paths, one per line. * stands for any characters. Leave empty for all.';
export const exclude = () => 'Exclude';
export const excludeHint = () => 'Paths that are not audited, one per line.';
export const dropParameters = () => 'Parameters to drop';
export const dropHint = () => 'Query parameters that do not lead to a different page, one per line.';
export const maxPages = () => 'Maximum pages';
export const maxPagesHint = () => 'Leave empty for what your plan allows.';
export const maxDepth = () => 'Maximum clicks from the start page';
export const maxDepthHint = () => 'Leave empty for no limit.';
export const wholeBetween = (least: number, most: number) =>
  `Use a whole number from ${count(least)} to ${count(most)}.`;
export const robotsTitle = () => 'robots.txt';
export const robots = {
  obey: () => 'Obey it',
  ignore: () => 'Ignore it',
  own: () => 'Use a different one instead',
};
export const robotsText = () => 'Text to use instead of robots.txt';

export const howAsked = () => 'How the site is crawled';
export const requestsPerSecond = () => 'Requests per second';
export const rateHint = () => 'Up to 100. Leave empty to go as fast as the site answers well.';
export const rateRange = () => 'Use more than 0 and at most 100.';
export const userAgent = () => 'User agent';
export const userAgentHint = () =>
  'Its first word is the name that robots.txt rules apply to. Leave empty for the default.';
export const userAgentLong = () => 'Use at most 300 characters.';
export const sentHeaders = () => 'Request headers';
export const sentHeadersText = () => 'Sent to your own server only. Values are sealed and never shown again.';
export const noSentHeaders = () => 'None are sent.';
export const storedHeaders = (names: string) => `Sent: ${names}.`;
export const addSentHeader = () => 'Add request header';
export const replaceHeaders = () => 'Replace request headers';
export const keepStored = () => 'Keep what is stored';
export const sentHeaderName = (header: number) => `Name, request header ${count(header)}`;
export const sentHeaderValue = (header: number) => `Value, request header ${count(header)}`;
export const removeSentHeader = (header: number) => `Remove request header ${count(header)}`;
export const mostSentHeaders = (most: number) => `At most ${counted(most, 'header', 'headers')}.`;
export const basicAuth = () => 'Site password';
export const noBasicAuth = () => 'None is sent.';
export const storedUser = (user: string) => `Sent as ${user}.`;
export const setAuth = () => 'Set user and password';
export const replaceAuth = () => 'Replace user and password';
export const emptyRemoves = () => 'Leave empty to send none from now on.';
export const authUser = () => 'User';
export const authPassword = () => 'Password';

export const checks = () => 'Checks';
export const checksOn = (on: number, all: number) => `${count(on)} of ${counted(all, 'check', 'checks')} run.`;
export const chooseChecks = () => 'Choose checks';
export const searchChecks = () => 'Search checks';
export const noChecks = () => 'No check matches.';
export const checkNote = (category: string, severity: string, isDefault: boolean) =>
  `${category}, ${severity}${isDefault ? '' : ', off unless chosen'}`;
export const thresholds = () => 'Check limits';
/** Writes the name of a threshold in words: titleMaxCharacters becomes Title max characters. */
export const thresholdName = (id: string) => {
  const words = id.replaceAll(/([A-Z]+)/g, ' $1').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
export const thresholdHint = (about: string, usual: number, least: number, most: number) =>
  `${about} Usually ${String(usual)}; ${String(least)} to ${String(most)}.`;

export const ignoredFindings = () => 'Ignored findings';
export const ignoredFindingsText = () =>
  'Left out of lists and scores. Findings about the site as a whole have the path /.';
export const ignoredFinding = (position: number) => `Finding, ignored ${count(position)}`;
export const ignoredPath = (position: number) => `Path pattern, ignored ${count(position)}`;
export const addIgnored = () => 'Ignore a finding';
export const removeIgnored = (position: number) => `Remove ignored ${count(position)}`;

export const extractions = () => 'Values to extract';
export const extractionsText = () => 'Prices, authors, dates: shown with each page and in exports. At most 20.';
export const extractionField = (field: string, position: number) => `${field}, value ${count(position)}`;
export const addExtraction = () => 'Add value';
export const removeExtraction = (position: number) => `Remove value ${count(position)}`;
export const extractBy = { selector: () => 'CSS selector', regex: () => 'Regular expression' };
export const searches = () => 'Searches in pages';
export const searchesText = () => 'Finds pages that have a text, or lack it. At most 20.';
export const searchField = (field: string, position: number) => `${field}, search ${count(position)}`;
export const addSearch = () => 'Add search';
export const removeSearch = (position: number) => `Remove search ${count(position)}`;
export const searchBy = { text: () => 'Text', regex: () => 'Regular expression' };
export const searchIn = { text: () => 'What a reader sees', source: () => 'The markup' };
export const sourcesOf = { rendered: () => 'Rendered page', raw: () => 'HTML from the server' };
export const by = () => 'By';
export const pattern = () => 'Pattern';
export const attribute = () => 'Attribute';
export const itsText = () => 'its text';
export const lookAt = () => 'Look at';
export const lookIn = () => 'Look in';
export const pagesWithout = () => 'Pages without it';
export const ruleIncomplete = () => 'Enter a name and a pattern.';
