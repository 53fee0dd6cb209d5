// Timers and intervals: pending while they lead to something. Clocks and polls do not count. See docs/decisions/0274, docs/decisions/0295 and docs/decisions/0350.

import { addAlarm, later, putOff, removeAlarm, rung } from './alarms.js';
import { quietly, replaceMethod, watchMethod } from './hooks.js';
import { KeptMap, apply, asText, max, plain, soon, withFirst } from './intrinsics/language.js';
import { asksForPatience, isUnfinished } from './appearance.js';
import { listened } from './listeners.js';
import { native } from './native.js';
import { addPoll, expectQuickPolls, pollTicked, removePoll } from './polls.js';
import { hold, progress, work } from './work.js';
import { now, time } from './shared.js';

/**
 * A timer or interval of the page. `isAwaited`: an interval whose tick, which is running, was waited for.
 * @typedef {{ callback: unknown, ms: number, depth: number, began: number, changes: number, structures: number, isAwaited?: boolean }} Timer
 */

/**
 * One that has not ended. `inner`: the browser's own number of it, once time was skipped.
 * @typedef {{ inner: number, alarm: import('./alarms.js').Alarm, end?: () => void, poll?: import('./polls.js').Poll }} Live
 */

const FAR_MS = 60_000; // no render lasts as long
const LEAST_TICK_MS = 4;

/** @type {Map<number, Live>} */
const live = new KeptMap(); // by id
/** @type {Timer | null} */
let current = null; // the one whose callback is running

export function watchTimers() {
  replaceMethod(window, 'setTimeout', (call, self, args) => {
    const timer = counted(args);
    return timer ? setTimer(call, args, timer) : call();
  });
  replaceMethod(window, 'setInterval', (call, self, args) => {
    const timer = counted(args);
    return timer ? setTicker(call, args, timer) : call();
  });
  const cleared = (_, self, args) => ended(quietly(() => +args[0]));
  watchMethod(window, 'clearTimeout', cleared);
  watchMethod(window, 'clearInterval', cleared);
}

/** A timer that may matter to the render, from the arguments of the call that sets it. */
function counted(args) {
  const ms = max(0, quietly(() => args[1] | 0) || 0);
  if (ms > FAR_MS) return null;
  if (isSlow(ms)) work.readChanges();
  const { structures } = work;
  return { callback: args[0], ms, depth: current ? current.depth + 1 : 0, began: current ? current.began : now(), changes: progress(), structures };
}

function ended(id) {
  const entry = live.get(id);
  if (!entry) return;
  live.delete(id);
  removeAlarm(entry.alarm);
  if (entry.inner) native.clearTimeout(entry.inner);
  entry.end?.();
  if (entry.poll) removePoll(entry.poll);
}

/** Keeps a timer until it has ended. `given` is what the browser is called with when time has been skipped. */
function keep(id, ms, given) {
  /** @type {Live} */
  const entry = plain({
    inner: 0,
    alarm: addAlarm(ms, (rest) => {
      native.clearTimeout(entry.inner || id);
      given[1] = rest;
      entry.inner = apply(native.setTimeout, undefined, given);
    }),
  });
  live.set(id, entry);
  return entry;
}

/** Begins to wait for a timer, or for the next look of a poll. */
function wait(entry, timer) {
  if (timer.ms > RULES.longTimer.ms) return;
  const kind = timer.ms > RULES.timer.ms ? longKind(timer.ms) : mayHold(timer, current) && 'timer';
  if (kind) entry.end = hold(kind, timer.ms + RULES.lateCall.ms);
  else if (timer.ms <= RULES.poll.ms) entry.poll = addPoll(timer.ms);
}

/** Runs a callback of the page as that of a timer. */
function runAs(timer, callback, self, given) {
  const outer = current;
  current = timer;
  try {
    return apply(callback, self, given);
  } finally {
    current = outer;
  }
}

/** Calls `run` once the DOM's own observers have heard of what the callback before has changed. */
const afterChanges = soon;

function setTimer(call, args, timer) {
  const { callback } = timer;
  let id = 0;
  if (typeof callback === 'function') {
    const run = /** @this {unknown} */ function (...given) {
      const entry = live.get(id);
      live.delete(id);
      if (entry) removeAlarm(entry.alarm);
      try {
        return runAs(timer, callback, this, given);
      } finally {
        if (entry?.poll) removePoll(entry.poll);
        if (entry?.end) expectQuickPolls();
        entry?.end?.();
        rung();
      }
    };
    const given = withFirst(run, args);
    id = call(given);
    quietly(() => wait(keep(id, timer.ms, given), timer));
    return id;
  }
  // Text is run by the browser itself: a timer of ours that comes right behind it tells its end.
  id = call();
  quietly(() => {
    wait(keep(id, timer.ms, withFirst(callback, args)), timer);
    later(() => ended(id), timer.ms);
  });
  return id;
}

/**
 * An interval. Its first tick is waited for like a timer: RxJS makes each of its delays an interval that ends with the first.
 * Further ones are while they are fast and show something: numbers that count up, typewriters, steps of a progress bar.
 */
