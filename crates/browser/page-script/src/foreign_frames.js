// What frames of other sites are asking for: the page may wait for what they will say. Such a frame shares nothing with the page;
// its script tells that of the top document by messages, which the page does not get to hear. See docs/decisions/0265 and docs/decisions/0295.
// Must never pass on more than that something is pending.

import { listen, watchMethod } from './hooks.js';
import { KeptMap, getter, max } from './intrinsics/language.js';
import { listened } from './listeners.js';
import { eventOf, native } from './native.js';
import { options } from './options.js';
import { now } from './shared.js';
import { hold, isLikelyPending, work } from './work.js';

// Not by the nonce: a page that opens its document anew by way of a frame hears them.
const BUSY = `${options.mark}+`;
const IDLE = `${options.mark}-`;

const dataOf = getter(MessageEvent.prototype, 'data');
const sourceOf = getter(MessageEvent.prototype, 'source');

/** Waits for the first short timers of a frame. */
function watchPauses() {
  let pauses = 0;
  watchMethod(window, 'setTimeout', (_, self, args) => {
    const ms = max(0, args[1] | 0);
    if (ms === 0 || ms > RULES.framePause.ms || pauses >= RULES.framePauses.times) return;
    pauses += 1;
    native.setTimeout(hold('timer', 2 * RULES.framePause.ms), ms);
  });
}

/** In a frame: tells the top document when its own requests and first pauses begin and when all have ended. */
export function tellOfWork() {
  watchPauses();
  const tell = native.messageTop;
  let isBusy = false;
  work.onActivity = () => {
    if (isLikelyPending()) {
      isBusy = true;
      tell(BUSY);
    } else if (isBusy) {
      native.setTimeout(() => {
        if (!isBusy || isLikelyPending()) return;
        isBusy = false;
        tell(IDLE);
      }, RULES.frameAnswer.ms);
    }
  };
}

/** In the top document: waits for frames while it listens to what frames say. Before any listener of the page. */
export function watchForeignFrames() {
  /** @type {Map<any, () => void>} */
  const busy = new KeptMap();
  listen(window, 'message', (event) => {
    const data = dataOf(event);
    if (data !== BUSY && data !== IDLE) return;
    eventOf.stop(event);
    const source = sourceOf(event);
    const end = busy.get(source);
    busy.delete(source);
    if (data === BUSY && listened.messages) {
      work.lastRequest = now();
      busy.set(source, hold('request', RULES.request.ms, true));
    } else if (end) {
      hold('message', 2 * RULES.frameAnswer.ms);
    }
    end?.();
  }, { capture: true });
}
