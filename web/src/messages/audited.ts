// Words of what an audit read: pages, links, robots.txt, sitemaps, crawlers. Screens import them through audits.ts.
import { count, counted } from '../lib/numbers';

// ---- pages
export const page = () => 'Page';
export const pagesWhat = () => 'pages';
export const trend = () => 'Trend';
export const trendOf = (runs: number) => `Health over ${counted(runs, 'audit', 'audits')}`;
export const preview = () => 'Preview';
export const linkedFrom = () => 'Linked from';
export const clicksColumn = () => 'Clicks';
export const loadTime = () => 'Load time';
export const size = () => 'Size';
export const words = () => 'Words';
export const titleFact = () => 'Title';
export const indexable = () => 'Indexable';
export const lastCrawler = () => 'Last crawler';
export const yes = () => 'yes';
export const no = () => 'no';
export const never = () => 'never';
export const noAnswer = () => 'no answer';
export const notAsked = () => 'not asked';
export const pagesLede = (pages: number, addresses: number) =>
  `${counted(pages, 'page', 'pages')} and ${count(Math.max(0, addresses - pages))} redirects, errors and forbidden addresses.`;
export const noPages = () => 'This audit read no page';
export const noPagesWithIssue = () => 'No page has this issue';
export const pathNotAudited = () => 'This audit did not read this address.';

// ---- one page
export const previous = () => 'Previous';
export const next = () => 'Next';
export const previousPage = () => 'Previous page';
export const nextPage = () => 'Next page';
export const compareViews = () => 'Compare views';
export const checkAgain = () => 'Check again';
export const checkCosts = () => 'Check again audits this page alone and counts as one audit.';
export const pageLede = (issues: number, raw: number | null, rendered: number | null) => {
  const found = `${counted(issues, 'issue', 'issues')}.`;
  if (raw === null) return found;
  if (rendered === null) return `${found} The HTML has ${counted(raw, 'word', 'words')}; the page was not rendered.`;
  return `${found} People read ${counted(rendered, 'word', 'words')} here, crawlers without JavaScript ${count(raw)}.`;
};
export const firstTime = () => 'first audit of this page';
export const previewNote = () => 'of 100, in results and shared links';
export const answer = () => 'Answer';
export const isIndexable = () => 'indexable';
export const isNotIndexable = () => 'not indexable';
export const depthNote = (depth: number | null) =>
  depth === null
    ? 'pages; no link leads here from the start'
    : `pages, ${counted(depth, 'click', 'clicks')} from the start`;
export const crawlerVisits = () => 'Crawler visits';
export const inThirtyDays = () => 'in 30 days';
export const pointsOff = () => 'points off health';
export const pointsUnknown = () => 'points not recorded then';
export const elements = (number: number) => counted(number, 'place', 'places');
export const evidenceOf = (number: number) => `Evidence ${count(number)}`;
export const allPagesWith = () => 'All pages with this issue';
export const htmlAndRendered = () => 'In the HTML and after rendering';
export const fact = () => 'Fact';
export const inHtml = () => 'In the HTML';
export const afterRendering = () => 'After rendering';
export const notRendered = () => 'not rendered in this audit';
export const differ = (different: number, all: number) => `${count(different)} of ${count(all)} differ`;
export const differs = () => 'differs';
export const missing = () => 'missing';
export const unknownValue = () => 'not recorded then';
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
export const factName = (field: string) => facts[field] ?? field;
export const whyScore = (score: string) => `Why ${score}`;
export const hundredMinus = () => '100 minus';
export const notRecorded = () => 'Lost points by category were not recorded then. A new audit records them.';
export const nothingTaken = () => 'No finding took anything.';
export const pointsOf = (points: string, cap: string) => `−${points} of ${cap}`;
export const whenShared = () => 'How it looks when shared';
export const previews = () => 'Previews';
export const crawlersToday = () => 'Crawlers today';
export const withTags = () => 'With tags';
export const google = () => 'Google';
export const x = () => 'X';
export const linkedin = () => 'LinkedIn';
export const slack = () => 'Slack';
export const googleWrites = () => 'Without a description, the search engine picks a piece of the text.';
export const noPicture = () => 'No picture';
export const pictureFailed = () => 'Picture not readable';
export const pictureOfPage = () => 'Picture of the page';
export const noPictureNote = () => 'What the server sends to crawlers without JavaScript names no picture.';
export const servedBy = (way: string, visits: number) =>
  `${count(visits)} ${{ cache: 'from cache', render: 'rendered', origin: 'from your server' }[way] ?? way}`;
export const lastVisit = (crawler: string, when: string) => `Last: ${crawler}, ${when}.`;
export const noVisits = () => 'No crawler came here.';
export const redirect = () => 'Redirect';
export const linksToPage = () => 'Links to this page';
export const linksOnPage = () => 'Links on this page';
export const noLinksTo = () => 'No link of the site leads here.';
export const noLinksOn = () => 'There are no links on this page.';
export const allLinksTo = () => 'All links to this page';
export const allLinksOn = () => 'All links on this page';