function setTicker(call, args, timer) {
  const { callback, ms } = timer;
  let id = 0;
  let idle = 0;
  const since = now(); // the chain that has armed it, with each slide of a carousel perhaps, began before
  let { changes, structures } = timer;
  let shown = work.changes;
  const judge = () => {
    const entry = live.get(id);
    if (!entry) return;
    idle = progress() === changes ? idle + 1 : 0;
    changes = progress();
    const adds = work.structures > structures;
    const shows = work.changes > shown;
    ({ structures, changes: shown } = work);
    if (entry.poll) return pollTicked(entry.poll, ms);
    entry.end?.();
    entry.end = undefined;
    if (mayTick(ms, since, idle, adds, shows)) entry.end = hold('timer', ms + RULES.lateCall.ms);
    else if (ms <= RULES.poll.ms) entry.poll = addPoll(ms);
  };
  const next = (entry) => {
    // Once time was skipped, each tick is a timer that sets the next one.
    putOff(entry.alarm, max(LEAST_TICK_MS, ms));
    if (entry.inner) entry.inner = apply(native.setTimeout, undefined, again(entry.alarm.due - now()));
  };
  const run = /** @this {unknown} */ function (...passed) {
    const entry = live.get(id);
    timer.isAwaited = entry?.end !== undefined;
    if (entry) next(entry);
    try {
      return runAs(timer, callback, this, passed);
    } finally {
      afterChanges(judge);
      rung();
    }
  };
  if (typeof callback !== 'function') {
    // Text is run by the browser itself: an interval of ours that comes right behind it tells what it has done.
    time.isElsewhere = true; // what the browser itself repeats cannot be set anew
    id = call();
    const beside = native.setInterval(() => (live.has(id) ? afterChanges(judge) : native.clearTimeout(beside)), max(LEAST_TICK_MS, ms));
    quietly(() => wait(keep(id, ms, []), timer));
    return id;
  }
  const given = withFirst(run, args);
  const again = (rest) => {
    given[1] = max(LEAST_TICK_MS, rest);
    return given;
  };
  id = call(given);
  quietly(() => wait(keep(id, ms, given), timer));
  return id;
}

/**
 * Whether the first ticks of what repeats itself are waited for although they show nothing: they may count, and their time is skipped.
 * Those without a pause cannot be counting, only waiting for a moment.
 */
function isFirst(ticks, began, ms) {
  if (time.isElsewhere || listened.scripts) return false;
  return (ticks <= RULES.firstSteps.times || ms <= LEAST_TICK_MS) && now() + ms - began <= RULES.firstTicks.ms;
}

/** Whether a step has brought elements: few and slow ones have longer pauses and more time, while that is skipped. */
const mayAdd = (adds, ms) => adds && ms > RULES.interval.ms && !time.isElsewhere && !listened.scripts;

/** Whether the next tick of an interval is waited for. */
function mayTick(ms, began, idle, adds, shows) {
  if (!isStep(ms, adds)) return false;
  if (isFirst(idle, began, ms)) return true;
  if (idle >= (ms > RULES.interval.ms ? 1 : RULES.idleTicks.times)) return false;
  const passed = now() + ms - began;
  if (passed < RULES.counting.ms) return true;
  // Answers alone are those of a poll.
  return passed < RULES.longTimer.ms && idle === 0 && (mayAdd(adds, ms) || (shows ? isUnfinished() : asksForPatience()));
}

let retries = 0;
let longest = 0;
let unlikely = 0;

/** How a timer counts that is longer than most that show something: a second try, or what an empty page waits for. */
function longKind(ms) {
  if (now() - work.lastFailure < RULES.retryWindow.ms) {
    const isLonger = ms > longest; // second tries come later and later, polls do not
    longest = max(longest, ms);
    retries += 1;
    return retries <= (isLonger ? RULES.retries.times : RULES.retries.times / 2) ? 'timer' : null;
  }
  unlikely += 1;
  return unlikely <= RULES.longTimers.times ? 'unlikely' : null;
}

// Timers of one length that are armed over and over from promises (`while (true) await sleep(50)`) have no parent.
const lengths = new KeptMap();

function mayHold(timer, parent) {
  const used = lengths.get(timer.ms) || { times: 0, idle: 0, changes: -1, began: now() };
  lengths.set(timer.ms, used);
  used.times += 1;
  used.idle = used.changes === progress() ? used.idle + 1 : 0;
  used.changes = progress();
  const isEarly = isFirst(used.times, used.began, timer.ms) || (parent && isFirst(timer.depth, timer.began, timer.ms));
  if (!isEarly && (used.times > RULES.sameTimers.times || (used.times > 8 && used.idle >= RULES.idleTimers.times && !isUnfinished()))) return false;
  if (used.times > 30 && now() - work.lastRequest > RULES.chain.ms) return false;
  if (!parent) return true;
  if (parent.isAwaited && timer.ms <= RULES.step.ms) return true; // the other half of a tick: what it has hidden comes back
  const adds = timer.structures > parent.structures;
  if ((timer.depth > RULES.steps.times && !isEarly) || now() + timer.ms - timer.began > (mayAdd(adds, timer.ms) ? RULES.longTimer.ms : RULES.chain.ms)) return false;
  // The same step again: a typewriter shows something with each, a clock is slow, a poll shows nothing.
  return isEarly || !isSame(timer, parent) || (isStep(timer.ms, adds) && (timer.depth < 2 || progress() > parent.changes));
}

const isSlow = (ms) => ms > RULES.step.ms && ms <= RULES.timer.ms;

/** Whether so long a pause may be one between two steps, and not that of a clock. */
const isStep = (ms, adds) => ms <= RULES.step.ms || (isSlow(ms) && (mayAdd(adds, ms) || isUnfinished()));

const isSame = (timer, parent) =>
  parent.ms === timer.ms && (parent.callback === timer.callback || asText(parent.callback) === asText(timer.callback));
