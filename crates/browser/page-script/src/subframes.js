// Frames of the page that share nothing with it: those of other sites, whose script tells the top document by messages that something is pending,
// and those that load when they are scrolled to (`loading=lazy`). See docs/decisions/0105.
// Must never pass on more than that something is pending, nor load a frame that nobody waits for: players and maps cost more than all else.

import { attribute, baseURI, hasAttribute, queryAll, setAttribute } from './intrinsics/dom.js';
import { KeptMap, KeptWeakSet, each, getter } from './intrinsics/language.js';
import { listen } from './hooks.js';
import { listened } from './listeners.js';
import { eventOf, native, parseUrl } from './native.js';
import { options } from './options.js';
import { isPending } from './repetition.js';
import { watchTimers } from './timers.js';
import { hold, holdNetwork, work } from './work.js';

const MAX_FRAMES = 5;

const onload = getter(HTMLElement.prototype, 'onload');
/** @type {WeakSet<Element>} */
const known = new KeptWeakSet();
let count = 0;

/** Has them loaded that somebody waits for, and those of the page's own origin. True when there was one. */
export function loadLazyFrames() {
  const before = count;
  each(queryAll(document, 'iframe[loading="lazy" i]'), (frame) => {
    if (known.has(frame) || count >= MAX_FRAMES || !isWanted(frame)) return;
    known.add(frame);
    count += 1;
    const end = holdNetwork(true);
    listen(frame, 'load', end, { once: true });
    const written = attribute(frame, 'loading') || '';
    setAttribute(frame, 'loading', 'eager');
    setAttribute(frame, 'loading', written);
  });
  return count > before;
}

function isWanted(frame) {
  const address = parseUrl(attribute(frame, 'src') || '', baseURI(document));
  if (hasAttribute(frame, 'srcdoc')) return true;
  return address !== undefined && (address.origin === location.origin || listened.loads.has(frame) || !!onload(frame));
}

// Not by the nonce: a page that opens its document anew by way of a frame hears them.
const BUSY = `${options.mark}+`;
const IDLE = `${options.mark}-`;

const dataOf = getter(MessageEvent.prototype, 'data');
const sourceOf = getter(MessageEvent.prototype, 'source');

/** In a frame: tells the top document while something is pending, and when nothing is any more. */
export function tellOfWork() {
  watchTimers();
  const tell = native.messageTop;
  let isBusy = false;
  let told = -1; // activity
  const look = () => {
    isBusy = isPending();
    if (!isBusy) return tell(IDLE);
    if (told !== work.activity) tell(BUSY);
    told = work.activity;
    return native.setTimeout(look, options.quietMs);
  };
  work.onActivity = () => isBusy || (isPending() && look());
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
      busy.set(source, holdNetwork(true));
    } else if (end) {
      hold('answer', 2 * options.quietMs);
    }
    end?.();
  }, { capture: true });
}
