// What is to happen at a certain time of the page's clock: its timers, and the pauses of this script. When time is skipped, all of
// them are set anew. See docs/decisions/0224.
// Must never ring two alarms in another order than that of their times.

import { ceil, each, items, max, sort } from './intrinsics/language.js';
import { native } from './native.js';
import { now, time } from './shared.js';

/**
 * `set(ms)` sets what rings it anew.
 * @typedef {{ due: number, set: (ms: number) => void }} Alarm
 */

const LOST_MS = 250; // over its time: its frame is gone
export const ALARMS = 300; // more are not set anew

/** @returns {Alarm} */
export function addAlarm(ms, set) {
  const alarm = { due: now() + ms, set };
  time.alarms.add(alarm);
  return alarm;
}

/** Of an interval: it will ring again, and does not drift when it came late. */
export function putOff(alarm, ms) {
  alarm.due = max(alarm.due + ms, now());
  if (time.alarms.delete(alarm)) time.alarms.add(alarm);
}

export function removeAlarm(alarm) {
  time.alarms.delete(alarm);
}

/** An alarm has rung. */
export function rung() {
  time.rings += 1;
  time.onRing();
}

/** Calls `run` in `ms` of the page's time. */
export function later(run, ms) {
  const ring = () => {
    removeAlarm(alarm);
    run();
    rung();
  };
  let id = native.setTimeout(ring, ms);
  const alarm = addAlarm(ms, (rest) => {
    native.clearTimeout(id);
    id = native.setTimeout(ring, rest);
  });
}

/** Returns the time at which the next alarm is due: Infinity without one. Forgets alarms that are late. */
export function nextDue() {
  const moment = now();
  let due = Infinity;
  time.alarms.forEach((alarm) => {
    if (alarm.due + LOST_MS < moment) time.alarms.delete(alarm);
    else if (alarm.due < due) ({ due } = alarm);
  });
  return due;
}

/** Moves the clock on by whole milliseconds. */
export function moveOn(ms) {
  time.skipped += ms;
  each(sort(items(time.alarms), (a, b) => a.due - b.due), (alarm) => alarm.set(max(0, ceil(alarm.due - now()))));
}
