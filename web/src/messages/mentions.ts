// Words of AI mentions that several of its screens have, and those of its overview.
import { count, counted, percent, score as decimal } from '../lib/numbers';
import { providerName } from './providers';

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
  google_ai_mode: 'AI Mode',
  analysis: 'Analysis of answers',
};
export const assistant = (id: string) => ASSISTANTS[id] ?? providerName(id);
export const moreAssistants = (number: number) => `+${count(number)}`;
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
export const noAnswersYet = () => 'No assistant has answered in this period yet.';
export const noPromptsLede = () => 'Ask AI assistants what your customers ask, and see whether they name you.';
export const leaveOut = () => 'Leave out prompts with your name';
export const leaveOutHint = () => 'Answers to a question that names you nearly always name you too.';
export const early = () => 'early';
export const earlyText = (responses: number) =>
  `Early: ${counted(responses, 'answer', 'answers')} in this period. Rates from fewer than 10 answers say little.`;
export const noKeyTitle = () => 'No assistant can be asked yet';
export const noKeyText = () =>
  'Set an API key, such as providers.chatgpt.api_key, or connect a local chat-completions server (providers.chatgpt.base_url with api_style = chat), and restart the service. Suggestions, the brand profile and earlier answers work without one.';
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
    ? 'No more questions are asked until the budget is raised; existing answers stay.'
    : `No more questions are asked until ${when}; existing answers stay.`;
export const recomputing = (done: number, total: number) =>
  `The brand profile changed: answers are being analysed again, ${count(done)} of ${count(total)}. Figures change until this is done.`;
export const madeUp = () => 'Answers of some assistants here are made up, for the demo.';
export const pausedAssistants = (assistantNames: string) =>
  `No answers come from ${assistantNames} at the moment. Questions wait and are asked again later.`;
export const absentNote = (number: number) =>
  `Google showed no AI answer ${counted(number, 'time', 'times')}; ${number === 1 ? 'this search does' : 'these searches do'} not count as answers.`;
export const visibility = () => 'Visibility';
export const position = () => 'Position';
export const tone = () => 'Tone';
export const terms = () =>
  'Visibility is the share of answers that name you. Position is your place among the brands that an answer names, 1 being first. Tone runs from −1, negative, to +1, positive. Share of voice is your part of all mentions of brands.';
export const measure = () => 'Measure';
export const shareOfVoice = () => 'Share of voice';
export const siteCited = () => 'Your site cited';
export const vsBefore = (days: number) => `vs ${counted(days, 'day', 'days')} before`;
export const ofMentions = (number: number) => `in ${counted(number, 'mention', 'mentions')}`;
export const ofAnswers = (number: number) => `of ${counted(number, 'answer', 'answers')}`;
export const strongestRival = (name: string) => `strongest rival: ${name}`;
export const noRival = () => 'no rival named';
export const trendSentence = (what: string, days: number, names: number) =>
  `${what} on ${counted(days, 'day', 'days')} with answers, for ${counted(names, 'assistant', 'assistants')}.`;
export const dayNote = () =>
  'Days are UTC days; days without answers are gaps. Bands are 95% intervals for all assistants together.';
export const byAssistant = () => 'Visibility by assistant';
export const whatToDo = () => 'What to do';
export const impact = (value: number) => `Impact ${count(value)}`;
export const impactHint = () =>
  'Impact, from 0 to 100, estimates how much a step could raise your visibility, by the report of the last 7 days.';
export const someOf = (shown: number, total: number) => `${count(shown)} of ${count(total)}`;
export const nothingToDoTitle = () => 'Nothing to do';
export const nothingToDoText = () => 'The newest report found nothing that stands out.';
export const noReportTitle = () => 'No report yet';
export const noReportText = () => 'The first report is made once the first questions are answered and analysed.';
export const allPrompts = () => 'All prompts';
export const latestChange = () => 'Latest answer that changed';
export const noChangeTitle = () => 'No answer changed';
export const noChangeText = () =>
  'In the last 7 days no answer started or stopped naming you, or changed your position.';
