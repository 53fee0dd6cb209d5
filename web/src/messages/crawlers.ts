// Words of the crawlers of a domain: who comes, for what, what they get; the live tail, sharing, and the public page.
import { count, counted } from '../lib/numbers';
import { inWords } from './providers';

export * from './policy';

export const title = () => 'Crawlers';
export const overview = () => 'Overview';
export const pages = () => 'Pages';
export const errors = () => 'Errors';
export const people = () => 'People';
export const live = () => 'Live';
export const spoofed = () => 'Spoofed';

// ---- the sentence and the figures of the overview
export const inDays = (days: number) => `in ${counted(days, 'day', 'days')}`;
export const crawlersCame = (crawlers: number) => counted(crawlers, 'crawler', 'crawlers');
export const cameTimes = (visits: number) => `came ${counted(visits, 'time', 'times')} and read`;
export const pagesRead = (number: number) => counted(number, 'page', 'pages');
export const fromCacheSentence = (share: string) => `${share} of the snapshots they got came from the cache.`;
export const pretended = (visits: number) => counted(visits, 'visit', 'visits');
export const pretendedRest = () => 'came from impostors and are not counted.';
export const noneCame = (days: number) => `No crawler visited in the last ${counted(days, 'day', 'days')}.`;

export const figures = () => 'Crawler figures';
export const visits = () => 'Visits';
export const pagesReadTile = () => 'Pages read';
export const topSearch = () => 'Top search crawler';
export const topAi = () => 'Top AI crawler';
export const waitingSaved = () => 'Waiting time saved';
export const versus = (days: number) => `vs ${counted(days, 'day', 'days')} before`;
export const nothingBefore = (days: number) => `none in the ${counted(days, 'day', 'days')} before`;
export const notCountedBefore = (days: number) => `no full ${counted(days, 'day', 'days')} before to compare with`;
export const firstTime = (number: number) => (number === 0 ? 'none of them new' : `${count(number)} of them new`);
export const visitCount = (number: number) => counted(number, 'visit', 'visits');
export const answersFromCache = (number: number) => counted(number, 'answer from cache', 'answers from cache');

// ---- visits per day
export const visitsPerDay = () => 'Visits per day';
export const splitBy = () => 'Split by';
export const splits = { provider: () => 'Provider', kind: () => 'Kind', answer: () => 'Answer' };
/** Names of the series that are no providers. */
export const seriesNames: Record<string, () => string> = {
  ai: () => 'AI crawlers',
  search: () => 'Search engines',
  cache: () => 'From cache',
  render: () => 'Rendered',
  origin: () => 'By your server',
};
export const otherCrawlers = () => 'Other';
export const chartSentence = (days: number, all: number, most: string) =>
  `${counted(days, 'day', 'days')} of crawler visits, ${count(all)} in all${most === '' ? '' : `, most of them: ${most}`}.`;

// ---- the list of crawlers
export const crawlersWhat = () => 'crawlers';
export const crawler = () => 'Crawler';
export const kind = () => 'Kind';
export const perDay = () => 'Per day';
export const fromCache = () => 'From cache';
export const verified = () => 'Verified';
export const failed = () => 'Failed';
export const lastVisit = () => 'Last visit';
export const firstVisit = () => 'First visit';
export const provider = () => 'Provider';
export const notChecked = () => 'not checked';
export const never = () => 'never';
export const sparkline = (days: number, highest: number) =>
  `${counted(days, 'day', 'days')}, at most ${count(highest)} a day`;
/** Purposes of crawlers. */
export const purposes: Record<string, () => string> = {
  search: () => 'Search',
  'llm-training': () => 'AI training',
  'llm-search': () => 'AI search',
  'llm-user': () => 'AI, for a person',
  preview: () => 'Link preview',
  seo: () => 'SEO tool',
  monitor: () => 'Monitoring',
  ads: () => 'Advertising',
  feed: () => 'Feed reader',
  archive: () => 'Archive',
  other: () => 'Other',
};
export const purposeName = (id: string) => purposes[id]?.() ?? inWords(id);
export const everyVisit = () => 'All visits in this period:';
export const csvFile = () => 'CSV';
export const parquetFile = () => 'Parquet';

