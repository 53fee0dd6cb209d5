// Words that several screens of audits share: the list, the frame of a run, columns, categories.
import { count, counted, delta } from '../../lib/numbers';

export const audits = () => 'Audits';
export const audit = () => 'Audit';
export const auditsWhat = () => 'audits';
export const auditBefore = () => 'Previous audit';
export const auditAfter = () => 'Next audit';
export const auditOf = (day: string) => `Audit of ${day}`;
export const date = () => 'Date';
export const status = () => 'Status';
export const health = () => 'Health';
export const findings = () => 'Findings';
export const findingsWhat = () => 'findings';
export const pages = () => 'Pages';
export const startedBy = () => 'Started by';
export const noValue = () => '–';
export const none = () => 'none';
export const nothing = () => 'nothing';

export const runStatus = {
  queued: () => 'Queued',
  running: () => 'Running',
  success: () => 'Finished',
  limit_reached: () => 'Page limit reached',
  partial: () => 'Partial',
  error: () => 'Failed',
};
export const triggers = { api: () => 'API key', manual: () => 'Person', scheduled: () => 'Schedule' };
export const modes = {
  follow: () => 'Links followed',
  sitemap: () => 'Sitemap',
  selected: () => 'Chosen addresses',
};
export const bands = { weak: () => 'Weak', fair: () => 'Fair', good: () => 'Good', excellent: () => 'Excellent' };
export const bandIs = { weak: () => 'weak', fair: () => 'fair', good: () => 'good', excellent: () => 'excellent' };
export const bandText = () => 'Up to 30 is weak, up to 70 fair, up to 90 good; above that is excellent.';
export const sampledError = (error: number) => `Estimated from samples, give or take ${delta(error).replace('+', '')}.`;

export const listLede = (score: string, band: string, when: string) =>
  `Health ${score}, ${band.toLowerCase()}, in the audit of ${when}.`;
export const listLedeEmpty = (domain: string) =>
  `An audit reads ${domain} as crawlers do and says what to fix, and what to fix first.`;
export const noAuditsTitle = () => 'No audit yet';
export const noAuditsText = () => 'The first one takes a few minutes for a small site.';

/** Names of facts by their field; one that is not here is shown as it is. */
const facts: Record<string, string> = {
  title: 'Title',
  metaDesc: 'Description',
  canonical: 'Canonical',
  metaRobots: 'Robots',
  h1: 'Heading 1',
  wordCount: 'Words',
  links: 'Internal links',
  structuredData: 'Structured data',
  hreflang: 'Language versions',
  statusCode: 'Status',
  indexable: 'Indexable',
};
export const overview = () => 'Overview';
export const issues = () => 'Issues';
export const links = () => 'Links';
export const robots = () => 'Robots and sitemaps';
export const aiAccess = () => 'AI access';
export const compare = () => 'Compare';
export const exportAs = () => 'Export';
export const csv = () => 'CSV';
export const ndjson = () => 'NDJSON';
export const xml = () => 'XML';
export const exportParts: Record<string, () => string> = {
  pages: () => 'Pages',
  findings: () => 'Findings',
  links: () => 'Links',
  external: () => 'Links to other sites',
  resources: () => 'Resources',
  redirects: () => 'Redirects',
  images: () => 'Images',
  hreflang: () => 'Language versions',
  sitemap: () => 'Sitemap of the pages',
};
export const pagesCrawled = () => 'Pages crawled';
export const pagesSoFar = (pages: number, waiting: number) => {
  const crawled = pages === 1 ? 'page crawled' : 'pages crawled';
  return waiting > 0 ? `${crawled}, ${counted(waiting, 'address waits', 'addresses wait')}` : crawled;
};
export const progressTold = (pages: number, waiting: number) =>
  `${counted(pages, 'page', 'pages')} crawled, ${counted(waiting, 'address waits', 'addresses wait')}`;
export const probesLeft = (left: number) =>
  `All pages are known. ${counted(left, 'image, script or link to another site is', 'images, scripts and links to other sites are')} still being checked, one a second for each site and for five minutes at most.`;
