// Idle callbacks and tasks of the scheduler: pending until they have run.

import { FRAME_MS, askFrame } from './frames.js';
import { replaceMethod, watchMethod } from './hooks.js';
import { KeptMap, apply, getter, max, min } from './intrinsics/language.js';
import { hold, holdPromise, progress } from './work.js';
import { now } from './shared.js';

const MAX_WAITED_FOR = 200;
const IDLE_MS = 45; // what a browser grants with nothing else to do

export function watchIdleCallbacks() {
  const waiting = new KeptMap(); // id → end of its hold
  let waitedFor = 0;
  let fruitless = 0;
  let seen = -1;
  const didTimeout = getter(window.IdleDeadline?.prototype, 'didTimeout');
  replaceMethod(window, 'requestIdleCallback', (call, self, args) => {
    const callback = args[0];
    if (typeof callback !== 'function') return call();
    let id = 0;
    const run = /** @this {unknown} */ function (deadline) {
      const end = waiting.get(id);
      waiting.delete(id);
      // What the one before has shown is known by now.
      fruitless = seen === progress() ? fruitless + 1 : 0;
      seen = progress();
      const until = now() + IDLE_MS;
      const generous = { didTimeout: false, timeRemaining: () => max(0, until - now()) };
      try {
        return apply(callback, this, [didTimeout(deadline) ? generous : deadline]);
      } finally {
        end?.();
      }
    };
    // Idle time is counted between frames, and there may be no second one.
    id = call([run, { timeout: min(args[1]?.timeout || FRAME_MS, FRAME_MS) }]);
    askFrame();
    waitedFor += 1;
    if (waitedFor <= MAX_WAITED_FOR && fruitless <= RULES.idleCallbacks.times) waiting.set(id, hold('idle', RULES.idleCallback.ms));
    return id;
  });
  watchMethod(window, 'cancelIdleCallback', (_, self, args) => {
    waiting.get(args[0])?.();
    waiting.delete(args[0]);
  });
  watchMethod(window.Scheduler?.prototype, 'postTask', (promise, self, args) => {
    waitedFor += 1;
    if ((args[1]?.delay || 0) <= RULES.timer.ms && waitedFor <= MAX_WAITED_FOR) holdPromise('task', RULES.timer.ms + 500, promise);
  });
}
