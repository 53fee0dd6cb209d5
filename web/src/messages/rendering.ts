// Words of rendering: the list of snapshots, refreshes, and the views of one page.
import { count, counted } from '../lib/numbers';

export const title = () => 'Rendering';
export const snapshots = () => 'Snapshots';
export const pages = () => 'pages';
export const renderedPages = (pagesNumber: number) => counted(pagesNumber, 'page', 'pages');

// ---- the list
export const lede = (total: number, fresh: number, stale: number, failing: number) =>
  `${counted(total, 'page is', 'pages are')} stored for crawlers: ${count(fresh)} fresh, ${count(stale)} stale, ${count(failing)} failing.`;
export const state = () => 'State';
export const all = () => 'All';
export const states = { fresh: () => 'Fresh', stale: () => 'Stale', failing: () => 'Failing' };
export const stateCount = (name: string, number: number) => `${name} ${count(number)}`;
export const page = () => 'Page';
export const status = () => 'Status';
export const age = () => 'Age';
export const size = () => 'Size';
export const interval = () => 'Interval';
export const renderTime = () => 'Rendered in';
export const lastError = () => 'Last error';
export const redirectsTo = (location: string) => `to ${location}`;
export const emptyTitle = () => 'No page is stored yet';
export const emptyText = () =>
  'A snapshot is the finished HTML of a page, stored for crawlers. Pages are stored when a crawler asks for them, or all at once from the sitemap. Each page counts as one render.';

export const renderSitemap = () => 'Render all pages of the sitemap';
export const setSitemap = () => 'Set the sitemap';
export const rerenderChanged = () => 'Re-render changed pages';
export const rerenderAll = () => 'Re-render all pages';

export const refresh = () => 'Refresh';
export const changedPages = () => 'Changed pages';
export const changedNote = () => 'by the sitemap';
export const allPages = () => 'All pages';
export const rerenderMany = (number: number) => `Re-render ${counted(number, 'page', 'pages')}`;
export const rerenderTitle = (number: number) => `Re-render ${counted(number, 'page', 'pages')}?`;
export const rerenderText = (number: number) =>
  `This counts as ${counted(number, 'render', 'renders')} of this month. Stored pages are served until the new ones are there.`;
export const rerenderSiteText = (number: number) =>
  `All pages of the sitemap are rendered: about ${counted(number, 'render', 'renders')} of this month. Stored pages are served until the new ones are there.`;
export const rerender = () => 'Re-render';
export const queuedPages = (number: number) => `${counted(number, 'page is', 'pages are')} queued.`;
export const refreshStarted = () => 'The refresh has started.';
export const tooMany = (number: number) => `Select at most ${counted(number, 'page', 'pages')} at once.`;
/** Sentences of why a refresh did not begin, by the code of the answer. */
export const causes: Record<string, () => string> = {
  render_limit_reached: () =>
    'The renders of this month are used up. See the use of your plan, or move to a higher one.',
  origin_not_reachable: () => 'The origin does not answer, so nothing was rendered. Stored pages stay.',
  origin_host_not_reachable: () => 'The origin host does not answer. Check it in the settings; stored pages stay.',
  path_not_reachable: () => 'The page does not answer, so it was not rendered. What is stored stays.',
  no_sitemap: () => 'No sitemap is known. Set its address in the settings, or select pages here.',
  fetch_failed: () => 'The sitemap could not be fetched. Check its address in the settings.',
  parse_failed: () => 'This is not a valid sitemap. Check its address in the settings.',
  no_updated_paths: () => 'No page of the sitemap is newer than what is stored.',
};
export const cause = (code: string) => causes[code]?.() ?? `The refresh did not start (${code}).`;
export const notRendered = () => 'The refresh did not start. Try again in a minute.';
export const waitFor = (left: string) => `Too many requests. Try again in ${left}.`;

// ---- refreshes
export const underWay = () => 'Refreshes under way';
export const refreshOf = (date: string) => `Refresh of ${date}`;
export const refreshQueued = () => 'Refresh, not started';
export const batchTitle = () => 'Refresh of pages';
export const selections: Record<string, () => string> = {
  every: () => 'all pages',
  updated: () => 'changed pages',
};
export const selection = (name: string) => selections[name]?.() ?? name;
export const pagesRendered = () => 'Pages rendered';
export const batchLede = (done: number, total: number, failed: number) =>
  `${count(done)} of ${counted(total, 'page', 'pages')} rendered, ${count(failed)} failed.`;
