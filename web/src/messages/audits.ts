// Words of audits: the list, starting one, a run's overview, issues and comparison. Those of pages, links and robots.txt are in
// audited.ts, which this file passes on: the screens of audits import one file.
import { count, counted, delta } from '../lib/numbers';

export * from './audited';

export const audits = () => 'Audits';
export const audit = () => 'Audit';
export const auditsWhat = () => 'audits';
export const auditBefore = () => 'Audit before';
export const auditAfter = () => 'Audit after';
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
export const bandText = () => 'To 30 weak, to 70 fair, to 90 good, above excellent.';
export const sampledError = (error: number) => `Estimated from samples, give or take ${delta(error).replace('+', '')}.`;

export const listLede = (score: string, band: string, when: string) =>
  `Health ${score}, ${band.toLowerCase()}, in the audit of ${when}.`;
export const listLedeEmpty = (domain: string) =>
  `An audit reads ${domain} as crawlers do and says what to fix, and what to fix first.`;
export const noAuditsTitle = () => 'No audit yet';
export const noAuditsText = () => 'The first one takes a few minutes for a small site. Its pages are read once.';

// ---- starting and stopping
export const startAudit = () => 'Start audit';
export const starting = () => 'Starting';
export const startText = (domain: string) =>
  `Reads pages of ${domain} from its own server, renders some, and scores them.`;
export const mode = () => 'Pages to audit';
export const follow = () => 'Follow links';
export const followHint = () => 'From the start page, or from the addresses below, to all pages that links lead to.';
export const sitemapMode = () => 'Sitemap';
export const sitemapHint = () => 'The pages that the sitemap lists.';
export const selected = () => 'Only these addresses';
export const selectedHint = () => 'No link is followed.';
export const addresses = () => 'Addresses';
export const followAddressesHint = (root: string) => `One per line. Empty: ${root}`;
export const selectedAddressesHint = () => 'One per line, each with https:// and on this domain.';
export const enterAddresses = () => 'Enter at least one address.';
export const lineProblem = (line: number, message: string, all: number) =>
  `Address ${count(line)} ${message}.${all > 1 ? ` ${count(all)} addresses cannot be used.` : ''}`;
export const fieldProblem = (message: string) => `This address ${message}.`;
export const sitemapAddress = () => 'Sitemap address';
export const sitemapAddressHint = () => 'Empty: the sitemap of the domain.';
export const noSitemap = () => 'The domain has no sitemap. Enter the address of one, or follow links.';
export const sample = () => 'Sample large groups of pages';
export const sampleHint = () => 'Of groups of pages that are made alike, some are read and count for the rest.';
export const newOnly = () => 'Only new pages';
export const newOnlyHint = () => 'Pages that are new or changed since the last audit.';
export const newOnlyOff = () => 'Works with the sitemap, which says when pages changed.';
export const auditsUsed = (used: number, limit: number) =>
  limit < 0
    ? `${counted(used, 'audit', 'audits')} started this month.`
    : `${count(used)} of ${count(limit)} audits of this month are used.`;
export const started = () => 'The audit runs.';
export const alreadyRunning = () => 'An audit of this domain runs already; this is it.';
export const noAuditsInPlan = () => 'Your plan has no audits.';
export const inactive = () => 'The account is inactive, so no audit starts. What was audited can be read.';
export const suspended = () => 'The domain is suspended by the operator, so no audit starts.';
export const stopAudit = () => 'Stop audit';
export const stopping = () => 'The audit stops and keeps what it has.';
export const endedAlready = () => 'The audit had ended already.';

// ---- a run as a whole
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
  redirects: () => 'Redirects',
  images: () => 'Images',
  hreflang: () => 'Language versions',
  sitemap: () => 'Sitemap of the pages',
};
export const pagesCrawled = () => 'Pages crawled';
export const pagesSoFar = (waiting: number) =>
  waiting > 0 ? `pages crawled, ${count(waiting)} addresses wait` : 'pages crawled';
export const progressTold = (pages: number, waiting: number) =>
  `${counted(pages, 'page', 'pages')} crawled, ${counted(waiting, 'address waits', 'addresses wait')}`;
