// Words of AI mentions: one prompt, answers, sources, searches, competitors, reports. Screens read them through mentions.ts.
import { count, counted } from '../lib/numbers';

// ---- one prompt
export const askNow = () => 'Ask now';
export const asking = () => 'Asking';
export const askedNow = (queued: number) =>
  queued === 0 ? 'It is being asked already.' : `${counted(queued, 'question', 'questions')} queued.`;
export const askCost = (usd: string) => `One answer of each assistant costs at most about ${usd}.`;
export const askPaused = () => 'The prompt is paused. Resume it to ask now.';
export const askBudget = (when: string) => `The budget is spent. Questions are asked again from ${when}.`;
export const askNoKey = () => 'None of its assistants can be asked now.';
export const ofThisPrompt = () => 'Answers to this prompt';
export const firstAnswers = (shown: number, total: number) =>
  `The rates are of the newest ${count(shown)} of ${count(total)} answers.`;
export const underWay = (number: number) => `${counted(number, 'question is', 'questions are')} under way.`;
export const someMissing = () => 'Not found';

// ---- answers
export const answerOf = (name: string) => `Answer of ${name}`;
export const answer = () => 'Answer';
export const dayColumn = () => 'Day';
export const assistantColumn = () => 'Assistant';
export const rank = () => 'Rank';
export const cited = () => 'Sources';
export const rivals = () => 'Rivals';
export const rankOf = (value: number) => `number ${count(value)}`;
export const notNamed = () => 'not named';
export const noAnswersTitle = () => 'No answer yet';
export const noAnswersText = () => 'Answers come within minutes after a prompt is added.';
const STATUS: Record<string, string> = {
  queued: 'Queued',
  running: 'Running',
  answered: 'Being analysed',
  ok: 'Done',
  error: 'Failed',
};
export const statusName = (id: string) => STATUS[id] ?? id;
export const absentOverview = () => 'No overview shown';
export const absentText = () => 'Google showed no AI overview for this search. It counts as no answer.';
export const noSearch = () => 'Answered without a search';
export const searchOff = () => 'Search switched off';
export const cutShort = () => 'Cut short';
export const beingAnalysed = () => 'Being analysed';
export const demoAnswer = () => 'Made up for the demo';
const ERRORS: Record<string, string> = {
  refused: 'The assistant declined to answer.',
  auth: 'The key of the assistant was refused. The operator has to look at it.',
  config: 'The model or one of its settings was refused. The operator has to look at it.',
  timeout: 'The assistant took too long.',
  unreadable: 'The answer could not be read.',
  provider_error: 'The assistant failed.',
  lost: 'The question was lost on its way.',
  provider_unavailable: 'The assistant was away for six hours.',
};
export const errorText = (code: string) => ERRORS[code] ?? code;
export const again = () => 'The prompt is asked again by itself.';
export const emptyAnswer = () => 'The answer is not there yet. This page follows it.';
export const earlier = () => 'Earlier answer';
export const later = () => 'Later answer';
export const legendOwn = () => 'your brand';
export const legendRival = () => 'rival';
export const noSourcesText = () => 'This answer cites no source.';
export const alsoFound = (number: number) => `Found and not cited: ${count(number)}`;
export const searchedFor = () => 'Searched for';
export const facts = () => 'How it was asked';
export const model = () => 'Model';
export const analysedBy = () => 'Read by';
const ANALYSIS: Record<string, string> = { model: 'a model', builtin: 'the built-in analyser' };
export const analysisName = (id: string) => ANALYSIS[id] ?? 'not read yet';
export const cost = () => 'Cost';
export const costEstimated = (amount: string) => `${amount}, estimated`;
export const calls = () => 'Calls';
export const asked = () => 'Asked';
const REASONS: Record<string, string> = {
  create: 'when the prompt was added',
  changed: 'after the prompt changed',
  activated: 'when the prompt was resumed',
  scheduled: 'on schedule',
  manual: 'by hand',
};
export const reasonName = (id: string) => REASONS[id] ?? id;
export const place = () => 'Asked as';
export const recommended = () => 'Recommends you';
export const yes = () => 'yes';
export const no = () => 'no';
export const sourceNumber = (number: number) => `source ${count(number)}`;

// ---- sources and searches
export const by = () => 'By';
export const domain = () => 'Domain';
export const page = () => 'Page';
export const source = () => 'Source';
export const kind = () => 'Kind';
const KINDS: Record<string, string> = { own: 'Yours', competitor: 'Competitor', third_party: 'Third party' };
export const kindName = (id: string) => KINDS[id] ?? id;
export const citations = () => 'Cited';
export const retrieved = () => 'Found, not cited';
export const gaps = () => 'Gaps';
export const gapsHint = () => 'Gaps are answers that cite the source and name a rival, and not you.';
export const lastDay = () => 'Last';
export const crawled = () => 'Last AI crawl';
export const findings = () => 'Findings';
export const people = () => 'People';
export const unknown = () => 'not known';
export const sourcesWhat = () => 'sources';
export const noSourcesTitle = () => 'No source yet';
export const noSourcesYet = () => 'Sources come with answers of assistants that search.';
export const searches = () => 'Searches';
export const searchesWhat = () => 'searches';
export const search = () => 'Search';
export const names = () => 'Names you';
export const tracked = () => 'Tracked';
export const noSearchesTitle = () => 'No search yet';
export const noSearchesText = () => 'Assistants that search say what they searched for.';