// ---- verification
export const whoTheySay = () => 'Are they who they say?';
export const verifiedVisits = () => 'Verified by address or signature';
export const unverifiedVisits = () => 'Could not be checked';
export const spoofedVisits = () => 'Spoofed, not counted';
export const verificationSentence = (good: number, unknown: number, bad: number) =>
  `${count(good)} verified, ${count(unknown)} could not be checked, ${count(bad)} spoofed.`;
export const unverifiedText = () =>
  'A visit cannot be checked when the crawler’s company publishes no addresses, or when an imported log has none.';

// ---- pages
export const mostRead = () => 'Most read pages';
export const allPages = (number: number) => `All ${count(number)}`;
export const page = () => 'Page';
export const pagesWhat = () => 'pages';
export const crawlersColumn = () => 'Crawlers';
export const show = () => 'Show';
export const showAll = () => 'All';
export const showNew = () => 'New';
export const showUnvisited = () => 'Never visited';
export const rendered = () => 'Rendered';
export const fromServer = () => 'By your server';
export const companies = () => 'Companies';
export const askedNote = () => 'Crawlers asked for these pages in this period.';
export const newNote = () => 'Crawlers read these pages for the first time in this period.';
export const unvisitedNote = () => 'These pages have a snapshot, but no crawler asked for them in this period.';
export const noNew = () => 'No page was read for the first time';
export const noUnvisited = () => 'Crawlers asked for every stored page';
export const noPages = () => 'No page was read';
export const more = (number: number) => `and ${count(number)} more`;
export const providerCount = (name: string, number: number) => `${name} ${count(number)}`;

// ---- errors
export const pagesThatFailed = () => 'Pages that failed';
export const status = () => 'Status';
export const failedText = () => 'Pages that answered crawlers with an error, a status of 400 or above.';
export const noFailures = () => 'No page failed';
export const noFailuresText = () => 'Every page that crawlers asked for in this period was answered without an error.';
export const againstRobots = () => 'Against robots.txt';
export const robotsText = () => 'Visits to pages that the current robots.txt forbids for that crawler.';
export const line = () => 'Line';
export const noViolations = () => 'Every crawler kept to robots.txt';
export const robotsMissing = () => 'There is no robots.txt, so nothing is forbidden.';
export const robotsUnreachable = () =>
  'robots.txt could not be read, so visits cannot be compared with it. Check that your server answers /robots.txt.';
export const violationsWhat = () => 'visits';
/** Describes a list that is cut: the most visited rows of all. */
export const mostOf = (shown: number, all: number) => `The ${count(shown)} with the most visits, of ${count(all)}.`;
export const mostPeopleOf = (shown: number, all: number) =>
  `The ${count(shown)} with the most people, of ${count(all)}.`;

// ---- people
export const peopleFrom = () => 'People from assistants';
export const peopleCame = (number: number) => counted(number, 'person came', 'people came');
export const peopleRest = () => 'from assistants';
export const peopleText = () =>
  'Counted by the referrer that browsers send. People from assistants that hide it are not counted.';
export const assistant = () => 'Assistant';
export const peopleColumn = () => 'People';
export const byAssistant = () => 'By assistant';
export const byAssistantSentence = (names: string) => `People from assistants: ${names}.`;
export const noPeople = () => 'No visitors from assistants';
export const peopleWhat = () => 'pages';

