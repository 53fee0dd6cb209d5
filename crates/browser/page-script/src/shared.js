// What the script of the top document shares with those of its frames: their requests and timers are work of the page, too.
// Micro-frontends run their code in frames, and take `fetch` and `setTimeout` from fresh ones.
// Must never be reachable by name: a frame asks by an event that only this render knows the name of.

import { native } from './native.js';
import { isTop, options } from './options.js';

/**
 * @typedef {object} Shared
 * @property {import('./work.js').Work} work
 * @property {import('./polls.js').Polling} polling
 * @property {() => boolean} isUnfinished
 * @property {() => number} now
 */

/** @type {Shared | undefined} */
export const shared = isTop ? undefined : askTop();

/** The clock of the page: that of the top document. */
export const now = shared?.now ?? native.now;

/** Another origin's document does not answer. */
function askTop() {
  /** @type {{ wantsShare: true, share?: Shared }} */
  const order = { wantsShare: true };
  try {
    native.dispatchEvent(window.top, native.createOrder(options.nonce, order));
  } catch {
    return undefined;
  }
  return order.share;
}
