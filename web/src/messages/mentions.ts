// Words of AI mentions that several of its screens have, and those of its overview.
import { count, counted, percent, score as decimal } from '../lib/numbers';

export const section = () => 'AI mentions';
export const overview = () => 'Overview';
export const prompts = () => 'Prompts';
export const answers = () => 'Answers';
export const sources = () => 'Sources';
export const competitors = () => 'Competitors';
export const reports = () => 'Reports';
const ASSISTANTS: Record<string, string> = {
  chatgpt: 'ChatGPT',
  perplexity: 'Perplexity',
  gemini: 'Gemini',
  claude: 'Claude',
  google_ai_overview: 'AI Overviews',
  analysis: 'Analysis of answers',
};
export const assistant = (id: string) => ASSISTANTS[id] ?? id;
export const allAssistants = () => 'All assistants';
const INTENTS: Record<string, string> = { info: 'Informational', comm: 'Commercial', trans: 'Transactional' };
export const intentName = (id: string) => INTENTS[id] ?? id;
const INTERVALS: Record<string, string> = {
  dynamic: 'By change, daily at first',
  weekly: 'Every week',
  monthly: 'Every month',
};
export const intervalName = (id: string) => INTERVALS[id] ?? id;
const SHORT_INTERVALS: Record<string, string> = { dynamic: 'By change', weekly: 'Weekly', monthly: 'Monthly' };
export const shortInterval = (id: string) => SHORT_INTERVALS[id] ?? id;
export const none = () => 'none';
export const needsAnswers = () => 'needs 3 answers';
export const never = () => 'never';
export const named = (brand: string) => `Assistants name ${brand} in`;
export const namedShare = (mentions: number, responses: number) =>
  `${count(mentions)} of ${counted(responses, 'answer', 'answers')}`;
export const namedRate = (rate: string, interval: string) => `That is ${rate} (${interval}).`;
export const interval = (low: number, high: number) => `95%: ${decimal(low)} to ${percent(high)}`;
export const noAnswersYet = () => 'No assistant has answered in this window yet.';
export const noPromptsLede = () => 'Ask AI assistants the questions of your customers, and see whether they name you.';
export const leaveOut = () => 'Leave out prompts with your name';
export const leaveOutHint = () => 'Nobody else can win a question about you.';
export const early = () => 'early';
export const earlyText = (responses: number) =>
  `Early: ${counted(responses, 'answer', 'answers')} in this window. Rates of fewer than 10 answers say little.`;
export const noKeyTitle = () => 'No assistant can be asked yet';
export const noKeyText = () =>
  'Set a key, such as providers.chatgpt.api_key, or let a local server of chat completions stand in (providers.chatgpt.base_url with api_style = chat), and start the service again. Suggestions, the brand profile and what was answered before work without one.';
export const budgetTitle = (owners: string) => `The budget of ${owners} is spent.`;
export const budgetOwner = (scope: string) => BUDGETS[scope] ?? scope;
const BUDGETS: Record<string, string> = {
  domain: 'this domain',
  account: 'the account',
  provider: 'an assistant',
  installation: 'this installation',
};
export const budgetText = (when: string | null) =>
  when === null
    ? 'Nothing is asked until there is money again; what is there stays.'
    : `Nothing more is asked until ${when}; what is there stays.`;
export const recomputing = (done: number, total: number) =>
  `The brand profile changed: answers are being read again, ${count(done)} of ${count(total)}. Figures move until it is done.`;
export const madeUp = () => 'Answers of some assistants here are made up, for the demo.';
export const pausedAssistants = (assistantNames: string) =>
  `At present no answer comes from ${assistantNames}. Questions wait and are asked again later.`;
export const absentNote = (number: number) =>
  `Google showed no overview ${counted(number, 'time', 'times')}; these are no answers.`;
export const visibility = () => 'Visibility';
export const position = () => 'Position';
export const tone = () => 'Tone';
export const measure = () => 'Measure';
export const shareOfVoice = () => 'Share of voice';
export const siteCited = () => 'Your site cited';
export const vsBefore = (days: number) => `vs ${counted(days, 'day', 'days')} before`;
export const ofMentions = (number: number) => `over ${counted(number, 'mention', 'mentions')}`;
export const ofAnswers = (number: number) => `of ${counted(number, 'answer', 'answers')}`;
export const strongestRival = (name: string) => `strongest rival: ${name}`;
export const noRival = () => 'no rival named';
export const trendSentence = (what: string, days: number, names: number) =>
  `${what} on ${counted(days, 'day', 'days')} with answers, of ${counted(names, 'assistant', 'assistants')}.`;
