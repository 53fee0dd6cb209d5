// Words of a run's overview.
import { count, counted, delta, score } from '../../lib/numbers';
import { orphanLine, pageCount } from './shared';

export * from './shared';

export const healthIs = () => 'Health is';
export const healthMoved = (change: number) => {
  const text = delta(change);
  if (!/[1-9]/.test(text)) return 'Health stayed at';
  return `Health ${change > 0 ? 'rose' : 'fell'} by ${text.replace(/^[+−]/, '')} to`;
};
export const originHealth = (health: number) =>
  `${score(health)} without snapshots: the pages as your server sends them`;
export const solvedBySnapshots = () => 'Solved by snapshots';
export const solvedNote = (pages: number) =>
  `Crawlers get a snapshot of ${counted(pages, 'page', 'pages')} and do not see these problems there. They cost no points.`;
export const nothingSolved = () => 'The pages that your server sends have no problem that a snapshot solves.';
export const fixedAndNew = (fixed: number, added: number) =>
  `${counted(fixed, 'finding', 'findings')} fixed, ${count(added)} new`;
export const fixFirst = () => 'Fix first:';
export const onPages = (pages: number | null) => (pages === null ? ', on the whole site' : `, on ${pageCount(pages)}`);
export const healthSentence = (runs: number, first: string, last: string) =>
  runs === 1 ? `Health ${last} in one audit` : `Health of the last ${count(runs)} audits, from ${first} to ${last}`;
/** Writes the formula of a run's health with its numbers. */
export const healthFormula = (
  { pages, withoutErrors, site, factor }: { pages: number; withoutErrors: number; site: number; factor: number },
  health: number,
) => {
  const sum = `0.7 × ${score(pages)} (mean health of the pages) + 0.3 × ${score(withoutErrors)} (percent of pages without errors) − ${score(site)} (findings about the whole site)`;
  return `${factor === 1 ? sum : `(${sum}) × ${String(factor)} (the site is closed to search engines)`} = ${score(health)}.`;
};
export const whatLowersIt = () => 'See what lowers it';
export const allFindings = (findings: number) => `All ${count(findings)}`;
export const pagesAudited = (pages: number) => `On ${counted(pages, 'address', 'addresses')} and the site as a whole`;
export const crawl = () => 'Crawl';
export const answers2xx = () => '2xx';
export const answers3xx = () => '3xx';
export const answersBad = () => '4xx, 5xx, no answer';
export const answersSentence = (good: number, moved: number, bad: number) =>
  `${counted(good, 'address', 'addresses')} answered 2xx, ${count(moved)} redirected, ${count(bad)} failed`;
export const pagesOfFound = (pages: number, found: number) =>
  `${count(pages)} of ${counted(found, 'address', 'addresses')} found`;
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
export const tookText = (time: string, rate: number) => `${time}, ${rate} ${rate === 1 ? 'page' : 'pages'} a second`;
export const firstByte = () => 'First byte';
export const firstByteText = (median: string, slow: string) => `${median} median, ${slow} p90`;
export const whatToFix = () => 'What to fix first';
export const orderOfIssues = () => 'Order of the issues';
export const fixOrders = { impact: () => 'Impact', new: () => 'New', category: () => 'Category' };
export const nothingNew = () => 'Nothing is new since the previous audit';
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
export const orphanNote = () => 'Found in the sitemap only';
export const sitemapsAndRobots = () => 'Sitemaps and robots.txt';
export const noSitemapRead = () => 'No sitemap was read';
export const sitemapRead = (urls: number, files: number) =>
  `${counted(urls, 'address', 'addresses')} in ${counted(files, 'sitemap file', 'sitemap files')}`;
export const sitemapProblems = (problems: number) => counted(problems, 'sitemap finding', 'sitemap findings');
export const notInCrawl = (urls: number) =>
  `${counted(urls, 'sitemap address is', 'sitemap addresses are')} not in the crawl`;
export const robotsUnreachable = () => 'robots.txt does not answer';
export const robotsMissing = (code: number) => `There is no robots.txt (${String(code)})`;
export const robotsProblems = (problems: number) => `${counted(problems, 'finding', 'findings')} in robots.txt`;
