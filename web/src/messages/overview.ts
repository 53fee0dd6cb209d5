// Words of the overview of a domain: the verdict, figures, what needs attention, what changed.
import { count, counted, delta, percent, score } from '../lib/numbers';
import { type Facts, plain } from './attention';
import { providerName } from './providers';

export { attentionTitle } from './attention';

export const title = () => 'Overview';
export const whatFigures = () => 'The figures';

const assistants: Record<string, () => string> = {
  chatgpt: () => 'ChatGPT',
  perplexity: () => 'Perplexity',
  gemini: () => 'Gemini',
  claude: () => 'Claude',
  google_ai_overview: () => 'AI Overviews',
  google_ai_mode: () => 'AI Mode',
};
export const assistantName = (id: string) => assistants[id]?.() ?? providerName(id);
export { providerName };

/** Lists that clauses lead to. */
export type Target = 'attention' | 'urgent' | 'setup' | 'crawlers' | 'pages' | 'visits' | 'raw' | 'audit' | 'mentions';
/** Words of a sentence, or a clause that leads to a list. */
export type Piece = string | { text: string; to: Target };
export type Sentence = readonly Piece[];

const to = (target: Target, text: string): Piece => ({ text, to: target });
const inTheDays = (days: number) => `in ${counted(days, 'day', 'days')}`;

export const calm = (): Sentence => ['Nothing needs you.'];
export const needing = (things: number, isAll: boolean, mostUrgent: string): Sentence => [
  to('attention', isAll ? counted(things, 'thing', 'things') : `${count(things)} things or more`),
  things === 1 ? ' needs your attention: ' : ' need your attention, first of all: ',
  to('urgent', mostUrgent),
  '.',
];
export const notConnected = (domain: string): Sentence => [
  `${domain} is not connected yet: `,
  to('setup', 'continue the set-up'),
  '.',
];
export const noVisits = (days: number): Sentence => [`No crawler visited ${inTheDays(days)}.`];
export const crawlersRead = (
  { crawlers, pages, visits }: { crawlers: number; pages: number; visits: number },
  days: number,
): Sentence => [
  to('crawlers', counted(crawlers, 'crawler', 'crawlers')),
  ' read ',
  to('pages', `${count(pages)} of your pages`),
  ' ',
  to('visits', counted(visits, 'time', 'times')),
  ` ${inTheDays(days)}`,
];
/** Counts the words of the start page that a crawler without JavaScript gets. */
const rawWords = (raw: number) => (raw === 0 ? 'not one word' : counted(raw, 'word', 'words'));
export const withoutUs = (raw: number, rendered: number): Sentence => [
  'without Glasshouse they would have seen ',
  to('raw', rawWords(raw)),
  ` of the ${count(rendered)} on your start page`,
];
export const seenToday = (raw: number, rendered: number): Sentence => [
  'Crawlers see ',
  to('raw', rawWords(raw)),
  ` of the ${count(rendered)} on your start page today.`,
];
export const healthFirst = (value: number): Sentence => [
  'Health is ',
  to('audit', score(value)),
  ' after the first audit.',
];
export const healthMoved = (value: number, change: number): Sentence => [
  Math.abs(change) < 0.05 ? 'Health stayed at ' : change > 0 ? 'Health rose to ' : 'Health fell to ',
  to('audit', score(value)),
  '.',
];
export const named = (rate: number): Sentence => [
  'Assistants name you in ',
  to('mentions', percent(rate)),
  ' of their answers.',
];
export const namedChanged = (rate: number, before: number, days: number): Sentence => [
  'Assistants name you ',
  to('mentions', rate < before ? 'less often' : 'more often'),
  ` than in the ${counted(days, 'day', 'days')} before.`,
];

