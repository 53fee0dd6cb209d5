// Pending work: whatever may still change the page. Hooks call through to the browser and only record that something has begun (a hold) or is due
// (a step, see repetition.js). `ready.js` decides; `../rules.json` has the limits.
// Must never keep a hold forever.

import { budgetFactor } from './completeness.js';
import { SafeSet, someItem, then } from './intrinsics/language.js';
import { now, shared } from './shared.js';

/**
 * Pending operation. Kinds: `network` (a request, during which the page's own time stands still), `answer` (of the browser itself, to a repeated
 * request, or a piece of a stream; in the page's own time), `frame` (a frame that this script waits for).
 * @typedef {{ kind: 'network' | 'answer' | 'frame', began: number, limit: number, isForeign: boolean }} Hold
 */

/** Pending work and counters of a page. */
const created = {
  /** @type {Set<Hold>} */
  holds: new SafeSet(),
  /** @type {Set<import('./repetition.js').Step>} */
  steps: new SafeSet(),
  /** @type {Set<import('./messages.js').Source>} */
  sources: new SafeSet(),
  network: { count: 0, since: 0, total: 0 }, // number of network holds, start of the first, and total ms before
  hasGivenUp: false, // a request exceeded its limit
  last: 0, // time of the last activity of any kind
  lastLoad: 0, // time when the last request, script or style sheet began or ended
  activity: 0, // number of activities
  answers: 0, // number of ended holds of requests and of the browser
  changes: 0, // number of changes of the DOM, including attributes and text
  ownChanges: 0, // number of changes made by this script
  lastChange: 0, // own time of the last change
  onActivity: () => {},
  readChanges: () => {}, // counts changes that the observer has not reported yet
};

/** @typedef {typeof created} Work */
/** @type {Work} */
export const work = shared?.work ?? created;

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
    work.lastLoad = now();
  }
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
  return someItem(work.holds, (entry) => {
    if (!isExpired(entry)) return counts(entry);
    if (entry.kind === 'network') work.hasGivenUp = true;
    release(entry);
    return false;
  });
}