// ---- competitors
export const competitor = () => 'Competitor';
export const competitorsWhat = () => 'competitors';
export const ahead = () => 'Ahead of you';
export const strength = () => 'Strength';
export const strengthHint = () =>
  'Strength, from 0 to 100, orders rivals by presence, place and citations; nothing more.';
const STANDINGS: Record<string, string> = { tracked: 'Tracked', discovered: 'Discovered', ignored: 'Ignored' };
export const standing = (id: string) => STANDINGS[id] ?? id;
export const track = () => 'Track';
export const ignore = () => 'Ignore';
export const trackNamed = (name: string) => `Track ${name}`;
export const ignoreNamed = (name: string) => `Ignore ${name}`;
export const isIgnored = (name: string) => `${name} is ignored and counts nowhere.`;
export const addCompetitor = () => 'Add competitor';
export const nameField = () => 'Name';
export const websiteField = () => 'Website';
export const websiteHint = () => 'Its citations count for it then.';
export const nameWrong = () => 'Use 1 to 80 characters.';
export const nameTaken = () => 'A brand of this profile has this name.';
export const competitorAdded = (name: string) => `${name} is tracked. Answers are being read again.`;
export const noCompetitorsTitle = () => 'No competitor yet';
export const noCompetitorsText = () =>
  'Brands that answers name beside yours come by themselves. Those you know can be added.';
export const competitorsSub = () => 'Figures are of the last 7 days. What is done here changes the brand profile.';

// ---- reports
export const report = () => 'Report';
export const reportOf = (date: string) => `Report of ${date}`;
export const period = () => 'Period';
export const periodOf = (from: string, to: string) => `${from} to ${to}`;
export const headline = () => 'In short';
export const print = () => 'Print';
export const markdown = () => 'Markdown';
export const webPage = () => 'Web page';
export const reportsWhat = () => 'reports';
export const todayOpen = () => 'Today’s report grows: some questions are still under way.';
export const todayNone = () => 'Today’s report comes once the questions under way are answered.';
export const summary = () => 'In short';
export const figures = () => 'Figures';
export const figure = () => 'Figure';
export const value = () => 'Value';
export const before = () => 'Change';
export const sample = () => 'Of';
export const byAssistantTitle = () => 'By assistant';
export const byPromptTitle = () => 'By prompt';
export const changesTitle = () => 'What changed';
export const confirmed = () => 'confirmed';
export const unconfirmed = () => 'seen once';
export const noChanges = () => 'Nothing changed in these days.';
export const opportunities = () => 'Where to be named';
export const score = () => 'Score';
export const yourPages = () => 'Your pages that answers cite';
export const method = () => 'How it is counted';
const METHODS: Record<string, string> = {
  collection: 'Collection',
  sampling: 'Sample',
  denominator: 'Answers',
  mention: 'Mention',
  position: 'Position',
  sentiment: 'Tone',
  citation: 'Citation',
  sovUnit: 'Share of voice',
  intervals: 'Intervals',
  comparison: 'Comparison',
  confirmation: 'Changes',
  rounding: 'Rounding',
  limits: 'Limits',
};
export const methodName = (id: string) => METHODS[id] ?? '';
export const negative = () => 'Negative sentences';
const VERDICTS: Record<string, string> = {
  no_data: 'No answers in these days.',
  exploratory: 'A small sample: read the figures as early signals.',
  thin_sample: 'Some figures have fewer than ten answers: read those as early signals.',
  ok: '',
};
export const verdict = (id: string) => VERDICTS[id] ?? '';
export const coverageText = (responses: number, promptCount: number, assistantsCount: number) =>
  `${counted(responses, 'answer', 'answers')} to ${counted(promptCount, 'prompt', 'prompts')} from ${counted(assistantsCount, 'assistant', 'assistants')}.`;
export const oldReport = () => 'A report of an older form. It can be read as text.';
export const recommendedRate = () => 'Recommended';
export const shareNonBranded = () => 'Share of voice without your name';
export const modelChanged = (from: string, to: string) => `Another model answers: ${to}, before ${from}`;
export const newRival = (name: string) => `A new rival: ${name}`;
export const added = () => 'Added';
export const tag = () => 'Tag';
export const promptsWhat = () => 'prompts';
export const answersWhat = () => 'answers';
export const notSaved = () => 'That was not saved. Try again.';
export const deletedPrompt = () => 'A deleted prompt';
export const openAnswer = (name: string) => `Answer of ${name}`;
export const namesYou = (place: string, toneText: string) => `It names you, as ${place}, with the tone ${toneText}.`;
export const namesYouNot = () => 'It does not name you.';
export const rivalsAre = (brands: string) => `Rivals: ${brands}.`;
export const legendSource = () => '¹ source';
export const noText = () => 'There is no text.';
export const isStanding = (name: string, state: string) =>
  `${name}: ${state.toLowerCase()}. Answers are being read again.`;