export const crawlerVisits = () => 'Crawler visits';
export const servedFromCache = () => 'Served from cache';
export const siteHealth = () => 'Site health';
export const aiVisibility = () => 'AI visibility';
export const people = () => 'People from assistants';
export const percentSign = () => '%';
export const noFigure = () => '–';
export const notLoaded = () => 'did not load';
export const versus = (days: number) => `vs ${counted(days, 'day', 'days')} before`;
export const noneBefore = (days: number) => `none in the ${counted(days, 'day', 'days')} before`;
export const notCountedBefore = (days: number) => `no full ${counted(days, 'day', 'days')} before to compare with`;
export const saved = (time: string) => `saved crawlers ${time} of waiting`;
export const nothingServed = () => 'nothing served yet';
export const sinceBefore = () => 'since the audit before';
export const firstAudit = () => 'first audit';
export const noAudit = () => 'no audit yet';
export const noAnswers = () => 'no answers yet';
export const interval = (low: number, high: number) => `95%: ${percent(low).replace('%', '')} to ${percent(high)}`;
export const answers = (number: number) => counted(number, 'answer', 'answers');
export const early = () => 'early';

export const perDay = () => 'Crawler visits per day';
export const ai = () => 'AI';
export const search = () => 'Search';
export const other = () => 'Other';
export const perDaySentence = (days: number, total: number, highest: number) =>
  `${counted(total, 'crawler visit', 'crawler visits')} in ${counted(days, 'day', 'days')}, at most ${count(highest)} on a day.`;
export const noVisitsTitle = () => 'No crawler visits in this period';

export const setup = () => 'Set-up';
export const setupAdded = () => 'The domain is added';
export const setupAddedText = () => 'Nothing has changed for its visitors.';
export const setupPoint = () => 'Point DNS here, or paste a snippet';
export const setupPointText = () => 'The set-up shows the records and checks whether they are in place.';
export const setupVisit = () => 'Wait for the first crawler';
export const setupVisitText = () => 'Usually within a day. Visits, snapshots and errors then appear here.';
export const goOn = () => 'Continue the set-up';

export const attention = () => 'Needs attention';
export const nothingNeeds = () => 'Nothing needs you';
export const nothingNeedsText = () =>
  'Errors, blocked crawlers, stale pages and limits appear here when they need your attention.';
export const dismiss = (title: string) => `Dismiss ${title}`;
export const dismissed = (title: string) => `Dismissed: ${title}`;
export const dismissFailed = () => 'It could not be dismissed: the server does not answer.';
export const undoFailed = () => 'It could not be undone: the server does not answer.';
export const atMost = (number: number) => `the first ${count(number)}`;

const share = (value: number | null) => percent(value ?? 0);
const joined = (...sentences: string[]) => sentences.filter((sentence) => sentence !== '').join(' ');

const attentionTexts: Record<string, (facts: Facts, since: string) => string> = {
  not_connected: () => 'Crawlers still get what your own server sends.',
  crawl_errors: ({ before, after }, since) =>
    joined(
      since,
      `${share(after)} of visits in 7 days${before === null ? '' : `, ${share(before)} the 7 days before`}.`,
    ),
  new_audit_errors: ({ count: found }, since) =>
    joined(since, `No earlier audit found ${found === 1 ? 'it' : 'them'}.`),
  ai_crawlers_blocked: ({ subject }) => (subject === null ? 'robots.txt or the server keeps them out.' : `${subject}.`),
  snapshots_failing: () => 'Crawlers get the last good snapshot, if there is one.',
  snapshots_stale: ({ count: stale }) =>
    stale === 1 ? 'It is served until it is rendered again.' : 'They are served until they are rendered again.',
  visibility_dropped: ({ before, after }) => `${share(after)} of answers, ${share(before)} the week before.`,
  limit_near: ({ before, after }) => `${count(after ?? 0)} of ${count(before ?? 0)} used this month.`,
  limit_reached: ({ before, after }) => `${count(after ?? 0)} of ${count(before ?? 0)} used this month.`,
};
export const since = (day: string) => `Since ${day}.`;
export const attentionText = (facts: Facts, sinceText: string) =>
  attentionTexts[facts.kind]?.(facts, sinceText) ?? sinceText;

