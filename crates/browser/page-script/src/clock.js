// The clocks that a page reads: the browser's, and what has been skipped of its time. In the document and in the frames that share
// its time, from the start: libraries keep `Date.now` and `performance.now` for themselves. See docs/decisions/0224.
// Must never show a clock that goes back, or two that disagree.

import { KeptWeakMap, apply, construct, defineProperty, getOwnPropertyDescriptor, method, proxied } from './intrinsics/language.js';
import { quietly, replaceGetter, replaceSetter } from './hooks.js';
import { time } from './shared.js';

export function watchClocks() {
  watchDate();
  // The most called of all: nothing is made for a call.
  const found = getOwnPropertyDescriptor(Performance.prototype, 'now');
  if (found) {
    const handler = { apply: (original, self) => apply(original, self, []) + time.skipped };
    quietly(() => defineProperty(Performance.prototype, 'now', { ...found, value: proxied(found.value, handler) }));
  }
  watchEvents();
  watchTimelines();
}

function watchDate() {
  const original = window.Date;
  const dateNow = original.now;
  const present = () => dateNow() + time.skipped;
  const asText = method(original.prototype, 'toString');
  const replaced = proxied(original, {
    apply: () => asText(new original(present())),
    construct: (target, args, newTarget) => construct(target, args.length === 0 ? [present()] : args, newTarget === replaced ? target : newTarget),
  });
  quietly(() => {
    defineProperty(original, 'now', { value: proxied(dateNow, { apply: present }), configurable: true, writable: true });
    defineProperty(original.prototype, 'constructor', { value: replaced, configurable: true, writable: true });
    defineProperty(window, 'Date', { value: replaced, configurable: true, writable: true });
  });
}

/** An event keeps the time that it had when it was first asked for it. */
function watchEvents() {
  const known = new KeptWeakMap();
  replaceGetter(window.Event.prototype, 'timeStamp', (read, event) => {
    const stamp = read();
    if (time.skipped === 0) return stamp;
    if (!known.has(event)) known.set(event, time.skipped);
    return stamp + known.get(event);
  });
}

/** Timelines go with the clock; the animations on them are moved when time is skipped, so only what is told of it differs. */
function watchTimelines() {
  const shifted = (read) => {
    const value = read();
    return typeof value === 'number' ? value + time.skipped : value;
  };
  replaceGetter(AnimationTimeline.prototype, 'currentTime', shifted);
  replaceGetter(window.AnimationPlaybackEvent?.prototype, 'timelineTime', shifted);
  replaceGetter(Animation.prototype, 'startTime', shifted);
  const write = getOwnPropertyDescriptor(Animation.prototype, 'startTime')?.set;
  replaceSetter(Animation.prototype, 'startTime', (call, self, value) => {
    return write && typeof value === 'number' ? apply(write, self, [value - time.skipped]) : call();
  });
}
