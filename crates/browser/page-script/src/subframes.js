// Frames of other sites, whose script reports pending work to the top document by messages, and lazy frames (`loading=lazy`).
// See docs/decisions/0006. Must never report more than that something is pending, nor load a lazy frame without need: players and maps are the most
// expensive content.

import { attribute, baseURI, hasAttribute, onload, queryAll, setAttribute } from './intrinsics/dom.js';
import { SafeMap, SafeWeakSet, each } from './intrinsics/language.js';
import { listen } from './hooks.js';
import { listened } from './listeners.js';
import { eventOf, native, parseUrl } from './native.js';
import { options } from './options.js';
import { isPending } from './repetition.js';
import { watchTimers } from './timers.js';
import { hold, holdNetwork, work } from './work.js';

const MAX_FRAMES = 5;

/** @type {WeakSet<Element>} */
const loaded = new SafeWeakSet();
let count = 0;

/** Loads lazy frames with a load listener and those of the page's own origin. Returns true when there was one. */
export function loadLazyFrames() {
  const before = count;
  each(queryAll(document, 'iframe[loading="lazy" i]'), (frame) => {
    if (loaded.has(frame) || count >= MAX_FRAMES || !isAwaited(frame)) return;
    loaded.add(frame);
    count += 1;
    const end = holdNetwork(true);
    listen(frame, 'load', end, { once: true });
    const written = attribute(frame, 'loading') || '';
    setAttribute(frame, 'loading', 'eager');
    setAttribute(frame, 'loading', written);
  });
  return count > before;
}

function isAwaited(frame) {
  const address = parseUrl(attribute(frame, 'src') || '', baseURI(document));
  if (hasAttribute(frame, 'srcdoc')) return true;
  return address !== undefined && (address.origin === location.origin || listened.loads.has(frame) || !!onload(frame));
}

// Not the nonce: a page that reopens its document through a frame receives these messages.
const BUSY = `${options.mark}+`;
const IDLE = `${options.mark}-`;

/** Reports from a frame to the top document when work is pending, and when it ends. */
export function reportWork() {
  watchTimers();
  const post = native.messageTop;
  let isBusy = false;
  let postedActivity = -1; // activity at the last message
  const report = () => {
    isBusy = isPending();
    if (!isBusy) return post(IDLE);
    if (postedActivity !== work.activity) post(BUSY);
    postedActivity = work.activity;
    return native.setTimeout(report, options.quietMs);
  };
  work.onActivity = () => isBusy || (isPending() && report());
}

/** Awaits frames in the top document while it listens to messages. Must be called before page code adds listeners. */
export function watchForeignFrames() {
  /** @type {Map<any, () => void>} */
  const busy = new SafeMap();
  listen(window, 'message', (event) => {
    const data = eventOf.data(event);
    if (data !== BUSY && data !== IDLE) return;
    eventOf.stop(event);
    const source = eventOf.source(event);
    const end = busy.get(source);
    busy.delete(source);
    if (data === BUSY && listened.messages) {
      busy.set(source, holdNetwork(true));
    } else if (end) {
      hold('answer', 2 * options.quietMs);
    }
    end?.();
  }, { capture: true });
}