// ---- live
export const liveVisits = () => 'Live visits';
export const connected = () => 'Connected';
export const connecting = () => 'Connecting';
export const paused = () => 'Paused';
export const pause = () => 'Pause';
export const resume = () => 'Resume';
export const pauseLive = () => 'Pause the live visits';
export const resumeLive = () => 'Resume the live visits';
export const moreLive = () => 'More';
export const pausedWaiting = (number: number) => `Paused, ${counted(number, 'new visit', 'new visits')}`;
export const time = () => 'Time';
export const answer = () => 'Answer';
export const took = () => 'Took';
export const answers: Record<string, () => string> = {
  cache: () => 'from cache',
  render: () => 'rendered',
  origin: () => 'your server',
};
export const answerName = (id: string) => answers[id]?.() ?? id;
export const isSpoofed = () => 'spoofed';
export const waitingTitle = () => 'Waiting for the next visit';
export const waitingText = () => 'Visits appear here the moment they are answered.';
export const timesNote = () => 'Times in your zone, UTC on hover';
export const missed = (number: number) => `${counted(number, 'visit', 'visits')} came faster than they could be shown.`;
export const liveText = () => 'The newest 20 visits, spoofed ones included. Reports count every visit.';

// ---- spoofed
export const spoofedCrawlers = () => 'Spoofed crawlers';
export const spoofedPerDay = () => 'Spoofed visits per day';
export const spoofedText = () =>
  'These visits used the name of a crawler from an address that does not belong to its company. They never start a render and appear in no other figure.';
export const spoofedSentence = (days: number, all: number) =>
  `${counted(days, 'day', 'days')} with ${counted(all, 'spoofed visit', 'spoofed visits')} in all.`;
export const claimed = () => 'Claimed crawler';
export const spoofedColumn = () => 'Spoofed';
export const genuine = () => 'Genuine';
export const spoofedShare = () => 'Share spoofed';
export const noSpoofed = () => 'Nobody pretended to be a crawler';

// ---- nothing yet
export const firstTitle = () => 'No crawler has come yet';
export const firstText = () =>
  'Visits are counted from the moment crawlers are answered through Glasshouse. Search engines usually come within days.';
export const toSetup = () => 'Check the set-up';

// ---- sharing
export const share = () => 'Share';
export const shareTitle = () => 'Share crawler statistics';
export const shareOff = () =>
  'Anyone with the link can see visits per day and the most read pages of this domain, and nothing else. No account is needed.';
export const shareOn = (since: string, last4: string) =>
  `Sharing has been on since ${since}. The link ends in ${last4}; it was shown once, when it was made.`;
export const shareMade = () =>
  'Copy the link now; it is not shown again. Anyone with the link can read these statistics.';
export const badge = () => 'Badge';
export const badgeAlt = (domain: string) => `Crawlers that read ${domain}`;
export const badgeText = () =>
  'A picture for your own pages, with the crawlers and visits of 30 days. It leads to the public page and ends with the link.';
export const badgeCode = () => 'HTML of the badge';
export const copyBadge = () => 'Copy HTML';
export const renewText = () => 'Making a new link disables the old one.';
export const publicLink = () => 'Public link';
export const turnOn = () => 'Turn sharing on';
export const turnOff = () => 'Turn sharing off';
export const copyLink = () => 'Copy link';
export const makeNew = () => 'Make a new link';
export const sharingOffNow = () => 'Sharing is off. The link no longer works.';
export const sharing = () => 'Sharing';

// ---- the public page
export const publicTitle = (domain: string) => `Crawlers of ${domain}`;
export const publicPeriod = (from: string, to: string) => `${from} to ${to}`;
export const publicFoot = () => 'Public and read-only. Days are UTC days.';
export const demoFigures = () => 'This is the demo of Glasshouse: its visits and all figures here are made up.';
export const linkIncomplete = () => 'This link is not complete';
export const linkIncompleteText = () =>
  'Ask the person who sent it for the whole link; its end is missing or was changed.';
export const linkEnded = () => 'This link no longer works';
export const linkEndedText = () =>
  'Sharing was turned off, or a newer link was made. Ask the person who sent it for a new one.';
export const linkElsewhere = () => 'This link belongs to another domain';
export const linkElsewhereText = () =>
  'The address was changed after the link was made. Ask the person who sent it for a new one.';
