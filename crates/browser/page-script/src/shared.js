// State that the top document's script shares with those of its same-origin frames. Micro-frontends run in frames, and others take `fetch` and
// `setTimeout` from new ones, so requests and timers of such frames are work of the page.
// Must never be reachable by name: a frame requests it by an event whose name is the nonce of the render.

import { SafeSet } from './intrinsics/language.js';
import { native } from './native.js';
import { isTop, options } from './options.js';

/** Clock of a page. See docs/decisions/0224. */
const clock = {
  skipped: 0, // whole ms
  /** @type {Set<import('./alarms.js').Alarm>} */
  alarms: new SafeSet(),
  firedAlarms: 0, // number of alarms that have fired
  onAlarm: () => {},
  drawing: 0, // time until which a frame is expected to be drawn
  isAnimated: () => false, // returns true while an animation of a script is running
};

/**
 * @typedef {object} Shared
 * @property {import('./work.js').Work} work
 * @property {typeof clock} time
 * @property {() => number} budgetFactor
 * @property {(ms: number) => boolean} isWithinBudget
 * @property {() => number} progress
 * @property {() => number} now
 * @property {() => void} reattachListeners
 */

/** True when the top document is of another origin, which does not answer. */
export let isForeign = false;

/** @type {Shared | undefined} */
export const shared = isTop ? undefined : askTop();

export const time = shared?.time ?? clock;

/** Returns the time by the clock of the top document, in ms. */
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
