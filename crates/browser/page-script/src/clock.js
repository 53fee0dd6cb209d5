// Clocks of the page: the browser's time plus the skipped time, in the document and in the frames that share its time. Installed before page code,
// since libraries keep `Date.now` and `performance.now`. See docs/decisions/0224.
// Must never run backwards, nor show different times on two clocks.

import { SafeWeakMap, apply, construct, defineProperty, getOwnPropertyDescriptor, method, proxied } from './intrinsics/language.js';
import { attempt, replaceGetter, replaceSetter } from './hooks.js';
import { time } from './shared.js';

export function watchClocks() {
  watchDate();
  // The most frequently called function: no closure per call.
  const found = getOwnPropertyDescriptor(Performance.prototype, 'now');
  if (found) {
    const handler = { apply: (original, self) => apply(original, self, []) + time.skipped };
    attempt(() => defineProperty(Performance.prototype, 'now', { ...found, value: proxied(found.value, handler) }));
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
  attempt(() => {
    defineProperty(original, 'now', { value: proxied(dateNow, { apply: present }), configurable: true, writable: true });
    defineProperty(original.prototype, 'constructor', { value: replaced, configurable: true, writable: true });
    defineProperty(window, 'Date', { value: replaced, configurable: true, writable: true });
  });
}

/** Makes an event keep the time stamp that it had when it was first read. */
function watchEvents() {
  const offsets = new SafeWeakMap();
  replaceGetter(window.Event.prototype, 'timeStamp', (read, event) => {
    const stamp = read();
    if (time.skipped === 0) return stamp;
    if (!offsets.has(event)) offsets.set(event, time.skipped);
    return stamp + offsets.get(event);
  });
}

/** Shifts the times of animation timelines. The animations themselves are advanced at each skip. */
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
