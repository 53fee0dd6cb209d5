// What the script of the top document shares with those of its frames: their requests and timers are work of the page, too.
// Micro-frontends run their code in frames, and take `fetch` and `setTimeout` from fresh ones.
// Must never be reachable by name: a frame asks by an event that only this render knows the name of.

import { KeptSet } from './intrinsics/language.js';
import { native } from './native.js';
import { isTop, options } from './options.js';

/**
 * Time as the page has it. See docs/decisions/0224.
 * @typedef {object} Time
 * @property {number} skipped ms, whole ones
 * @property {Set<import('./alarms.js').Alarm>} alarms
 * @property {number} rings counts the alarms that have rung
 * @property {() => void} onRing
 * @property {number} drawing until when a frame is on its way
 * @property {boolean} isElsewhere other threads and connections have a part in the page, which go by the browser's clock
 * @property {number} asked counts what is on its way and not waited for: polls, beacons
 * @property {number} frames counts the frames that share
 */

/**
 * @typedef {object} Shared
 * @property {import('./work.js').Work} work
 * @property {import('./polls.js').Polling} polling
 * @property {Time} time
 * @property {() => boolean} isUnfinished
 * @property {() => number} growth
 * @property {() => number} now
 * @property {() => void} listenAgain
 */

/** Whether the top document is one of another origin: it does not answer. */
export let isForeign = false;

/** @type {Shared | undefined} */
export const shared = isTop ? undefined : askTop();

/** @type {Time} */
export const time = shared?.time ?? { skipped: 0, alarms: new KeptSet(), rings: 0, onRing: () => {}, drawing: 0, isElsewhere: false, asked: 0, frames: 0 };
if (shared) time.frames += 1;

/** The clock of the page: that of the top document. */
export const now = shared?.now ?? (() => native.now() + time.skipped);

function askTop() {
  /** @type {{ wantsShare: true, share?: Shared }} */
  const order = { wantsShare: true };
  try {
    native.dispatchEvent(window.top, native.createOrder(options.nonce, order));
  } catch {
    isForeign = true;
  }
  return order.share;
}