export const queuedText = () => 'It begins as soon as an audit before it has ended.';
export const runningText = () => 'Leave this page if you like: the audit goes on. Stop audit keeps what it has.';
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
  cancelled: (pages) => `Somebody stopped it after ${counted(pages, 'page', 'pages')}.`,
  crashed: (pages) => `It failed several times and ended after ${counted(pages, 'page', 'pages')}.`,
  unreachable: () => 'The site does not answer, or its robots.txt forbids the audit.',
};
export const continues = () => 'The audit was cut off by a restart and goes on where it was.';
export const firstTitle = () => 'This is the first audit of the domain.';
export const firstText = () => 'Changes show from the second one on.';
export const archivedTitle = () => 'Archived.';
export const archivedText = () =>
  'Pages of audits older than seven days are in the archive: all is there, and may load a little later.';
export const archiveAway = () =>
  'The pages of this audit are in the archive, which cannot be read now. Nothing is lost.';

// ---- overview
export const healthIs = () => 'Health is';
export const healthMoved = (change: number) => {
  const text = delta(change);
  if (!/[1-9]/.test(text)) return 'Health stayed at';
  return `Health ${change > 0 ? 'rose' : 'fell'} by ${text.replace(/^[+−]/, '')} to`;
};
export const fixedAndNew = (fixed: number, added: number) =>
  `${counted(fixed, 'finding', 'findings')} fixed, ${count(added)} new`;
export const fixFirst = () => 'Fix first:';
export const onPages = (pages: number | null) => (pages === null ? ', on the whole site' : `, on ${pageCount(pages)}`);
export const pageCount = (pages: number) => counted(pages, 'page', 'pages');
export const nothingFound = () => 'No finding';
export const sinceBefore = () => 'since the audit before';
export const healthSentence = (runs: number, first: string, last: string) =>
  runs === 1 ? `Health ${last} in one audit` : `Health of the last ${count(runs)} audits, from ${first} to ${last}`;
export const allFindings = (findings: number) => `All ${count(findings)}`;
export const severities = { error: () => 'Errors', warning: () => 'Warnings', notice: () => 'Notices' };
export const severityWord = { error: () => 'Error', warning: () => 'Warning', notice: () => 'Notice' };
export const newAndFixed = (added: number, fixed: number) => `${count(added)} new, ${count(fixed)} fixed`;
export const pagesAudited = (pages: number) => `On ${counted(pages, 'address', 'addresses')} and the site as a whole`;
export const crawl = () => 'Crawl';
export const answers2xx = () => '2xx';
export const answers3xx = () => '3xx';
export const answersBad = () => '4xx, 5xx, no answer';
export const answersSentence = (good: number, moved: number, bad: number) =>
  `${count(good)} addresses answered 2xx, ${count(moved)} redirected, ${count(bad)} failed`;
export const pagesOfFound = (pages: number, found: number) => `${count(pages)} of ${count(found)} addresses found`;
export const howFound = () => 'Found by';
export const renderedPages = () => 'Rendered';
export const renderedWhy = (pages: number) => `${count(pages)}, where the HTML may not be enough`;
export const leftOut = () => 'Left out';
/** Reasons why an address was left out, each with its number. */
export const skipped = {
  robots: (number: number) => `${count(number)} by robots.txt`,
  sampling: (number: number) => `${count(number)} by sampling`,
  limit: (number: number) => `${count(number)} by a limit`,
  offHost: (number: number) => `${count(number)} on other hosts`,
  filtered: (number: number) => `${count(number)} by your settings`,
  trap: (number: number) => `${count(number)} in endless paths`,
  notHtml: (number: number) => `${count(number)} not HTML`,
};
export const took = () => 'Took';
export const tookText = (time: string, rate: number) => `${time}, ${rate} pages a second`;
export const firstByte = () => 'First byte';
export const firstByteText = (median: string, slow: string) => `${median} median, ${slow} p90`;
export const whatToFix = () => 'What to fix first';
export const allIssues = (issues: number) => `All ${counted(issues, 'issue', 'issues')}`;
export const whoMayRead = () => 'Who may read your site';
export const serverRefuses = (crawler: string, code: number) => `Your server answers ${crawler} with ${String(code)}.`;
export const allCrawlers = (crawlers: number) => `All ${counted(crawlers, 'crawler', 'crawlers')}`;
export const onlyJavascript = () => 'What only JavaScript shows';
export const nothingRendered = () => 'No page was rendered in this audit, so this is not known.';
export const allInHtml = (pages: number) =>
  `On the ${counted(pages, 'page', 'pages')} that were rendered, scripts add nothing.`;