export const wholeAnswer = () => 'Whole answer';
const CHANGES: Record<string, (from: string, to: string) => string> = {
  gained: () => 'Named you for the first time',
  lost: (from) => `Stopped naming you; you were number ${from}`,
  rank_up: (from, to) => `Moved you up from ${from} to ${to}`,
  rank_down: (from, to) => `Moved you down from ${from} to ${to}`,
};
export const change = (type: string, from: string, to: string) => CHANGES[type]?.(from, to) ?? type;
export const brandName = () => 'Brand';
export const share = () => 'Share';
export const voiceSentence = (parts: string) => `Share of all brand mentions: ${parts}.`;
export const otherBrands = () => 'Others';
export const lastWeek = () => 'last 7 days';
export const noBrandsTitle = () => 'No brand named yet';
export const noBrandsText = () => 'The brands that answers name appear here.';
export const costTitle = () => 'Budget and cost';
export const spentThisMonth = () => 'Spent this month';
export const reservedNow = () => 'Reserved for questions in progress';
export const projected = () => 'Expected by the end of the month';
export const budget = () => 'Budget of this domain';
export const spentOf = (spent: string, all: string) => `${spent} of ${all}`;
export const noBudget = () => 'none';
export const inWindow = () => 'In this period';
export const estimatedPart = (amount: string) => `${amount} of it estimated`;
export const nothingSpent = () => 'Nothing was spent in this period.';
export const addPrompts = () => 'Add prompts';
export const prompt = () => 'Prompt';
export const rival = () => 'Strongest rival';
export const answersCount = () => 'Answers';
export const noPromptsTitle = () => 'No prompt yet';
export const noPromptsText = () => 'A prompt is a question that your customers ask. Start with three to ten.';
export const localModel = () => 'local model';
export const standIn = () => 'stand-in of the demo';
export const standInText = () =>
  'The demo’s stand-in makes up its answers, and only answers the demo’s own questions. To ask your own, the operator sets the API key of an assistant.';
const REFUSED: Record<string, string> = {
  invalid_request: 'its text or tags cannot be used',
  prompt_limit_reached: 'your plan allows no more prompts',
  monitor_limit_reached: 'your plan allows no more active prompts; it can start paused',
  provider_limit_reached: 'your plan allows fewer assistants per prompt',
  provider_unavailable:
    'an assistant is not available, or is the demo’s stand-in, which only answers the demo’s own questions',
  plan_required: 'an assistant needs a higher plan',
};
export const refusedText = (code: string) => REFUSED[code] ?? code;
export const suggestions = () => 'Suggestions';
export const suggestionsSub = () =>
  'From searches that assistants made, your pages and your brand profile. No assistant is asked to write them.';
export const addNamed = (name: string) => `Add ${name}`;
export const add = () => 'Add';
export const addShown = (number: number) => (number === 1 ? 'Add this one' : `Add these ${count(number)}`);
export const noSuggestionsTitle = () => 'No suggestions at the moment';
export const noSuggestionsText = () => 'More come with answers, audits and crawler visits.';
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
export const absentOverview = (provider: string) =>
  provider === 'google_ai_mode' ? 'No answer shown' : 'No overview shown';
export const noSearch = () => 'Answered without a search';
export const searchOff = () => 'Search switched off';
export const cutShort = () => 'Cut short';
export const beingAnalysed = () => 'Being analysed';
export const demoAnswer = () => 'Made up for the demo';
export const sourceNumber = (number: number) => `source ${count(number)}`;
const KINDS: Record<string, string> = { own: 'Yours', competitor: 'Competitor', third_party: 'Third party' };
export const kindName = (id: string) => KINDS[id] ?? id;
export const before = () => 'Change';