export const dayNote = () =>
  'Days are UTC days. A day without answers is a gap. Bands are 95% intervals of all assistants.';
export const byAssistant = () => 'Visibility by assistant';
export const whatToDo = () => 'What to do';
export const impact = (value: number) => `Impact ${count(value)}`;
export const impactHint = () =>
  'From 0 to 100: how much of your visibility it may move, by the report of the last 7 days.';
export const someOf = (shown: number, total: number) => `${count(shown)} of ${count(total)}`;
export const nothingToDoTitle = () => 'Nothing to do';
export const nothingToDoText = () => 'The newest report found nothing that stands out.';
export const noReportTitle = () => 'No report yet';
export const noReportText = () => 'The first report is made once the first questions are answered and read.';
export const allPrompts = () => 'All prompts';
export const latestChange = () => 'Latest answer that changed';
export const noChangeTitle = () => 'No answer changed';
export const noChangeText = () => 'In the last 7 days no answer gained or lost your name, or moved it.';
export const wholeAnswer = () => 'Whole answer';
const CHANGES: Record<string, (from: string, to: string) => string> = {
  gained: () => 'Named you for the first time',
  lost: (from) => `Stopped naming you, who were number ${from}`,
  rank_up: (from, to) => `Moved you up from ${from} to ${to}`,
  rank_down: (from, to) => `Moved you down from ${from} to ${to}`,
};
export const change = (type: string, from: string, to: string) => CHANGES[type]?.(from, to) ?? type;
export const brandName = () => 'Brand';
export const share = () => 'Share';
export const voiceSentence = (parts: string) => `Of all brands that answers name: ${parts}.`;
export const otherBrands = () => 'Others';
export const lastWeek = () => 'last 7 days';
export const noBrandsTitle = () => 'No brand named yet';
export const costTitle = () => 'Budget and cost';
export const spentThisMonth = () => 'Spent this month';
export const reservedNow = () => 'Reserved for questions under way';
export const projected = () => 'At the end of the month';
export const budget = () => 'Budget of this domain';
export const spentOf = (spent: string, all: string) => `${spent} of ${all}`;
export const noBudget = () => 'none';
export const inWindow = () => 'In this window';
export const estimatedPart = (amount: string) => `${amount} of it estimated`;
export const nothingSpent = () => 'Nothing was spent in this window.';
export const addPrompts = () => 'Add prompts';
export const prompt = () => 'Prompt';
export const rival = () => 'Strongest rival';
export const answersCount = () => 'Answers';
export const noPromptsTitle = () => 'No prompt yet';
export const noPromptsText = () => 'A prompt is a question that your customers ask. Begin with three to ten.';
export const localModel = () => 'local model';
const REFUSED: Record<string, string> = {
  invalid_request: 'its text or tags cannot be used',
  prompt_limit_reached: 'the plan has no room for more prompts',
  monitor_limit_reached: 'the plan has no room for more active prompts; it can start paused',
  provider_limit_reached: 'the plan allows fewer assistants for one prompt',
  provider_unavailable: 'an assistant is not available',
  plan_required: 'an assistant needs a higher plan',
};
export const refusedText = (code: string) => REFUSED[code] ?? code;
export const suggestions = () => 'Suggestions';
export const suggestionsSub = () =>
  'From searches of assistants, your pages and your brand profile. No assistant is asked for them.';
export const addNamed = (name: string) => `Add ${name}`;
export const add = () => 'Add';
export const addShown = (number: number) => (number === 1 ? 'Add this one' : `Add these ${count(number)}`);
export const noSuggestionsTitle = () => 'No suggestion now';
export const noSuggestionsText = () => 'They grow with answers, audits and visits of crawlers.';
export const askPaused = () => 'The prompt is paused. Resume it to ask now.';
export const askBudget = (when: string) => `The budget is spent. Questions are asked again from ${when}.`;
const STATUS: Record<string, string> = {
  queued: 'Queued',
  running: 'Running',
  answered: 'Being analysed',
  ok: 'Done',
  error: 'Failed',
};
export const statusName = (id: string) => STATUS[id] ?? id;
export const absentOverview = () => 'No overview shown';
export const noSearch = () => 'Answered without a search';
export const searchOff = () => 'Search switched off';
export const cutShort = () => 'Cut short';
export const beingAnalysed = () => 'Being analysed';
export const demoAnswer = () => 'Made up for the demo';
export const sourceNumber = (number: number) => `source ${count(number)}`;
const KINDS: Record<string, string> = { own: 'Yours', competitor: 'Competitor', third_party: 'Third party' };
export const kindName = (id: string) => KINDS[id] ?? id;
export const before = () => 'Change';
