// Pending work: what may still change the page. Every hook calls through to the browser and only remembers that
// something has begun ("a hold") and ended. `ready.js` decides what a hold means; `../rules.json` says how long each counts.
// Must never keep a hold for ever: each has its own limit, and what repeats itself (polls, tickers) stops counting.

import { isUnfinished } from './appearance.js';
import { KeptSet, then } from './intrinsics/language.js';
import { now, shared } from './shared.js';

/**
 * Something pending. `isForeign`: the page's own content does not come by it.
 * @typedef {{ kind: string, until: number, isForeign: boolean }} Hold
 */

/**
 * @typedef {object} Work
 * @property {Set<Hold>} holds
 * @property {number} last time of the last activity of any kind
 * @property {number} lastDom time of the last added or removed element
 * @property {number} lastRequest time when the last request, script or style sheet began or ended
 * @property {number} lastFailure time of the last request that failed
 * @property {number} activity counts activity
 * @property {number} structures counts the times when elements came or went
 * @property {number} answers counts what has come: requests, scripts, messages, databases
 * @property {number} changes counts changes of the DOM of any kind, attributes and text included
 * @property {() => void} onActivity
 * @property {() => void} readChanges counts changes of which the observer has not heard yet
 */

/** @type {Work} */
export const work = shared?.work ?? {
  holds: new KeptSet(),
  last: 0,
  lastDom: 0,
  lastRequest: 0,
  lastFailure: -Infinity,
  activity: 0,
  structures: 0,
  answers: 0,
  changes: 0,
  onActivity: () => {},
  readChanges: () => {},
};

/** Counts what a step has brought: something to see, or an answer that the next one goes on from. */
export const progress = () => work.changes + work.answers;

/** Notes that something has happened that may lead to more. */
export function touch() {
  work.last = now();
  work.activity += 1;
  work.onActivity();
}

/** Begins a hold that ends when the returned function is called, at the latest after `limit` ms. */
export function hold(kind, limit, isForeign = false) {
  const entry = { kind, until: now() + limit, isForeign };
  work.holds.add(entry);
  touch();
  return () => {
    if (!work.holds.delete(entry)) return;
    if (kind === 'request' || kind === 'script') work.lastRequest = now();
    if (kind !== 'timer' && kind !== 'frame' && kind !== 'idle') work.answers += 1;
    touch();
  };
}

/** Holds until the promise has settled. The promise itself is left alone; what is none of the browser's own is not waited for. */
export function holdPromise(kind, limit, promise, isForeign = false) {
  const end = hold(kind, limit, isForeign);
  try {
    then(promise, end, end);
  } catch {
    end();
  }
}

/** Whether anything is pending that is likely to change the page. Forgets what is over its limit. */
export function isLikelyPending() {
  const time = now();
  let likely = false;
  work.holds.forEach((entry) => {
    if (entry.until < time) work.holds.delete(entry);
    else if (entry.kind !== 'unlikely') likely = true;
  });
  return likely;
}

/** Whether anything is pending. What is `unlikely` counts only while there is little to see. */
export function isPending() {
  return isLikelyPending() || (work.holds.size > 0 && isUnfinished());
}

/** Whether a hold counts that is as wanted. */
export function isHeld(/** @type {(kind: string, entry: Hold) => boolean} */ counts) {
  let found = false;
  work.holds.forEach((entry) => {
    if (counts(entry.kind, entry)) found = true;
  });
  return found;
}
