// Timers, intervals, idle callbacks and timed signals of the page: steps of the page's own time. See docs/decisions/0006.

import { addAlarm, later, putOff, removeAlarm, rung } from './alarms.js';
import { FRAME_MS, askFrame } from './animation_frames.js';
import { KeptMap, KeptWeakMap, apply, asText, getter, max, method, min, plain, withFirst } from './intrinsics/language.js';
import { quietly, replaceMethod, watchMethod, watchSetter } from './hooks.js';
import { heardBy } from './listeners.js';
import { native } from './native.js';
import { Repetition, addStep, endStep } from './repetition.js';
import { now, time } from './shared.js';
import { endWith } from './work.js';

/**
 * A timer or interval that has not ended. `inner`: the browser's own number of it, once time was skipped.
 * @typedef {{ inner: number, alarm: import('./alarms.js').Alarm, step: import('./repetition.js').Step }} Live
 */

const FAR_MS = 60_000; // no render lasts as long
const LEAST_TICK_MS = 4;
const IDLE_MS = 45; // what a browser grants with nothing else to do

/** @type {Map<number, Live>} */
const live = new KeptMap(); // by id
/** @type {{ callback: unknown, ms: number, repetition: Repetition } | null} */
let current = null; // the timer whose callback is running

export function watchTimers() {
  const set = (name, /** @type {typeof setTimer} */ begin) =>
    replaceMethod(window, name, (call, self, args) => {
      const ms = max(0, quietly(() => args[1] | 0) || 0);
      return ms > FAR_MS ? call() : begin(call, args, ms);
    });
  set('setTimeout', setTimer);
  set('setInterval', setTicker);
  const cleared = (_, self, args) => ended(quietly(() => +args[0]));
  watchMethod(window, 'clearTimeout', cleared);
  watchMethod(window, 'clearInterval', cleared);
  watchIdleCallbacks();
  watchSignals();
}

function ended(id) {
  const entry = live.get(id);
  if (!entry) return;
  live.delete(id);
  removeAlarm(entry.alarm);
  if (entry.inner) native.clearTimeout(entry.inner);
  endStep(entry.step);
}

/** Keeps a timer until it has ended. `given`: arguments for the browser when time has been skipped. */
function keep(id, ms, given, repetition, isRepeated) {
  /** @type {Live} */
  const entry = plain({
    inner: 0,
    step: addStep(ms, repetition, isRepeated),
    alarm: addAlarm(ms, (rest) => {
      native.clearTimeout(entry.inner || id);
      given[1] = rest;
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
    rung();
  }
}

/** Returns whether the timer that is running arms itself again. */
const isAgain = (callback, ms) => current !== null && current.ms === ms && (current.callback === callback || asText(current.callback) === asText(callback));

function setTimer(call, args, ms) {
  const callback = args[0];
  const isRepeated = quietly(() => isAgain(callback, ms)) === true;
  const repetition = isRepeated && current ? current.repetition : new Repetition();
  if (typeof callback !== 'function') {
    // Text is run by the browser itself: a timer of ours that comes right behind it tells its end.
    const id = call();
    quietly(() => {
      keep(id, ms, withFirst(callback, args), repetition, isRepeated);
      later(() => ended(id), ms);
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
  quietly(() => keep(id, ms, given, repetition, isRepeated));
  return id;
}

/** Sets an interval. Its first tick is a single timer: RxJS makes each of its delays an interval that ends with the first. */
function setTicker(call, args, ms) {
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
    // Text is run by the browser itself: an interval of ours that comes right behind it tells of its ticks.
    time.isFixed = true;
    id = call();
    const beside = native.setInterval(() => (live.has(id) ? next() : native.clearTimeout(beside)), pause);
    quietly(() => keep(id, ms, [], repetition, false));
    return id;
  }
  const run = /** @this {unknown} */ function (...passed) {
    const entry = live.get(id);
    if (entry) {
      // Once time was skipped, each tick is a timer that sets the next one.
      putOff(entry.alarm, pause);
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
  quietly(() => keep(id, ms, given, repetition, false));
  return id;
}

function watchIdleCallbacks() {
  const repetition = new Repetition();
  const waiting = new KeptMap(); // step by id
  const didTimeout = getter(window.IdleDeadline?.prototype, 'didTimeout');
  const over = (id) => {
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
        over(id);
      }
    };
    // Idle time is counted between frames, and there may be no second one.
    id = call([run, { timeout: min(args[1]?.timeout || FRAME_MS, FRAME_MS) }]);
    askFrame();
    waiting.set(id, addStep(FRAME_MS, repetition, true));
    return id;
  });
  watchMethod(window, 'cancelIdleCallback', (_, self, args) => over(args[0]));
  watchMethod(window.Scheduler?.prototype, 'postTask', (promise, self, args) => {
    const step = addStep(+args[1]?.delay || 0, repetition, true);
    endWith(promise, () => endStep(step));
  });
}

/** Signals that end after a time (`AbortSignal.timeout`) go by the page's clock. Those that somebody listens to are waited for. */
function watchSignals() {
  const { AbortController } = window;
  const signalOf = getter(AbortController.prototype, 'signal');
  const abort = method(AbortController.prototype, 'abort');
  /** @type {WeakMap<AbortSignal, () => void>} */
  const listensTo = new KeptWeakMap();
  replaceMethod(window.AbortSignal, 'timeout', (call, self, args) => {
    const ms = +args[0];
    if (!(ms >= 0 && ms <= FAR_MS)) return call();
    const controller = new AbortController();
    const signal = signalOf(controller);
    const due = now() + ms;
    /** @type {import('./repetition.js').Step | undefined} */
    let step;
    listensTo.set(signal, () => (step ??= addStep(max(0, due - now()), new Repetition(), false)));
    heardBy.set(signal, (type) => type === 'abort' && listensTo.get(signal)?.());
    later(() => {
      abort(controller, new native.DOMException('signal timed out', 'TimeoutError'));
      if (step) endStep(step);
    }, ms);
    return signal;
  });
  watchSetter(window.AbortSignal.prototype, 'onabort', (signal) => listensTo.get(signal)?.());
}