// ---- links
export const linksWhat = () => 'links';
export const from = () => 'From';
export const to = () => 'To';
export const anchor = () => 'Text';
export const rel = () => 'Rel';
export const fromIs = (path: string) => `From: ${path}`;
export const toIs = (path: string) => `To: ${path}`;
export const linksLede = (links: number) => `${counted(links, 'link', 'links')} match, by the page they stand on.`;
export const graphLede = () => 'Pages with the most links to them, on rings by clicks from the start page.';
export const viewGroup = () => 'View';
export const table = () => 'Table';
export const graph = () => 'Graph';
export const noLinks = () => 'No links';
export const linkGraph = () => 'Link graph';
export const graphName = (pages: number, links: number) =>
  `Link graph: ${counted(pages, 'page', 'pages')}, ${counted(links, 'link', 'links')} between them`;
export const graphShows = (shown: number, all: number, links: number) =>
  `${count(shown)} of ${counted(all, 'page', 'pages')}, ${counted(links, 'link', 'links')}`;
export const graphHint = () => 'Point at a page, or use the arrow keys; Enter opens it.';
export const graphPages = () => 'Pages of the graph';
export const nodeTold = (path: string, inlinks: number, depth: number | null, code: number) =>
  `${path}: linked from ${counted(inlinks, 'page', 'pages')}, ${depth === null ? 'no way from the start' : counted(depth, 'click', 'clicks')}, ${code === 0 ? 'no answer' : String(code)}`;
export const legendGood = () => 'Health above 70';
export const legendWeak = () => 'Health to 70';
export const legendBad = () => 'Answers with an error';

// ---- robots.txt and sitemaps
export const robotsTxt = () => 'robots.txt';
export const sitemapFiles = () => 'Sitemap files';
export const filesWhat = () => 'sitemap files';
export const file = () => 'File';
export const kind = () => 'Kind';
export const addressesColumn = () => 'Addresses';
export const lineColumn = () => 'Line';
export const text = () => 'Text';
export const sitemapKinds = {
  index: () => 'Index',
  urlset: () => 'List of addresses',
  text: () => 'Text',
  none: () => 'Not readable',
};
export const robotsLede = (urls: number, files: number, left: number) =>
  files === 0 || urls === 0
    ? 'No address of a sitemap was read in this audit.'
    : `${counted(urls, 'address', 'addresses')} in ${counted(files, 'sitemap file', 'sitemap files')}, ${count(left)} not in the crawl.`;
export const noSitemapFiles = () => 'robots.txt names no sitemap';
export const noSitemapFilesText = () => 'Crawlers look for one there. Add a line: Sitemap, a colon, and its address.';
export const sitemapFindings = () => 'Findings in sitemaps';
export const robotsProblemsName = () => 'Findings in robots.txt';
export const cutAt = (bytes: string) => `${bytes}, the rest was not read`;
export const groups = () => 'Groups';
export const groupsText = (groups: number, sitemaps: number) =>
  `${count(groups)}, and ${counted(sitemaps, 'sitemap', 'sitemaps')}`;
export const crawlDelay = () => 'Crawl delay';
export const seconds = (number: number) => `${String(number)} s`;
export const blockedPages = () => 'Blocked pages';
export const didYouMean = (word: string) => `Did you mean ${word}?`;
export const rules = () => 'Rules of robots.txt';
export const copyRules = () => 'Copy rules';
export const rulesCut = (rules: number) => `${counted(rules, 'rule', 'rules')} more.`;

// ---- crawlers
export const crawler = () => 'Crawler';
export const crawlersWhat = () => 'crawlers';
export const purpose = () => 'Purpose';
export const yourServer = () => 'Your server';
export const crawlerAccess = () => 'Crawler access';
export const allowed = () => 'Allowed';
export const partly = () => 'Partly blocked';
export const blockedWord = () => 'Blocked';
export const blocked = (line: number | null) => (line === null ? 'Blocked' : `Blocked, line ${count(line)}`);
export const partlyBlocked = (pages: number) => `Partly, ${counted(pages, 'page', 'pages')}`;
export const answered = (code: number) => (code === 0 ? 'no answer' : String(code));
export const challenged = (code: number) => `${String(code)}, asks for a check`;
const purposes: Record<string, string> = {
  search: 'Search',
  'llm-training': 'AI training',
  'llm-search': 'AI search',
  'llm-user': 'AI, for a person',
};
export const purposeOf = (id: string) => purposes[id] ?? id;
export const accessLede = (all: number, blocked: number, refused: number) =>
  `Of ${counted(all, 'crawler', 'crawlers')}, robots.txt blocks ${count(blocked)} and your server refuses ${count(refused)}.`;
export const llmsTxt = () => 'llms.txt';
export const llmsValid = (bytes: string) => `There is one, ${bytes}`;
export const llmsInvalid = () => 'There is one, and it is not in the usual form';
export const llmsMissing = (code: number) => `There is none (${code === 0 ? 'no answer' : String(code)}).`;
export const contentSignals = () => 'Content signals';
export const noSignals = () => 'robots.txt has no content signals.';