export const queuedText = () => 'It starts as soon as the previous audit has ended.';
export const runningText = () => 'You can leave this page: the audit continues. Stop audit keeps the results so far.';
export const results = () => 'Results';
export const noResultsYet = () => 'No results yet';
export const noResultsYetText = () => 'They appear here when the audit has ended.';
export const failedTitle = () => 'This audit has no results.';
export const failedText = () => 'The site could not be read.';
export const partialTitle = () => 'This audit did not read the whole site.';
/** Sentences by the reason why a run ended. */
export const closeReasons: Record<string, (pages: number) => string> = {
  url_limit: (pages) => `It ended at the page limit, after ${counted(pages, 'page', 'pages')}.`,
  time_limit: (pages) => `It ended at the time limit, after ${counted(pages, 'page', 'pages')}.`,
  cancelled: (pages) => `It was stopped after ${counted(pages, 'page', 'pages')}.`,
  crashed: (pages) => `It failed several times and ended after ${counted(pages, 'page', 'pages')}.`,
  unreachable: () => 'The site does not answer, or its robots.txt forbids the audit.',
};
export const failedPagesReason = () =>
  'More than a tenth of its addresses could not be read: the server gave no answer or an error.';
export const continues = () => 'The audit was interrupted by a restart and continues where it was.';
export const firstTitle = () => 'This is the first audit of the domain.';
export const firstText = () => 'Changes appear from the second audit on.';
export const archivedTitle = () => 'Archived.';
export const archivedText = () =>
  'Pages of audits older than seven days are in the archive: nothing is missing, but they may load more slowly.';
export const archiveAway = () =>
  'The pages of this audit are in the archive, which cannot be read now. Nothing is lost.';

export const pageCount = (pages: number) => counted(pages, 'page', 'pages');
export const orphanLine = (pages: number) =>
  `${counted(pages, 'page has no link to it', 'pages have no link to them')}`;
export const newAndFixed = (added: number, fixed: number) => `${count(added)} new, ${count(fixed)} fixed`;
export const nothingFound = () => 'No finding';
export const sinceBefore = () => 'since the previous audit';
export const severities = { error: () => 'Errors', warning: () => 'Warnings', notice: () => 'Notices' };
export const severityWord = { error: () => 'Error', warning: () => 'Warning', notice: () => 'Notice' };
export const robotsShape = (groups: number, sitemaps: number) =>
  `${counted(groups, 'group', 'groups')}, ${counted(sitemaps, 'sitemap', 'sitemaps')} named`;
export const robotsValid = () => 'robots.txt is valid';
export const issue = () => 'Issue';
export const siteScope = () => 'Site';
export const plus = (value: number) => (value > 0 ? `+${count(value)}` : count(value));
export const minus = (value: number) => (value > 0 ? `−${count(value)}` : count(value));
export const fixed = () => 'Fixed';
export const howToFix = () => 'How to fix';
export const allSitemaps = () => 'all sitemaps';
export const category = () => 'Category';
export const severity = () => 'Severity';
/** Names of categories; one that is not here is shown as it is. */
const categories: Record<string, string> = {
  ai: 'AI',
  hreflang: 'Languages',
  html: 'HTML',
  http: 'HTTP',
  javascript: 'JavaScript',
  robots: 'robots.txt',
  'structured-data': 'Structured data',
  url: 'Addresses',
};
export const categoryName = (id: string) => categories[id] ?? id.charAt(0).toUpperCase() + id.slice(1);
const newWord = () => 'New';
export { newWord as new };
export const page = () => 'Page';
export const pagesWhat = () => 'pages';
export const linkedFrom = () => 'Linked from';
export const linkScore = () => 'Link score';
export const clicksColumn = () => 'Clicks';
export const noAnswer = () => 'no answer';
export const notAsked = () => 'not asked';
export const size = () => 'Size';
export const preview = () => 'Preview';
export const answer = () => 'Answer';
export const missing = () => 'missing';
export const factName = (field: string) => facts[field] ?? field;
export const fact = () => 'Fact';
export const crawlerVisits = () => 'Crawler visits';
export const from = () => 'From';
export const to = () => 'To';
export const anchor = () => 'Text';
export const noLinks = () => 'No links';
export const robotsTxt = () => 'robots.txt';
export const file = () => 'File';
export const blockedPages = () => 'Blocked pages';
export const crawler = () => 'Crawler';
export const yourServer = () => 'Your server';
export const allowed = () => 'Allowed';
export const blocked = (line: number | null) => (line === null ? 'Blocked' : `Blocked, line ${count(line)}`);
export const partlyBlocked = (pages: number) => `Partly, ${counted(pages, 'page', 'pages')}`;
export const answered = (code: number) => (code === 0 ? 'no answer' : String(code));
export const challenged = (code: number) => `${String(code)}, shows a challenge`;
export const startAudit = () => 'Start audit';
export const stopAudit = () => 'Stop audit';
export const stopping = () => 'The audit is stopping and keeps its results so far.';
export const endedAlready = () => 'The audit had already ended.';
export const started = () => 'The audit has started.';
export const alreadyRunning = () => 'An audit of this domain is already running; this is it.';
export const pagesWithIssue = () => 'Pages with this issue';