export const clicksFromStart = () => 'Clicks from the start page';
export const clicks = (number: number) => counted(number, 'click', 'clicks');
export const depthSentence = (deepest: number, orphans: number) =>
  `Pages by clicks from the start page, up to ${count(deepest)}; ${orphanLine(orphans)}`;
export const orphans = (pages: number) => `${orphanLine(pages)}.`;
export const orphanLine = (pages: number) => `${counted(pages, 'page has', 'pages have')} no link to them`;
export const orphanNote = () => 'Found in the sitemap only';
export const sitemapsAndRobots = () => 'Sitemaps and robots.txt';
export const noSitemapRead = () => 'No sitemap was read';
export const sitemapRead = (urls: number, files: number) =>
  `${counted(urls, 'address', 'addresses')} in ${counted(files, 'sitemap file', 'sitemap files')}`;
export const sitemapProblems = (problems: number) => counted(problems, 'sitemap finding', 'sitemap findings');
export const notInCrawl = (urls: number) =>
  `${counted(urls, 'sitemap address is', 'sitemap addresses are')} not in the crawl`;
export const robotsShape = (groups: number, sitemaps: number) =>
  `${counted(groups, 'group', 'groups')}, ${counted(sitemaps, 'sitemap', 'sitemaps')} named`;
export const robotsUnreachable = () => 'robots.txt does not answer';
export const robotsMissing = (code: number) => `There is no robots.txt (${String(code)})`;
export const robotsValid = () => 'robots.txt is valid';
export const robotsProblems = (problems: number) => `${counted(problems, 'finding', 'findings')} in robots.txt`;

// ---- issues
export const issue = () => 'Issue';
export const issuesWhat = () => 'issues';
export const severity = () => 'Severity';
export const category = () => 'Category';
export const impact = () => 'Impact';
export const impactText = () => 'Impact is the weight of an issue times its pages.';

export const plus = (value: number) => (value > 0 ? `+${count(value)}` : count(value));
export const minus = (value: number) => (value > 0 ? `−${count(value)}` : count(value));
export const fixed = () => 'Fixed';
const newWord = () => 'New';
export { newWord as new };
export const siteScope = () => 'Site';
export const issuesLede = (issues: number, findings: number) =>
  `${counted(issues, 'issue', 'issues')} with ${counted(findings, 'finding', 'findings')}, errors first.`;
export const issueLede = (pages: number | null, category: string, weight: number) =>
  `${pages === null ? 'About the site as a whole' : `On ${pageCount(pages)}`}, ${category}, takes ${count(weight)} from a page’s health.`;
export const issueChange = (added: number, fixed: number) => `${newAndFixed(added, fixed)} since the audit before.`;
export const whyItMatters = () => 'Why it matters';
export const howToFix = () => 'How to fix';
export const source = () => 'Source';
export const unknownIssue = () => 'This version does not know the issue any more.';
export const pagesWithIssue = () => 'Pages with this issue';
export const whereFound = () => 'Where it was found';
export const where = () => 'Where';
export const evidence = () => 'Evidence';
export const notFoundHere = () => 'This audit did not find it.';
export const robotsLine = (line: number) => `robots.txt, line ${count(line)}`;
export const suggestion = (text: string, better: string) => `${text} (did you mean ${better}?)`;
export const allSitemaps = () => 'all sitemaps';
export const addressCount = (addresses: number) => counted(addresses, 'address', 'addresses');
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

// ---- comparison
export const compareWith = () => 'Compare with';
export const otherRun = () => 'Another audit';
export const runOption = (when: string, mode: string, pages: number) =>
  `${when}, ${mode.toLowerCase()}, ${pageCount(pages)}`;
export const compareLede = (added: number, fixed: number, isLater: boolean) =>
  `${newAndFixed(added, fixed)}. ${isLater ? 'The chosen audit is the later one.' : 'This audit is the later one.'}`;
export const nothingToCompare = () => 'Nothing to compare with';
export const nothingToCompareText = () => 'The next audit of this domain can be compared with this one.';
export const newFindings = () => 'New findings';
export const fixedFindings = () => 'Fixed findings';
export const changedPages = () => 'Changed pages';
export const addedPages = () => 'Added pages';
export const removedPages = () => 'Removed pages';
export const notVisitedPages = () => 'Pages not visited';
export const changesWhat = () => 'changes';
export const firstOf = (shown: number, total: number) => `The first ${count(shown)} of ${count(total)}`;
export const before = () => 'Before';
export const after = () => 'After';
