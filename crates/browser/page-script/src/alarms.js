// Alarms: callbacks at a time of the page's clock, for its timers and for pauses of this script. After a skip all are set again.
// See docs/decisions/0224. Must never fire two alarms out of the order of their times.

import { ceil, each, items, max, sort } from './intrinsics/language.js';
import { native } from './native.js';
import { now, time } from './shared.js';

/** Alarm, whose `set(ms)` sets its timer again. @typedef {{ due: number, set: (ms: number) => void }} Alarm */

const LOST_MS = 250; // overdue by this: the timer belonged to a removed frame
export const ALARMS = 300; // more alarms prevent skipping

/** @returns {Alarm} */
export function addAlarm(ms, set) {
  const alarm = { due: now() + ms, set };
  time.alarms.add(alarm);
  return alarm;
}

/** Sets the alarm of an interval to the next tick, without drift when a tick was late. */
export function postponeAlarm(alarm, ms) {
  alarm.due = max(alarm.due + ms, now());
  if (time.alarms.delete(alarm)) time.alarms.add(alarm);
}

export function removeAlarm(alarm) {
  time.alarms.delete(alarm);
}

/** Counts an alarm that has fired. */
export function alarmFired() {
  time.firedAlarms += 1;
  time.onAlarm();
}

/** Calls `run` after `ms` of the page's time. */
export function setPageTimeout(run, ms) {
  const fire = () => {
    removeAlarm(alarm);
    run();
    alarmFired();
  };
  let id = native.setTimeout(fire, ms);
  const alarm = addAlarm(ms, (remaining) => {
    native.clearTimeout(id);
    id = native.setTimeout(fire, remaining);
  });
}

/** Returns the time of the next alarm, Infinity without one. Removes overdue alarms. */
export function nextDue() {
  const moment = now();
  let due = Infinity;
  time.alarms.forEach((alarm) => {
    if (alarm.due + LOST_MS < moment) time.alarms.delete(alarm);
    else if (alarm.due < due) ({ due } = alarm);
  });
  return due;
}

/** Advances the clock by whole milliseconds. */
export function advanceClock(ms) {
  time.skipped += ms;
  each(sort(items(time.alarms), (a, b) => a.due - b.due), (alarm) => alarm.set(max(0, ceil(alarm.due - now()))));
}
