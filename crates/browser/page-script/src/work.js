// Pending work: whatever may still change the page. Hooks call through to the browser and only record that something has begun (a hold) or is due
// (a step, see repetition.js). `ready.js` decides; `../rules.json` has the limits.
// Must never keep a hold forever.

import { budgetFactor } from './completeness.js';
import { SafeSet, then } from './intrinsics/language.js';
import { now, shared } from './shared.js';

/**
 * Pending operation. Kinds: `network` (a request, during which the page's own time stands still), `answer` (of the browser itself, to a repeated
 * request, or a piece of a stream; in the page's own time), `frame` (a frame that this script waits for).
 * @typedef {{ kind: 'network' | 'answer' | 'frame', began: number, limit: number, isForeign: boolean }} Hold
 */

/**
 * Pending work and counters of the page.
 * @typedef {object} Work
 * @property {Set<Hold>} holds
 * @property {Set<import('./repetition.js').Step>} steps
 * @property {Set<import('./messages.js').Source>} sources
 * @property {{ count: number, since: number, total: number }} network number of network holds, start of the first, and total ms before
 * @property {boolean} hasGivenUp whether a request exceeded its limit
 * @property {number} last time of the last activity of any kind
 * @property {number} lastLoad time when the last request, script or style sheet began or ended
 * @property {number} activity number of activities
 * @property {number} answers number of ended holds of requests and of the browser
 * @property {number} changes number of changes of the DOM, including attributes and text
 * @property {number} ownChanges number of changes made by this script
 * @property {number} lastChange own time of the last change
 * @property {() => void} onActivity
 * @property {() => void} readChanges counts changes that the observer has not reported yet
 */

/** @type {Work} */
export const work = shared?.work ?? {
  holds: new SafeSet(),
  steps: new SafeSet(),
  sources: new SafeSet(),
  network: { count: 0, since: 0, total: 0 },
  hasGivenUp: false,
  last: 0,
  lastLoad: 0,
  activity: 0,
  answers: 0,
  changes: 0,
  ownChanges: 0,
  lastChange: 0,
  onActivity: () => {},
  readChanges: () => {},
};

/** Returns the page's own time in ms: the time without pending requests. */
export const ownTime = () => (work.network.count > 0 ? work.network.since : now()) - work.network.total;

/** Records an activity, which may lead to more. */
export function recordActivity() {
  work.last = now();
  work.activity += 1;
  work.onActivity();
}

/** Begins a hold of at most `limit` ms. Returns the function that ends the hold. */
export function hold(/** @type {Hold['kind']} */ kind, limit, isForeign = false) {
  const entry = { kind, began: now(), limit, isForeign };
  work.holds.add(entry);
  if (kind === 'network') {
    if (work.network.count === 0) work.network.since = entry.began;
    work.network.count += 1;
  }
  if (kind === 'network') work.lastLoad = now();
  recordActivity();
  return () => {
    if (!release(entry)) return;
    if (kind !== 'frame') work.answers += 1;
    if (kind === 'network') work.lastLoad = now();
    recordActivity();
  };
}

function release(entry) {
  if (!work.holds.delete(entry)) return false;
  if (entry.kind !== 'network') return true;
  work.network.count -= 1;
  if (work.network.count === 0) work.network.total += now() - work.network.since;
  return true;
}

/** Holds the network until the returned function is called: 8 s for the page's own site, 2.5 s for another one. */
export const holdNetwork = (isForeign, /** @type {'network' | 'answer'} */ kind = 'network') =>
  hold(kind, isForeign ? RULES.otherSite.ms : RULES.ownSite.ms, isForeign);

/** Calls `end` once the promise is settled, without changing the promise. A promise that is not the browser's is not awaited. */
export function endWith(promise, end) {
  try {
    then(promise, end, end);
  } catch {
    end();
  }
}

/** Returns true when the limit of a hold has passed. An incomplete page waits longer for other sites. */
function isExpired({ began, limit, isForeign }) {
  const passed = now() - began;
  return passed > limit && !(isForeign && passed <= limit * RULES.incomplete.times && budgetFactor() > 1);
}

/** Returns true when a hold satisfies a condition. Removes holds over their limit. */
export function isHeld(/** @type {(entry: Hold) => boolean} */ counts) {
  let found = false;
  work.holds.forEach((entry) => {
    if (isExpired(entry)) {
      if (entry.kind === 'network') work.hasGivenUp = true;
      release(entry);
    } else if (counts(entry)) found = true;
  });
  return found;
}
