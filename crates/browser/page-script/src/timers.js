// Timers, intervals and idle callbacks of the page: steps of its own time. See docs/decisions/0006.

import { addAlarm, alarmFired, postponeAlarm, removeAlarm } from './alarms.js';
import { FRAME_MS, requestFrame } from './animation_frames.js';
import { SafeMap, apply, asText, each, evaluate, getters, max, min, plain, withFirst } from './intrinsics/language.js';
import { attempt, replaceMethod, watchMethod } from './hooks.js';
import { native } from './native.js';
import { Repetition, addStep, endStep } from './repetition.js';
import { now } from './shared.js';
import { endWith } from './work.js';

/** Pending timer or interval. `inner`: the browser's id after a skip. @typedef {{ inner: number, alarm: import('./alarms.js').Alarm, step: import('./repetition.js').Step }} Live */

const FAR_MS = 60_000; // longer than any render
const LEAST_TICK_MS = 4;
const IDLE_MS = 45; // granted by a browser with nothing else to do

/** @type {Map<number, Live>} */
const live = new SafeMap(); // by id
/** @type {{ callback: unknown, ms: number, repetition: Repetition } | null} */
let current = null; // the timer whose callback is running

export function watchTimers() {
  each(['setTimeout', 'setInterval'], (name) =>
    replaceMethod(window, name, (call, self, args) => {
      const ms = max(0, attempt(() => args[1] | 0) || 0);
      return ms > FAR_MS ? call() : setTimer(call, args, ms, name === 'setInterval');
    }),
  );
  each(['clearTimeout', 'clearInterval'], (name) => watchMethod(window, name, (_, self, args) => endTimer(attempt(() => +args[0]))));
  watchIdleCallbacks();
}

function endTimer(id) {
  const entry = live.get(id);
  if (!entry) return;
  live.delete(id);
  removeAlarm(entry.alarm);
  if (entry.inner) native.clearTimeout(entry.inner);
  endStep(entry.step);
}

/** Tracks a timer until its end. `given`: arguments for setting it again after a skip. */
function track(id, ms, given, repetition, isRepeated) {
  /** @type {Live} */
  const entry = plain({
    inner: 0,
    step: addStep(ms, repetition, isRepeated),
    alarm: addAlarm(ms, (remaining) => {
      native.clearTimeout(entry.inner || id);
      given[1] = remaining;
      entry.inner = apply(native.setTimeout, undefined, given);
    }),
  });
  live.set(id, entry);
}

/** Runs a callback of the page as that of a timer. */
function runAs(timer, callback, self, given) {
  const outer = current;
  current = timer;
  try {
    return apply(callback, self, given);
  } finally {
    current = outer;
    alarmFired();
  }
}

/** Returns the callback of a timer. Text is evaluated in the global scope, as the browser does. */
function callbackOf(given) {
  if (typeof given === 'function') return given;
  const text = asText(given);
  return () => evaluate(text);
}

/** Returns true when the running timer sets itself again. */
const isRearmed = (callback, ms) => current !== null && current.ms === ms && (current.callback === callback || asText(current.callback) === asText(callback));

/** Sets a timer or interval. The first tick of an interval counts as a single timer, since RxJS implements delays as intervals that end with it. */
function setTimer(call, args, ms, isInterval) {
  const callback = callbackOf(args[0]);
  const pause = isInterval ? max(LEAST_TICK_MS, ms) : ms;
  const isRepeated = !isInterval && attempt(() => isRearmed(callback, ms)) === true;
  const repetition = isRepeated && current ? current.repetition : new Repetition();
  let id = 0;
  const run = /** @this {unknown} */ function (...passed) {
    const entry = live.get(id);
    if (entry && isInterval) {
      // After a skip, each tick is a timer that sets the next one.
      postponeAlarm(entry.alarm, pause);
      given[1] = max(LEAST_TICK_MS, entry.alarm.due - now());
      if (entry.inner) entry.inner = apply(native.setTimeout, undefined, given);
    } else if (entry) {
      live.delete(id);
      removeAlarm(entry.alarm);
    }
    try {
      return runAs({ callback, ms, repetition }, callback, this, passed);
    } finally {
      if (entry) endStep(entry.step);
      if (entry && live.has(id)) entry.step = addStep(pause, repetition, true);
    }
  };
  const given = withFirst(run, args);
  id = call(given);
  attempt(() => track(id, ms, given, repetition, isRepeated));
  return id;
}

function watchIdleCallbacks() {
  const repetition = new Repetition();
  const waiting = new SafeMap(); // step by id
  const { didTimeout } = getters(window.IdleDeadline?.prototype);
  const endIdle = (id) => {
    if (waiting.has(id)) endStep(waiting.get(id));
    waiting.delete(id);
  };
  replaceMethod(window, 'requestIdleCallback', (call, self, args) => {
    const callback = args[0];
    if (typeof callback !== 'function') return call();
    let id = 0;
    const run = /** @this {unknown} */ function (deadline) {
      const until = now() + IDLE_MS;
      const generous = { didTimeout: false, timeRemaining: () => max(0, until - now()) };
      try {
        return apply(callback, this, [didTimeout(deadline) ? generous : deadline]);
      } finally {
        endIdle(id);
      }
    };
    // Idle time exists between frames, and there may be no second frame.
    id = call([run, { timeout: min(args[1]?.timeout || FRAME_MS, FRAME_MS) }]);
    requestFrame();
    waiting.set(id, addStep(FRAME_MS, repetition, true));
    return id;
  });
  watchMethod(window, 'cancelIdleCallback', (_, self, args) => endIdle(args[0]));
  watchMethod(window.Scheduler?.prototype, 'postTask', (promise, self, args) => {
    const step = addStep(+args[1]?.delay || 0, repetition, true);
    endWith(promise, () => endStep(step));
  });
}