export const readingSitemap = () => 'The sitemap is being read.';
export const batchOver = (when: string) => `Ended ${when}.`;
export const batchRunning = (running: number) => `${counted(running, 'page is', 'pages are')} being rendered now.`;
export const stop = () => 'Stop';
export const stopping = () => 'Stopping';
export const stopped = () => 'Stopped. Pages that had not started are not rendered.';
export const alreadyOver = () => 'It had already ended.';
export const stopFailed = () => 'Stopping failed: the server did not answer as expected.';
export const failedPages = () => 'Failed pages';
export const failedWhat = () => 'failed pages';
export const why = () => 'Why';
export const noFailures = () => 'No page failed';
export const someFailures = (shown: number, failed: number) =>
  `The newest ${count(shown)} of ${count(failed)} are listed.`;
export const sitemapTrouble = (why_: string) => `The sitemap could not be read: ${why_}.`;

// ---- one page
export const rerenderPage = () => 'Re-render page';
export const rerendering = () => 'Rendering';
export const pageQueued = () => 'The page will be rendered again.';
export const pageRendered = () => 'The page was rendered again.';
export const notRenderedAgain = (error: string) => `The page could not be rendered again: ${error}.`;
export const lookAgain = () => 'Look again';
export const looking = () => 'Looking';
export const lookingText = () => 'Loading the page as a person, as a crawler, and without Glasshouse.';
export const lookCost = () => 'Counts as one render; as two when nothing is stored.';
export const openPage = () => 'Open page';
export const view = () => 'This page';
export const width = () => 'Width';
export const widths = { '1280': () => 'Desktop', '390': () => 'Phone' };
export const lookedAt = (when: string, pixels: number) => `${when}, ${count(pixels)} px wide`;
export const neverSeen = () => 'There is no view of this page';
export const lookFailedTitle = () => 'The page could not be looked at';
/** Sentences of why a page could not be looked at. */
export const viewErrors: Record<string, () => string> = {
  origin_not_reachable: () => 'The origin did not answer.',
  not_a_page: () => 'The address does not lead to an HTML page.',
  timeout: () => 'The page did not finish loading in time.',
  too_large: () => 'The page is larger than the limit.',
  forbidden_address: () => 'The page leads to an address that may not be fetched.',
  no_browser: () =>
    'No browser is available at the moment. Try again in a minute, or ask the operator of this installation.',
};
export const viewError = (code: string) => viewErrors[code]?.() ?? `It ended with ${code}.`;

export const personPane = () => 'A person sees';
export const crawlerPane = () => 'A crawler gets';
export const show = () => 'Show';
export const shows = {
  picture: () => 'Picture',
  html: () => 'HTML',
  markdown: () => 'Markdown',
  text: () => 'Text',
  raw: () => 'Without Glasshouse',
};
export const side = () => 'Side';
export const sides = { person: () => 'Person', crawler: () => 'Crawler', difference: () => 'Difference' };
export const livePicture = () => 'Live page';
export const snapshotPicture = () => 'Snapshot';
export const rawPicture = () => 'Page without Glasshouse';
export const noPicture = () => 'No picture could be taken.';
export const pictureCut = (height: number) => `The picture ends at ${count(height)} px; the page goes on.`;
export const pictureScroll = (name: string) => `${name}, scrolls`;
export const htmlOf = () => 'HTML that crawlers get';
export const headersOf = () => 'Headers that crawlers get';
export const textOf = () => 'Text that crawlers get';
export const markdownOf = () => 'Markdown that agents get';
export const markdownMissing = () => 'A redirect has no Markdown.';
export const markdownTokens = (markdown: number, html: number) =>
  `About ${counted(markdown, 'token', 'tokens')}; the HTML has about ${count(html)}.`;
export const htmlCut = (bytesText: string) => `The first 512 kB of ${bytesText}.`;
export const downloadHtml = () => 'Download HTML';
export const answered = (statusCode: number) => `answered ${statusCode}`;
export const liveNow = (statusCode: number, words: number) =>
  `live page, answered ${statusCode}, ${counted(words, 'word', 'words')}`;
export const partial = () => 'The page was still loading at the time limit; this is how it looked then.';
export const personMissing = () => 'The page could not be shown as a person sees it.';
export const crawlerMissingTitle = () => 'Nothing is stored for this page';
export const crawlerMissingText = () =>
  'Rendering on demand is off, so a crawler gets the page without Glasshouse. Re-render the page to store it.';
export const rawMissing = () => 'The page without Glasshouse could not be fetched.';
export const rawLede = (words: number, bytesText: string) =>
  `What a crawler that runs no scripts gets from your origin: ${counted(words, 'word', 'words')}, ${bytesText} of HTML.`;
