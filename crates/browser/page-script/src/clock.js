// The clocks that a page reads: the browser's, and what has been skipped of its time. In the document and in the frames that share
// its time, from the start: libraries keep `Date.now` and `performance.now` for themselves. See docs/decisions/0224.
// Must never show a clock that goes back, or two that disagree.

import { quietly, replaceGetter, replaceMethod, replaceSetter } from './hooks.js';
import { KeptWeakMap, apply, construct, defineProperty, getOwnPropertyDescriptor, method, plain, proxied } from './intrinsics/language.js';
import { now, time } from './shared.js';
import { watchTimeouts } from './signals.js';

export function watchClocks() {
  watchDate();
  quietly(watchTemporal);
  quietly(watchFormats);
  watchTimeouts();
  // The most called of all: nothing is made for a call.
  const found = getOwnPropertyDescriptor(Performance.prototype, 'now');
  if (found) {
    const handler = { apply: (original, self) => apply(original, self, []) + time.skipped };
    quietly(() => defineProperty(Performance.prototype, 'now', { ...found, value: proxied(found.value, handler) }));
  }
  watchMarks();
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

/** What is formatted without a date is the present. */
function watchFormats() {
  const dateNow = window.Date.now;
  const formats = window.Intl.DateTimeFormat.prototype;
  const dated = (args) => (args[0] === undefined ? [dateNow()] : args);
  const known = new KeptWeakMap();
  replaceGetter(formats, 'format', (read) => {
    const format = read();
    if (!known.has(format)) known.set(format, proxied(format, { apply: (original, self, args) => apply(original, self, dated(args)) }));
    return known.get(format);
  });
  replaceMethod(formats, 'formatToParts', (call, self, args) => call(dated(args)));
}

function watchTemporal() {
  const { Temporal } = window;
  const skipped = () => plain({ milliseconds: time.skipped });
  const later = (name, type) => {
    const add = method(Temporal[type].prototype, 'add');
    replaceMethod(Temporal.Now, name, (call) => add(call(), skipped()));
    return add;
  };
  later('instant', 'Instant');
  later('plainTimeISO', 'PlainTime');
  later('plainDateTimeISO', 'PlainDateTime');
  const { zonedDateTimeISO } = Temporal.Now;
  const add = later('zonedDateTimeISO', 'ZonedDateTime');
  const dateOf = method(Temporal.ZonedDateTime.prototype, 'toPlainDate');
  replaceMethod(Temporal.Now, 'plainDateISO', (call, self, args) => dateOf(add(apply(zonedDateTimeISO, self, args), skipped())));
}

/** Marks and measures are made now, unless their maker says when. */
function watchMarks() {
  const marks = Performance.prototype;
  replaceMethod(marks, 'mark', (call, self, args) => {
    if (time.skipped === 0 || args[1]?.startTime !== undefined) return call();
    return call([args[0], { ...args[1], startTime: now() }]);
  });
  replaceMethod(marks, 'measure', (call, self, args) => {
    const given = args[1];
    if (time.skipped === 0 || args[2] !== undefined) return call();
    if (typeof given !== 'object' || given === null) return call([args[0], { start: given, end: now() }]);
    return given.end === undefined && given.duration === undefined ? call([args[0], { ...given, end: now() }]) : call();
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
