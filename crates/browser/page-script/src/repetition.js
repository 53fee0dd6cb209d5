// The page's own time: timers, intervals, frames, idle callbacks, polls and messages. The page has a budget of own time after its last progress,
// which is text or elements that were not there before. See docs/decisions/0006.
// Must never wait forever: the total is limited.

import { ALARMS } from './alarms.js';
import { budgetFactor } from './completeness.js';
import { body, children, localName, queryAll, readyState, textContent } from './intrinsics/dom.js';
import { each, max, someItem } from './intrinsics/language.js';
import { options } from './options.js';
import { now, shared, time } from './shared.js';
import { shadowRoots, state } from './state.js';
import { isHeld, ownTime, recordActivity, work } from './work.js';

/** Callback that is due at a time of the page's clock. @typedef {{ due: number, pause: number, repetition: Repetition, isRepeated: boolean, isInTime: boolean }} Step */

const LEAST_MS = 4; // minimum between timers, as in browsers
const READ_MS = 100; // between measurements, each of which is a pass over the page

const largest = { text: 0, elements: 0 };
const last = { progress: 0, at: 0, loadedAt: 0, readAt: -Infinity, changes: -1 };

/** Measures the page. Progress is more text or more elements than ever before. */
function readProgress() {
  if (readyState(document) !== 'complete' && !state.contentLoaded) renewBudget();
  work.readChanges();
  if (last.changes === work.changes || now() - last.readAt < READ_MS) return;
  last.changes = work.changes;
  last.readAt = now();
  const present = { text: 0, elements: 0 };
  const measure = (tree) => (present.elements += queryAll(tree, '*').length);
  const read = (tree) => (present.text += textContent(tree).length);
  const page = body(document);
  if (page) measure(page);
  if (page) read(page);
  shadowRoots.forEach((root) => {
    measure(root);
    each(children(root), (part) => localName(part) === 'style' || read(part));
  });
  if (present.text <= largest.text && present.elements <= largest.elements) return;
  last.progress += 1;
  last.at = max(last.at, work.lastChange);
  largest.text = max(largest.text, present.text);
  largest.elements = max(largest.elements, present.elements);
}

/** Renews the whole budget, after content that is not visible here, such as an imported module. */
export const renewBudget = () => (last.loadedAt = last.at = ownTime());

/** Renews the budget after a failed request, since apps retry with increasing pauses. */
export const renewAfterFailure = () => (last.at = ownTime());

/** Returns the number of measurements that have found progress. */
export const progress = shared?.progress ?? (() => {
  readProgress();
  return last.progress;
});

/** Returns true when a time `ms` ahead is within the budget. */
export const isWithinBudget = shared?.isWithinBudget ?? ((ms) => {
  const then = ownTime() + ms;
  if (then > last.loadedAt + RULES.endless.ms) return false;
  const spent = then - last.at;
  return spent <= RULES.budget.ms || (spent <= RULES.budget.ms * RULES.incomplete.times && budgetFactor() > 1);
});

/** Repeated steps of one kind, awaited while they have an effect. */
export class Repetition {
  spent = 0; // ms of consecutive steps without effect
  effects = 0;

  /** Counts a step. */
  count(pause) {
    this.spent = effects() > this.effects ? 0 : this.spent + max(LEAST_MS, pause);
    this.effects = effects();
  }

  /** Returns true when a step due in `remaining` ms is awaited: also once after anything else had an effect. */
  isAwaitedIn(remaining) {
    return (this.spent <= RULES.fruitless.ms || effects() > this.effects) && isWithinBudget(remaining);
  }
}

const effects = () => work.changes - work.ownChanges + work.answers;

/** Adds a step that is due in `pause` ms. The first one of a repetition counts as a single timer. */
export function addStep(pause, repetition, isRepeated) {
  if (isRepeated) repetition.count(pause);
  /** @type {Step} */
  const step = { due: now() + pause, pause, repetition, isRepeated, isInTime: isWithinBudget(0) };
  work.steps.add(step);
  if (isStepAwaited(step)) recordActivity();
  return step;
}

/** Removes a step that has run or was cancelled. */
export function endStep(step) {
  const wasAwaited = isStepAwaited(step);
  if (work.steps.delete(step) && wasAwaited) recordActivity();
}

/** Returns true when a step is awaited. A short timer set within the budget is awaited to its end, since it may complete what was begun. */
function isStepAwaited({ due, pause, repetition, isRepeated, isInTime }) {
  const remaining = max(0, due - now());
  if (isRepeated) return pause <= RULES.pause.ms && repetition.isAwaitedIn(remaining);
  return (isInTime && pause <= RULES.pause.ms) || isWithinBudget(remaining);
}

/** Returns true when a step is awaited. Removes overdue steps, whose frame has been removed. */
export const isStepPending = () => someItem(work.steps, (step) => (isOverdue(step) ? !work.steps.delete(step) : isStepAwaited(step)));

const isOverdue = ({ due }) => due + RULES.overdue.ms < now();

/** Returns true when a step is overdue, so its callback does not return. */
export const hasOverdueStep = () => someItem(work.steps, isOverdue);

/** Returns true when a source of messages is awaited: within the budget, or for a pause after a message with an effect. */
const isSourcePending = () =>
  someItem(work.sources, (source) => source.isExpected() && isWithinBudget(0) && (!source.hasEffect() || now() - source.last <= RULES.pause.ms));

const isHeldByOthers = ({ kind }) => kind === 'network' || (kind === 'answer' && isWithinBudget(0));

/** Returns true when something is pending that does not follow the page's clock: requests, connections, workers, the browser. */
export const isPendingElsewhere = () => isSourcePending() || isHeld(isHeldByOthers);

const isSomethingPending = () => isPendingElsewhere() || isHeld(({ kind }) => kind === 'frame') || isStepPending();

/** Returns true when anything is pending that may change the page. */
export function isPending() {
  const before = progress();
  if (isSomethingPending()) return true;
  last.readAt = -Infinity;
  return progress() > before && isSomethingPending();
}

/** Returns true when the page may depend on its own clock only. Frames of other sites report when they are busy. */
export function mayBeOnPageTime() {
  if (state.done || state.leaving || time.skipped > options.hardMs) return false;
  if (readyState(document) !== 'complete' || time.alarms.size > ALARMS) return false;
  return !isPendingElsewhere();
}

/** Returns true when the page depends on its own clock only, so that time can be skipped. Examines the styles of a page that animates by script. */
export const isOnPageTime = () => mayBeOnPageTime() && !time.isAnimated();
