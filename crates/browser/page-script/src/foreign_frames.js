// What frames of other sites are asking for: the page may wait for what they will say. Such a frame shares nothing with the page;
// its script tells that of the top document by messages, which the page does not get to hear. See docs/decisions/0265.
// Must never pass on more than that something is pending.

import RULES from '../rules.json';
import { listen } from './hooks.js';
import { KeptMap, getter } from './intrinsics/language.js';
import { listened } from './listeners.js';
import { eventOf, native } from './native.js';
import { options } from './options.js';
import { now } from './shared.js';
import { hold, isLikelyPending, work } from './work.js';

const BETWEEN_MS = 30; // an answer leads to the next question, or to a message to the page
const BUSY = `${options.nonce}+`;
const IDLE = `${options.nonce}-`;

const dataOf = getter(MessageEvent.prototype, 'data');
const sourceOf = getter(MessageEvent.prototype, 'source');

/** In a frame: tells the top document when its own requests begin and when all have ended. */
export function tellOfWork() {
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
      }, BETWEEN_MS);
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
      hold('message', 2 * BETWEEN_MS);
    }
    end?.();
  }, { capture: true });
}