export const changes = () => 'Since your last visit';
export const changesFirst = () => 'the last 14 days';
export const newCount = (number: number) => `${count(number)} new`;
export const isNew = () => 'New';
export const noChanges = () => 'Nothing changed in 14 days';
export const noChangesText = () => 'Audits, refreshes, new crawlers and changes in answers appear here.';

const changeTexts: Record<string, (facts: Facts) => string> = {
  connected: () => 'The domain was connected',
  audit_finished: ({ count: found, before, after }) => {
    const health = after === null ? '' : `, health ${score(after)}`;
    const moved = after === null || before === null ? '' : ` (${delta(after - before)})`;
    return `Audit finished with ${counted(found ?? 0, 'finding', 'findings')}${health}${moved}`;
  },
  refresh_finished: ({ count: pages }) => `Refresh finished: ${counted(pages ?? 0, 'page', 'pages')} rendered`,
  crawler_first_seen: ({ subject }) => `${subject ?? 'A crawler'} came for the first time`,
  pages_first_seen: ({ count: pages }) => `${counted(pages ?? 0, 'page', 'pages')} crawled for the first time`,
  snapshots_failed: ({ count: failed }) => `${counted(failed ?? 0, 'page', 'pages')} failed to render`,
  visibility_changed: ({ subject, before, after }) => {
    const who = subject === null ? 'Assistants name' : `${assistantName(subject)} names`;
    return before === null || after === null
      ? `${who} you more or less often than before`
      : `${who} you in ${percent(after)} of answers, ${percent(before)} before`;
  },
  first_named: ({ subject }) =>
    `${subject === null ? 'An assistant' : assistantName(subject)} named you for the first time`,
  report_ready: () => 'A report on AI mentions is ready',
};
export const changeText = (facts: Facts) => changeTexts[facts.kind]?.(facts) ?? plain(facts.kind);

export const cited = () => 'Your pages that AI answers cite';
export const mostRead = () => 'Most read pages';
export const allPages = () => 'All pages';
export const page = () => 'Page';
export const citedBy = () => 'Cited by';
export const citations = () => 'Citations';
export const lastAiCrawl = () => 'Last AI crawl';
export const snapshotAge = () => 'Snapshot age';
export const issues = () => 'Issues';
export const notCrawled = () => 'never';
export const noSnapshot = () => 'none';
export const notAudited = () => 'not audited';
export const visits = () => 'Visits';
export const crawlers = () => 'Crawlers';
export const readBy = () => 'Read by';
export const lastVisit = () => 'Last visit';
export const noPages = () => 'No page was read in this period';

export const byAssistant = () => 'AI visibility by assistant';
export const inDays = (days: number) => counted(days, 'day', 'days');
export const visibilityIs = () => 'Visibility is the share of answers that name you, to prompts without your name.';
export const snapshotIs = () => 'A snapshot is the finished HTML of a page, stored for crawlers.';
export const noAnswersTitle = () => 'No answers yet';
export const noAnswersText = () =>
  'Add the questions that your customers ask. AI assistants are asked them, and you see whether they name you.';
export const toMentions = () => 'Open AI mentions';
export const earlyNote = () => 'Fewer than ten answers: read these figures as early signals.';

export const snapshots = () => 'Snapshots';
export const rendering = () => 'Rendering';
export const fresh = () => 'Fresh';
export const stale = () => 'Stale';
export const failing = () => 'Failing';
export const snapshotSentence = (fresh: number, stale: number, failing: number) =>
  `${count(fresh)} fresh, ${count(stale)} stale, ${count(failing)} failing`;
export const noSnapshots = () => 'Nothing is stored yet';
export const noSnapshotsText = () => 'Pages are stored when a crawler asks for them, or when they are refreshed.';
