// Words of parts that every screen has.
import { count, counted } from '../lib/numbers';

export const productName = () => 'Glasshouse';
export const tagline = () => 'What crawlers and AI see of your site';
export const documentTitle = (heading: string) => `${heading} · Glasshouse`;

export const tryAgain = () => 'Try again';
export const undo = () => 'Undo';
export const close = () => 'Close';
export const cancel = () => 'Cancel';
export const done = () => 'Done';
export const copy = () => 'Copy';
export const copied = () => 'Copied';
export const copyFailed = () => 'Copying is not allowed here. Select the text and copy it by hand.';
export const copyDetails = () => 'Copy details';
export const loading = (what: string) => `Loading ${what.replace(/^The /, 'the ')}`;
export const loaded = (what: string) => `${what} loaded`;
export const optional = () => 'optional';
export const none = () => 'none';
export const opensElsewhere = () => 'opens in a new tab';

export const showPassword = () => 'Show password';
/** Names the button of one of several password fields: Show current password. */
export const showField = (label: string) => `Show ${label.toLowerCase()}`;
export const show = () => 'Show';

export const unsavedChanges = () => 'Unsaved changes';
export const unsavedCount = (changes: number) => counted(changes, 'unsaved change', 'unsaved changes');
export const unsavedBad = (changes: number, bad: number) =>
  `${unsavedCount(changes)}, ${count(bad)} cannot be saved yet`;
export const saveChanges = () => 'Save changes';
export const saving = () => 'Saving';
export const discard = () => 'Discard';
export const leaveTitle = () => 'Leave without saving?';
export const leaveText = (changes: number) => `${unsavedCount(changes)} will be lost.`;
export const stay = () => 'Stay';
export const leave = () => 'Leave';

export const severity = {
  error: () => 'Error',
  warning: () => 'Warning',
  notice: () => 'Notice',
  success: () => 'Success',
};
/** Marks a word for screen readers before a text, so that both are not read as one word. */
export const beforeText = (word: string) => `${word}:`;
export const asSentence = (word: string) => `${word}.`;

export const dateRange = (value: string) => `Date range: ${value}`;
export const chooseRange = () => 'Choose the date range';
export const lastDays = (days: number) => `Last ${counted(days, 'day', 'days')}`;

export const progressOf = (done: number, total: number) => `${count(done)} of ${count(total)}`;
export const updated = (when: string) => `Updated ${when}`;

export const noProgress = () => 'Not started';
