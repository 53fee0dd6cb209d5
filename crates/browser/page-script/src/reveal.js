// What a page shows only when it is scrolled into view, by observers of its own. `ready.js` calls `reveal` once the page is quiet.
// Must never change the size or the scroll position of the window: layouts depend on both.

import { askFrame } from './frames.js';
import { attribute, isConnected, localName } from './intrinsics/dom.js';
import { KeptSet, KeptWeakSet, apply, asText, each, filter, items, method, parseFloat, slice, test, words } from './intrinsics/language.js';
import { native } from './native.js';
import { entryTarget, intersections, isIntersecting } from './observers.js';
import { hold, touch } from './work.js';

export const REVEAL_MARGIN = 20000; // px below the window that count as visible once
const REVEAL_PASSES = 3;
const NARROW = 0.65; // of the window is left out

const observe = method(IntersectionObserver.prototype, 'observe');
const unobserve = method(IntersectionObserver.prototype, 'unobserve');
const disconnect = method(IntersectionObserver.prototype, 'disconnect');

let passes = 0;
const revealedTargets = new KeptWeakSet();
const revealedKinds = new KeptSet();

/** Equal sections of one page are of one kind: later passes leave out what an earlier one has shown. */
const kindOf = (record, target) => `${localName(target)} ${attribute(target, 'class')} ${slice(asText(record.callback), 0, 500)}`;

/**
 * Lets everything below the window become visible once, as it does for a person who scrolls down.
 *
 * A second observer with a large margin reports the page's own targets to the page's own callback, so that the window
 * keeps its size (an enlarged one would change every layout that depends on its height). Later passes take only what
 * the first one brought and what is not of the same kind, so that an endless feed grows by one step.
 */
export function reveal() {
  if (passes >= REVEAL_PASSES) return false;
  let shown = 0;
  intersections.forEach((record) => {
    if (isPositionMarker(record)) return;
    const targets = filter(items(record.targets), (target) => isHidden(record, target));
    if (targets.length === 0) return;
    shown += targets.length;
    revealRecord(record, targets);
  });
  // Kinds are remembered after the pass: equal sections of one page are all revealed by the first.
  intersections.forEach((record) =>
    record.targets.forEach((target) => {
      if (revealedTargets.has(target)) revealedKinds.add(kindOf(record, target));
    }),
  );
  passes = shown > 0 ? passes + 1 : REVEAL_PASSES;
  return shown > 0;
}

function isHidden(record, target) {
  if (!isConnected(target) || record.seen.has(target) || revealedTargets.has(target)) return false;
  return passes === 0 || !revealedKinds.has(kindOf(record, target)) || test(/^(img|picture|video|iframe)$/, localName(target));
}

function revealRecord(record, targets) {
  const end = hold('frame', 500);
  const waitingFor = new KeptSet();
  const margins = words(asText(record.init.rootMargin || '0px'));
  const top = margins[0] || '0px';
  const right = margins[1] || '0px';
  const helper = new native.IntersectionObserver(
    (entries) => {
      // The first report names every target once; what it shows is all that this pass shows.
      each(entries, (entry) => {
        unobserve(helper, entryTarget(entry));
        waitingFor.delete(entryTarget(entry));
      });
      const visible = filter(entries, (entry) => isIntersecting(entry) && record.targets.has(entryTarget(entry)));
      if (visible.length > 0) tell(record, visible);
      if (waitingFor.size > 0) return;
      disconnect(helper);
      end();
    },
    {
      root: record.init.root ?? null,
      threshold: record.init.threshold ?? 0,
      rootMargin: `${top} ${right} ${REVEAL_MARGIN}px ${margins[3] || right}`,
      scrollMargin: `0px 0px ${REVEAL_MARGIN}px 0px`,
    },
  );
  each(targets, (target) => {
    waitingFor.add(target);
    revealedTargets.add(target);
    observe(helper, target);
  });
  askFrame();
}

/** Reports what has become visible to the page's own callback. */
function tell(record, visible) {
  touch();
  try {
    apply(record.callback, record.observer, [visible, record.observer]);
  } catch (error) {
    native.reportError(error);
  }
  remindOfVisible(record);
}

/** Back at the top: an observer that marks the current section must end with the one that is really visible. */
function remindOfVisible(record) {
  each(filter(items(record.targets), (target) => record.seen.has(target)), (target) => {
    unobserve(record.observer, target);
    observe(record.observer, target);
  });
}

/** Whether an observer looks at a narrow band of the window: it follows the reading position, it does not load anything. */
function isPositionMarker({ init, callback }) {
  const margins = words(asText(init.rootMargin || '0px'));
  const share = (text) => (test(/%$/, text) ? -parseFloat(text) / 100 : -parseFloat(text) / window.innerHeight) || 0;
  const narrow = share(margins[0] || '0') + share(margins[2] || margins[0] || '0') > NARROW;
  return narrow && !test(/unobserve|disconnect/, asText(callback)); // who looks once shows something
}
