// Words of one audited page.
import { count, counted, score } from '../../lib/numbers';

export * from './shared';

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
export const isIndexable = () => 'indexable';
export const isNotIndexable = () => 'not indexable';
export const linkScoreNote = (score: string) => `, link score ${score} of 100`;
export const depthNote = (pages: number | null, depth: number | null) =>
  `${pages === 1 ? 'page' : 'pages'}${
    depth === null ? '; no link leads here from the start' : `, ${counted(depth, 'click', 'clicks')} from the start`
  }`;
export const inThirtyDays = () => 'in 30 days';
export const solvedBySnapshot = () => 'Solved by the snapshot';
export const solvedPoints = (health: number | null) =>
  health === null ? 'crawlers do not see these' : `health without the snapshot: ${score(health)}`;
export const pointsOff = () => 'points off health';
export const elements = (number: number) => counted(number, 'place', 'places');
export const evidenceOf = (number: number) => `Evidence ${count(number)}`;
export const allPagesWith = () => 'All pages with this issue';
export const htmlAndRendered = () => 'In the HTML and after rendering';
export const inHtml = () => 'In the HTML';
export const afterRendering = () => 'After rendering';
export const notRendered = () => 'not rendered in this audit';
export const differ = (different: number, all: number) => `${count(different)} of ${count(all)} differ`;
export const differs = () => 'differs';
export const unknownValue = () => 'not recorded then';
export const whyScore = (score: string) => `Why ${score}`;
export const hundredMinus = () => '100 minus';
export const nothingTaken = () => 'No finding lowers the score.';
export const pointsOf = (points: string, cap: string) => `−${points} of ${cap}`;
export const whenShared = () => 'How it looks when shared';
export const previews = () => 'Previews';
export const crawlersToday = () => 'Crawlers today';
export const withTags = () => 'With tags';
export const google = () => 'Google';
export const x = () => 'X';
export const linkedin = () => 'LinkedIn';
export const slack = () => 'Slack';
export const googleWrites = () => 'Without a description, search engines choose their own text.';
export const noPicture = () => 'No picture';
export const pictureFailed = () => 'Picture not readable';
export const pictureOfPage = () => 'Picture of the page';
export const noPictureNote = () => 'What the server sends to crawlers without JavaScript names no picture.';
export const servedBy = (way: string, visits: number) =>
  `${count(visits)} ${{ cache: 'from cache', render: 'rendered', origin: 'from your server' }[way] ?? way}`;
export const lastVisit = (crawler: string, when: string) => `Last: ${crawler}, ${when}.`;
export const noVisits = () => 'No crawler visited this page.';
export const redirect = () => 'Redirect';
export const linksToPage = () => 'Links to this page';
export const linksOnPage = () => 'Links on this page';
export const noLinksTo = () => 'No link on the site leads here.';
export const noLinksOn = () => 'There are no links on this page.';
export const allLinksTo = () => 'All links to this page';
export const allLinksOn = () => 'All links on this page';