export const crawlerRedirect = (location: string) => `Crawlers are sent to ${location}.`;
export const sources = {
  stored: () => 'stored',
  rendered: () => 'rendered just now',
};

// ---- verdict and facts
export const verdictSame = (words: number) => `A crawler gets all ${counted(words, 'word', 'words')} that people see.`;
export const verdictMissing = (missing: number, words: number) =>
  `A crawler misses ${count(missing)} of the ${counted(words, 'word', 'words')} that people see.`;
export const verdictStatus = (person: number, crawler: number) =>
  `People get status ${person}, a crawler gets ${crawler}.`;
export const verdictFailed = (statusCode: number) => `The page answers people with status ${statusCode}.`;
export const verdictEmpty = (words: number, problems: string) =>
  `People see ${words === 0 ? 'no words' : `only ${counted(words, 'word', 'words')}`} on this page, and a crawler gets no more: ${problems}.`;
export const verdictNothing = () => 'Nothing is stored for crawlers yet.';
export const verdictRaw = (words: number) =>
  words === 0
    ? 'Without Glasshouse it would get a page without any text.'
    : `Without Glasshouse it would get ${counted(words, 'word', 'words')}.`;
export const verdictPending = () => 'Does a crawler get what people see?';
export const facts = {
  snapshot: () => 'Snapshot',
  answer: () => 'Answer',
  same: () => 'Same text',
  rendered: () => 'Rendered in',
  readBy: () => 'Read by',
};
export const ageOld = (ageText: string) => `${ageText} old`;
export const refreshesIn = (left: string) => `refreshes in ${left}`;
export const refreshDue = () => 'due to be refreshed';
export const notStored = () => 'none';
export const notStoredNote = () => 'nothing is stored';
export const htmlSize = (bytesText: string) => `${bytesText} of HTML`;
export const sameWords = (same: number, words: number) => `${count(same)} of ${counted(words, 'word', 'words')}`;
export const unknown = () => '–';
export const visits = (number: number) => counted(number, 'visit', 'visits');
export const lastVisit = (name: string, when: string) => `last: ${name}, ${when}`;
export const noVisits = () => 'no crawler in 30 days';
export const inDays = () => 'in 30 days';

// ---- difference
export const difference = () => 'Text difference';
export const differenceFailed = () => 'The difference could not be worked out. Reload to try again.';
export const onlyDifferences = () => 'Only differences';
export const personReads = () => 'A person reads';
export const crawlerReads = () => 'A crawler reads';
export const onlyPeople = () => 'Only people';
export const onlyCrawlers = () => 'Only crawlers';
export const noDifference = () => 'The texts are the same.';
export const nothingToCompare = () => 'There is nothing to compare: one of the two pages is missing.';
export const linesShown = (shown: number, total: number) =>
  `${count(shown)} of ${counted(total, 'line', 'lines')} shown.`;
export const showMore = () => 'Show more';

// ---- what happened while the page loaded
export const requests = () => 'Requests';
export const requestsNote = (total: number, failed: number, blocked: number) =>
  `${count(total)}, ${count(failed)} failed, ${count(blocked)} blocked`;
export const noRequests = () => 'The page made no requests.';
export const address = () => 'Address';
export const outcome = () => 'Outcome';
export const outcomes = { ok: () => 'Answered', failed: () => 'Failed', blocked: () => 'Blocked' };
export const noAnswer = () => 'no answer';
export const blockedFor = (reason: string) => (reason === '' ? 'blocked' : `blocked: ${reason}`);
export const kind = () => 'Type';
export const took = () => 'Took';
export const blockedHeading = () => 'Blocked by Glasshouse';
export const whichRequests = () => 'Which requests';
export const requestGroups = { trouble: () => 'Failed and blocked', all: () => 'All' };
export const noTrouble = () => 'No request failed and none was blocked.';
export const consoleTitle = () => 'Console';
export const noConsole = () => 'The page logged no errors and no warnings.';
export const levels: Record<string, () => string> = {
  error: () => 'Error',
  warning: () => 'Warning',
  exception: () => 'Exception',
};
export const level = (name: string) => levels[name]?.() ?? name;
export const timings = () => 'Timings';
export const noTimings = () => 'Nothing was measured.';
export const phases = {
  prepare: () => 'Opened a tab',
  load: () => 'Loaded the page',
  total: () => 'Total',
};
export const slowest = () => 'Longest requests';
export const phase = () => 'Phase';
