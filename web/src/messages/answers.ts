// Words of AI mentions: the list of answers, one answer.
import { count } from '../lib/numbers';

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
export const absentText = (provider: string) =>
  provider === 'google_ai_mode'
    ? 'AI Mode showed no answer to this question. It does not count as an answer.'
    : 'Google showed no AI overview for this search. It does not count as an answer.';
const ERRORS: Record<string, string> = {
  refused: 'The assistant declined to answer.',
  auth: 'The assistant refused the API key. The operator of this installation needs to check it.',
  config:
    'The assistant refused the model or one of its settings. The operator of this installation needs to check them.',
  timeout: 'The assistant took too long.',
  unreadable: 'The answer could not be read.',
  provider_error: 'The assistant failed.',
  lost: 'The question was interrupted before it was answered.',
  provider_unavailable: 'The assistant could not be reached for six hours.',
};
export const errorText = (code: string) => ERRORS[code] ?? 'The assistant failed.';
export const reported = () => 'Error message';
export const again = () => 'The prompt will be asked again automatically.';
export const emptyAnswer = () => 'The answer has not arrived yet. This page updates when it does.';
export const earlier = () => 'Earlier answer';
export const later = () => 'Later answer';
export const legendOwn = () => 'your brand';
export const legendRival = () => 'rival';
export const noSourcesText = () => 'This answer cites no source.';
export const alsoFound = (number: number) => `Found and not cited: ${count(number)}`;
export const searchedFor = () => 'Searched for';
export const facts = () => 'How it was asked';
export const model = () => 'Model';
export const analysedBy = () => 'Analysed by';
const ANALYSIS: Record<string, string> = { model: 'a model', builtin: 'the built-in analyser' };
export const analysisName = (id: string) => ANALYSIS[id] ?? 'not analysed yet';
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
export const answersWhat = () => 'answers';
export const deletedPrompt = () => 'A deleted prompt';
export const openAnswer = (name: string) => `Answer of ${name}`;
export const namesYou = (place: string, toneText: string) => `It names you as ${place}, with a tone of ${toneText}.`;
export const namesYouNot = () => 'It does not name you.';
export const rivalsAre = (brands: string) => `Rivals: ${brands}.`;
export const legendSource = () => '¹ source';
export const noText = () => 'The answer has no text.';
