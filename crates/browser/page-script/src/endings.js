// What listeners of a sealed document are told about its end: nothing. Used when it is sealed and when one is added.

import { listen } from './hooks.js';
import { each } from './intrinsics/language.js';
import { eventOf } from './native.js';
import { seal } from './sealing.js';

export const ENDINGS = ['beforeunload', 'pagehide', 'unload', 'visibilitychange', 'freeze'];
let silencing = false;

/**
 * Listeners of the page are told nothing when a sealed document is left: ours is before them, a capturing one at the
 * window. Not there from the start, because the browser keeps a record of every use of `unload`: milliseconds a page.
 */
export function silenceEndings() {
  if (silencing) return;
  silencing = true;
  each(ENDINGS, (type) => listen(window, type, (event) => seal.done && eventOf.stop(event), { capture: true }));
}
