// Clocks of the page: the browser's time plus the skipped time, in the document and in the frames that share its time. Installed before page code,
// since libraries keep `Date.now` and `performance.now`. See docs/decisions/0224.
// Must never run backwards, nor show different times on two clocks.

import { apply, construct, defineProperty, getOwnPropertyDescriptor, methods, proxied, setters } from './intrinsics/language.js';
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
  watchStamps();
}

function watchDate() {
  const original = window.Date;
  const dateNow = original.now;
  const present = () => dateNow() + time.skipped;
  const { toString: asText } = methods(original.prototype);
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

/** Shifts the times of events and animation timelines. The animations themselves are advanced at each skip. */
function watchStamps() {
  const shifted = (read) => {
    const value = read();
    return typeof value === 'number' ? value + time.skipped : value;
  };
  replaceGetter(window.Event.prototype, 'timeStamp', shifted);
  replaceGetter(AnimationTimeline.prototype, 'currentTime', shifted);
  replaceGetter(window.AnimationPlaybackEvent?.prototype, 'timelineTime', shifted);
  replaceGetter(Animation.prototype, 'startTime', shifted);
  const { startTime: write } = setters(Animation.prototype);
  replaceSetter(Animation.prototype, 'startTime', (call, self, args) => (typeof args[0] === 'number' ? write(self, args[0] - time.skipped) : call()));
}
