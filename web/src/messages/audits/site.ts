// Words of robots.txt, sitemaps and crawlers' access. Screens of that folder import this file.
import { count, counted } from '../../lib/numbers';

export * from './shared';

export const sitemapFiles = () => 'Sitemap files';
export const filesWhat = () => 'sitemap files';
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
    ? 'No sitemap addresses were read in this audit.'
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
export const didYouMean = (word: string) => `Did you mean ${word}?`;
export const rules = () => 'Rules of robots.txt';
export const copyRules = () => 'Copy rules';
export const rulesCut = (rules: number) => `${counted(rules, 'rule', 'rules')} more.`;

export const crawlersWhat = () => 'crawlers';
export const purpose = () => 'Purpose';
export const crawlerAccess = () => 'Crawler access';
export const partly = () => 'Partly blocked';
export const blockedWord = () => 'Blocked';
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
export const llmsInvalid = () => 'There is one, but not in the usual format';
export const llmsMissing = (code: number) => `There is none (${code === 0 ? 'no answer' : String(code)}).`;
export const contentSignals = () => 'Content signals';
export const noSignals = () => 'robots.txt has no content signals.';
