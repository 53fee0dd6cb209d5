// Frames that load when they are scrolled to (`loading=lazy`): a person who scrolls has them loaded, and what waits for that goes on.
// `ready.js` calls `loadLazyFrames` once the page is quiet. See docs/decisions/0295.
// Must never load a frame that nobody waits for and that cannot reach the page: players and maps cost more than all else.

import { listen } from './hooks.js';
import { attribute, baseURI, hasAttribute, queryAll, setAttribute } from './intrinsics/dom.js';
import { KeptWeakSet, each, getter } from './intrinsics/language.js';
import { listened } from './listeners.js';
import { parseUrl } from './native.js';
import { hold } from './work.js';

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
    const end = hold('script', RULES.script.ms, true);
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
