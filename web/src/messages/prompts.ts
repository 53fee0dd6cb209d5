// Words of AI mentions: the list of prompts, adding and editing them, one prompt.
import { count, counted } from '../lib/numbers';

export const adding = () => 'Adding';
export const assistants = () => 'Assistants';
export const howOften = () => 'How often';
export const tags = () => 'Tags';
export const tagsHint = () => 'At most 10, separated by commas: lower-case letters, digits and hyphens.';
export const tagsWrong = () => 'Use lower-case letters, digits and hyphens, at most 10 tags of 64 characters.';
export const intent = () => 'Intent';
export const difficulty = () => 'Difficulty';
export const lastAsked = () => 'Last asked';
export const state = () => 'State';
export const active = () => 'Active';
export const paused = () => 'Paused';
export const actions = () => 'Actions';
export const yourName = () => 'Your name';
export const yourNameHint = () => 'This prompt names your brand, so nearly every answer to it does too.';
export const pause = (name: string) => `Pause ${name}`;
export const resume = (name: string) => `Resume ${name}`;
export const edit = (name: string) => `Edit ${name}`;
export const remove = (name: string) => `Delete ${name}`;
export const editTitle = () => 'Edit prompt';
export const editNote = () => 'A changed prompt is asked at once. Answers to the old text stay.';
export const promptPaused = () => 'Prompt paused.';
export const promptResumed = () => 'Prompt resumed.';
export const promptSaved = () => 'Prompt saved.';
export const promptDeleted = () => 'Prompt deleted.';
export const deleteTitle = () => 'Delete prompt?';
export const deleteText = (name: string) =>
  `“${name}” and its answers are removed from all statistics. Existing reports keep them. This cannot be undone.`;
export const deletePrompt = () => 'Delete prompt';
export const keepPrompt = () => 'Keep prompt';
export const promptsField = () => 'Prompts, one per line';
export const promptsHint = () => 'As a customer would ask. Prompts that exist already are skipped.';
export const promptsMissing = () => 'Write at least one prompt.';
export const promptsTooMany = () => 'At most 1,000 prompts at once.';
export const promptMissing = () => 'Write the question.';
export const assistantsMissing = () => 'Choose at least one assistant.';
export const startPaused = () => 'Start paused';
export const startPausedHint = () => 'Nothing is asked, and nothing spent, until it is resumed.';
export const noKey = () => 'no key';
export const morePlan = () => 'needs a higher plan';
export const costPart = () => 'Cost';
export const costNow = () => 'Now';
export const costMonth = () => 'A month';
export const costRuns = (runs: number) => counted(runs, 'question', 'questions');
export const costAbout = (runs: string, usd: string) => `${runs}, at most about ${usd}`;
export const costAll = () => 'All prompts by the end of this month';
export const costBeforeAfter = (before: string, after: string) => `${before} before, about ${after} after`;
export const costDynamic = () =>
  'Asked daily at first; prompts with stable answers are then asked less often (every fourth day), those with changing answers more often (every 12 hours).';
export const costNothing = () => 'Paused prompts are not asked and cost nothing.';
export const costOfBudget = (amount: string) => `The budget of this domain is ${amount} a month.`;
export const costSlots = (used: number, limit: number) =>
  `${count(used)} of ${counted(limit, 'active prompt', 'active prompts')} of the plan`;
export const addedSome = (created: number, queued: number) =>
  `${counted(created, 'prompt', 'prompts')} added, ${counted(queued, 'question', 'questions')} queued.`;
export const skipped = (number: number) =>
  `${counted(number, 'prompt exists', 'prompts exist')} already and stayed as before.`;
export const refusedSome = (number: number, why: string) =>
  `${counted(number, 'prompt was', 'prompts were')} not added: ${why}. ${number === 1 ? 'It is' : 'They are'} left in the field.`;
export const askNow = () => 'Ask now';
export const asking = () => 'Asking';
export const askedNow = (queued: number) =>
  queued === 0 ? 'It is already being asked.' : `${counted(queued, 'question', 'questions')} queued.`;
export const askCost = (usd: string) => `One answer of each assistant costs at most about ${usd}.`;
export const askNoKey = () => 'None of its assistants can be asked now.';
export const ofThisPrompt = () => 'Answers to this prompt';
export const firstAnswers = (shown: number, total: number) =>
  `The rates are of the newest ${count(shown)} of ${count(total)} answers.`;
export const underWay = (number: number) => `${counted(number, 'question is', 'questions are')} in progress.`;
export const someMissing = () => 'Not found';
export const added = () => 'Added';
export const tag = () => 'Tag';
export const promptsWhat = () => 'prompts';
export const notSaved = () => 'That was not saved. Try again.';

export const place = () => 'Place';
export const language = () => 'Language';
export const placeOfDomain = () => 'As set for the domain';
export const languageOfDomain = () => 'As set for the domain';
export const sample = () => 'One sample answer';
export const sampleText = (question: string, assistant: string) =>
  `See what ${assistant} answers to “${question}” before anything is asked on a schedule.`;
export const askOnce = (price: string) => `Ask once, at most ${price}`;
export const sampleUnderWay = (assistant: string) => `${assistant} is being asked.`;
export const sampleOf = (assistant: string, question: string) => `${assistant} answers “${question}”:`;
