// Words of AI mentions: the list of reports, one report.
import { counted } from '../lib/numbers';

export const report = () => 'Report';
export const reportOf = (date: string) => `Report of ${date}`;
export const period = () => 'Period';
export const periodOf = (from: string, to: string) => `${from} to ${to}`;
export const headline = () => 'In short';
export const print = () => 'Print';
export const markdown = () => 'Markdown';
export const webPage = () => 'Web page';
export const reportsWhat = () => 'reports';
export const todayOpen = () => 'Today’s report is still growing: some questions are in progress.';
export const todayNone = () => 'Today’s report is made once the questions in progress are answered.';
export const summary = () => 'In short';
export const figures = () => 'Figures';
export const figure = () => 'Figure';
export const value = () => 'Value';
export const sample = () => 'Of';
export const byAssistantTitle = () => 'By assistant';
export const byPromptTitle = () => 'By prompt';
export const changesTitle = () => 'What changed';
export const confirmed = () => 'confirmed';
export const unconfirmed = () => 'seen once';
export const noChanges = () => 'Nothing changed in this period.';
export const opportunities = () => 'Where you could be named';
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
  no_data: 'No answers in this period.',
  exploratory: 'A small sample: read the figures as early signals.',
  thin_sample: 'Some figures have fewer than ten answers: read those as early signals.',
  ok: '',
};
export const verdict = (id: string) => VERDICTS[id] ?? '';
export const coverageText = (responses: number, promptCount: number, assistantsCount: number) =>
  `${counted(responses, 'answer', 'answers')} to ${counted(promptCount, 'prompt', 'prompts')} from ${counted(assistantsCount, 'assistant', 'assistants')}.`;
export const recommendedRate = () => 'Recommended';
export const shareNonBranded = () => 'Share of voice, prompts without your name';
export const modelChanged = (from: string, to: string) => `A different model answers: ${to}, previously ${from}`;
export const newRival = (name: string) => `A new rival: ${name}`;
