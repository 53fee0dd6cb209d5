// Pending work: what may still change the page. Every hook calls through to the browser and only remembers that something has begun
// (a hold) or is due (a step, see repetition.js). `ready.js` decides on it; `../rules.json` has the limits.
// Must never keep a hold for ever.

import { patience } from './completeness.js';
import { KeptSet, then } from './intrinsics/language.js';
import { now, shared } from './shared.js';

/**
 * Something that has begun and not ended. Kinds: `network` (a request; the page's own time stands still), `answer` (of the browser itself,
 * to a request that was made before, or a piece of a stream; in the page's own time), `frame` (a frame that this script waits for).
 * @typedef {{ kind: 'network' | 'answer' | 'frame', began: number, limit: number, isForeign: boolean }} Hold
 */

/**
 * @typedef {object} Work
 * @property {Set<Hold>} holds
 * @property {Set<import('./repetition.js').Step>} steps
 * @property {Set<import('./messages.js').Source>} sources
 * @property {{ count: number, since: number, total: number }} network holds of the network, since when there is one, ms in all before
 * @property {boolean} hasGivenUp whether a request was not waited for to its end
 * @property {number} last time of the last activity of any kind
 * @property {number} lastLoad time when the last request, script or style sheet began or ended
 * @property {number} activity number of activities
 * @property {number} answers number of holds of requests and of the browser that have ended
 * @property {number} changes number of changes of the DOM, attributes and text included
 * @property {number} ownChanges number of changes that this script has made
 * @property {number} lastChange own time of the last change
 * @property {() => void} onActivity
 * @property {() => void} readChanges counts changes of which the observer has not heard yet
 */

/** @type {Work} */
export const work = shared?.work ?? {
  holds: new KeptSet(),
  steps: new KeptSet(),
  sources: new KeptSet(),
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

/** Returns the page's own time in ms: what has passed while no request was waited for. */
export const ownTime = () => (work.network.count > 0 ? work.network.since : now()) - work.network.total;

/** Notes that something has happened that may lead to more. */
export function touch() {
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
  touch();
  return () => {
    if (!release(entry)) return;
    if (kind !== 'frame') work.answers += 1;
    if (kind === 'network') work.lastLoad = now();
    touch();
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

/** Calls `end` once the promise has settled. The promise itself is left alone; one that is not the browser's own is not waited for. */
export function endWith(promise, end) {
  try {
    then(promise, end, end);
  } catch {
    end();
  }
}

/** Returns whether the limit of a hold has passed. A page that cannot be all waits longer for other sites. */
function isOver({ began, limit, isForeign }) {
  const passed = now() - began;
  return passed > limit && !(isForeign && passed <= limit * RULES.patience.times && patience() > 1);
}

/** Returns whether something is held that is as wanted. Forgets what is over its limit. */
export function isHeld(/** @type {(entry: Hold) => boolean} */ counts) {
  let found = false;
  work.holds.forEach((entry) => {
    if (isOver(entry)) {
      if (entry.kind === 'network') work.hasGivenUp = true;
      release(entry);
    } else if (counts(entry)) found = true;
  });
  return found;
}
