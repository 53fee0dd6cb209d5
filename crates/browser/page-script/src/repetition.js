// The page's own time: how long timers, intervals, frames, idle callbacks, polls and messages are waited for. The page has a budget of own
// time after its last progress, which is text or elements that were not there before. See docs/decisions/0006.
// Must never wait for ever: all of it together has a limit.

import { ALARMS } from './alarms.js';
import { patience } from './completeness.js';
import { body, children, localName, queryAll, readyState, textContent } from './intrinsics/dom.js';
import { each, max } from './intrinsics/language.js';
import { options } from './options.js';
import { now, shared, time } from './shared.js';
import { shadowRoots, state } from './state.js';
import { isHeld, ownTime, touch, work } from './work.js';

/**
 * Something that is due at a time of the page's clock.
 * @typedef {{ due: number, pause: number, repetition: Repetition, isRepeated: boolean, isInTime: boolean }} Step
 */

const LEAST_MS = 4; // between timers, as browsers have it
const READ_MS = 100; // between measurements, each of which is a pass over the page

const most = { text: 0, elements: 0 };
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
  if (present.text <= most.text && present.elements <= most.elements) return;
  last.progress += 1;
  last.at = max(last.at, work.lastChange);
  most.text = max(most.text, present.text);
  most.elements = max(most.elements, present.elements);
}

/** Gives the page its whole budget again: something has come of which nothing here tells, such as an imported module. */
export const renewBudget = () => (last.loadedAt = last.at = ownTime());

/** Gives the page its time again after a request that has failed: apps try again, each time after a longer pause. */
export const expectRetry = () => (last.at = ownTime());

/** Returns the number of measurements that have found progress. */
export const progress = shared?.progress ?? (() => {
  readProgress();
  return last.progress;
});

/** Returns whether a time that is `ms` ahead is within the budget of the page. */
export const isWithinBudget = shared?.isWithinBudget ?? ((ms) => {
  const then = ownTime() + ms;
  if (then > last.loadedAt + RULES.endless.ms) return false;
  const spent = then - last.at;
  return spent <= RULES.budget.ms || (spent <= RULES.budget.ms * RULES.patience.times && patience() > 1);
});

/** Something that the page may do again and again: it is waited for while it leads to something. */
export class Repetition {
  spent = 0; // ms of steps in a row that have changed nothing
  fruit = 0;

  /** Counts a further step. */
  count(pause) {
    this.spent = fruit() > this.fruit ? 0 : this.spent + max(LEAST_MS, pause);
    this.fruit = fruit();
  }

  /** Returns whether a further step, which is due in `rest` ms, is waited for: once more after whatever has happened meanwhile. */
  goesOn(rest) {
    return (this.spent <= RULES.fruitless.ms || fruit() > this.fruit) && isWithinBudget(rest);
  }
}

const fruit = () => work.changes - work.ownChanges + work.answers;

/** Adds a step that is due in `pause` ms. The first one of a repetition is waited for like a single timer. */
export function addStep(pause, repetition, isRepeated) {
  if (isRepeated) repetition.count(pause);
  /** @type {Step} */
  const step = { due: now() + pause, pause, repetition, isRepeated, isInTime: isWithinBudget(0) };
  work.steps.add(step);
  if (isStepAwaited(step)) touch();
  return step;
}

/** Removes a step that has been taken or will not be. */
export function endStep(step) {
  const wasAwaited = isStepAwaited(step);
  if (work.steps.delete(step) && wasAwaited) touch();
}

/** A short timer that was set in time is waited for to its end: it may be the other half of what has been begun. */
function isStepAwaited({ due, pause, repetition, isRepeated, isInTime }) {
  const rest = max(0, due - now());
  if (isRepeated) return pause <= RULES.pause.ms && repetition.goesOn(rest);
  return (isInTime && pause <= RULES.pause.ms) || isWithinBudget(rest);
}

/** Returns whether a step is awaited. Forgets steps that are long over their time: their frame is gone. */
export function isStepPending() {
  let found = false;
  work.steps.forEach((step) => {
    if (step.due + RULES.late.ms < now()) work.steps.delete(step);
    else found ||= isStepAwaited(step);
  });
  return found;
}

/** Returns whether a step is long over its time: its callback has not come to an end. */
export function isStuck() {
  let found = false;
  work.steps.forEach(({ due }) => (found ||= due + RULES.late.ms < now()));
  return found;
}

/** Returns whether a source of messages is awaited: within the budget, or for a pause after it has shown something. */
function isSourcePending() {
  let found = false;
  work.sources.forEach((source) => {
    found ||= source.isAsked() && isWithinBudget(0) && (!source.isFruitful() || now() - source.last <= RULES.pause.ms);
  });
  return found;
}

const isHeldElsewhere = ({ kind }) => kind === 'network' || (kind === 'answer' && isWithinBudget(0));

/** Returns whether something is pending that goes by another clock than the page's: requests, connections, workers, the browser itself. */
export const isPendingElsewhere = () => isSourcePending() || isHeld(isHeldElsewhere);

const isSomethingPending = () => isPendingElsewhere() || isHeld(({ kind }) => kind === 'frame') || isStepPending();

/** Returns whether anything is pending that may change the page. */
export function isPending() {
  const before = progress();
  if (isSomethingPending()) return true;
  last.readAt = -Infinity;
  return progress() > before && isSomethingPending();
}

/** Returns whether the page may go by its own clock alone. Frames of other sites tell when they are busy. */
export function mayGoByPage() {
  if (state.done || state.leaving || time.isFixed || time.skipped > options.hardMs) return false;
  if (readyState(document) !== 'complete' || time.alarms.size > ALARMS) return false;
  return !isPendingElsewhere();
}

/** Returns whether the page goes by its own clock alone, so that time can be skipped. Looks at the styles of a page that animates by script. */
export const goesByPage = () => mayGoByPage() && !time.isAnimated();
