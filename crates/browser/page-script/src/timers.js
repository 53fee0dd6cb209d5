// Timers, intervals, idle callbacks and signal timeouts of the page: steps of its own time. See docs/decisions/0006.

import { addAlarm, setPageTimeout, postponeAlarm, removeAlarm, alarmFired } from './alarms.js';
import { FRAME_MS, requestFrame } from './animation_frames.js';
import { SafeMap, SafeWeakMap, apply, asText, getter, max, method, min, plain, withFirst } from './intrinsics/language.js';
import { attempt, replaceMethod, watchMethod, watchSetter } from './hooks.js';
import { onListenerAdded } from './listeners.js';
import { native } from './native.js';
import { Repetition, addStep, endStep } from './repetition.js';
import { now, time } from './shared.js';
import { endWith } from './work.js';

/**
 * Pending timer or interval. `inner`: the browser's id after a skip.
 * @typedef {{ inner: number, alarm: import('./alarms.js').Alarm, step: import('./repetition.js').Step }} Live
 */

const FAR_MS = 60_000; // longer than any render
const LEAST_TICK_MS = 4;
const IDLE_MS = 45; // granted by a browser with nothing else to do

/** @type {Map<number, Live>} */
const live = new SafeMap(); // by id
/** @type {{ callback: unknown, ms: number, repetition: Repetition } | null} */
let current = null; // the timer whose callback is running

export function watchTimers() {
  const set = (name, /** @type {typeof setTimer} */ begin) =>
    replaceMethod(window, name, (call, self, args) => {
      const ms = max(0, attempt(() => args[1] | 0) || 0);
      return ms > FAR_MS ? call() : begin(call, args, ms);
    });
  set('setTimeout', setTimer);
  set('setInterval', setIntervalTimer);
  const cleared = (_, self, args) => endTimer(attempt(() => +args[0]));
  watchMethod(window, 'clearTimeout', cleared);
  watchMethod(window, 'clearInterval', cleared);
  watchIdleCallbacks();
  watchSignals();
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
  return entry;
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

/** Returns true when the running timer sets itself again. */
const isRearmed = (callback, ms) => current !== null && current.ms === ms && (current.callback === callback || asText(current.callback) === asText(callback));

function setTimer(call, args, ms) {
  const callback = args[0];
  const isRepeated = attempt(() => isRearmed(callback, ms)) === true;
  const repetition = isRepeated && current ? current.repetition : new Repetition();
  if (typeof callback !== 'function') {
    // The browser runs text itself: a timer right behind it detects its end.
    const id = call();
    attempt(() => {
      track(id, ms, withFirst(callback, args), repetition, isRepeated);
      setPageTimeout(() => endTimer(id), ms);
    });
    return id;
  }
  let id = 0;
  const run = /** @this {unknown} */ function (...given) {
    const entry = live.get(id);
    live.delete(id);
    if (entry) removeAlarm(entry.alarm);
    try {
      return runAs({ callback, ms, repetition }, callback, this, given);
    } finally {
      if (entry) endStep(entry.step);
    }
  };
  const given = withFirst(run, args);
  id = call(given);
  attempt(() => track(id, ms, given, repetition, isRepeated));
  return id;
}

/** Sets an interval. Its first tick counts as a single timer, since RxJS implements delays as intervals that end with the first. */
function setIntervalTimer(call, args, ms) {
  const callback = args[0];
  const repetition = new Repetition();
  const pause = max(LEAST_TICK_MS, ms);
  let id = 0;
  const next = () => {
    const entry = live.get(id);
    if (!entry) return;
    endStep(entry.step);
    entry.step = addStep(pause, repetition, true);
  };
  if (typeof callback !== 'function') {
    // The browser runs text itself: an interval right behind it detects its ticks.
    time.isFixed = true;
    id = call();
    const beside = native.setInterval(() => (live.has(id) ? next() : native.clearTimeout(beside)), pause);
    attempt(() => track(id, ms, [], repetition, false));
    return id;
  }
  const run = /** @this {unknown} */ function (...passed) {
    const entry = live.get(id);
    if (entry) {
      // After a skip, each tick is a timer that sets the next one.
      postponeAlarm(entry.alarm, pause);
      given[1] = max(LEAST_TICK_MS, entry.alarm.due - now());
      if (entry.inner) entry.inner = apply(native.setTimeout, undefined, given);
    }
    try {
      return runAs({ callback, ms, repetition }, callback, this, passed);
    } finally {
      next();
    }
  };
  const given = withFirst(run, args);
  id = call(given);
  attempt(() => track(id, ms, given, repetition, false));
  return id;
}

function watchIdleCallbacks() {
  const repetition = new Repetition();
  const waiting = new SafeMap(); // step by id
  const didTimeout = getter(window.IdleDeadline?.prototype, 'didTimeout');
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

/** Makes signal timeouts (`AbortSignal.timeout`) follow the page's clock. Those with a listener are awaited. */
function watchSignals() {
  const { AbortController } = window;
  const signalOf = getter(AbortController.prototype, 'signal');
  const abort = method(AbortController.prototype, 'abort');
  /** @type {WeakMap<AbortSignal, () => void>} */
  const listensTo = new SafeWeakMap();
  replaceMethod(window.AbortSignal, 'timeout', (call, self, args) => {
    const ms = +args[0];
    if (!(ms >= 0 && ms <= FAR_MS)) return call();
    const controller = new AbortController();
    const signal = signalOf(controller);
    const due = now() + ms;
    /** @type {import('./repetition.js').Step | undefined} */
    let step;
    listensTo.set(signal, () => (step ??= addStep(max(0, due - now()), new Repetition(), false)));
    onListenerAdded.set(signal, (type) => type === 'abort' && listensTo.get(signal)?.());
    setPageTimeout(() => {
      abort(controller, new native.DOMException('signal timed out', 'TimeoutError'));
      if (step) endStep(step);
    }, ms);
    return signal;
  });
  watchSetter(window.AbortSignal.prototype, 'onabort', (signal) => listensTo.get(signal)?.());
}
