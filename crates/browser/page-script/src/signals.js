// Signals that end after a time (`AbortSignal.timeout`): they go by the page's clock, as its timers do.
// Must never wait for one that nobody listens to: most are there to give up a request, which has a limit of its own.

import { later } from './alarms.js';
import { replaceMethod, watchSetter } from './hooks.js';
import { KeptWeakMap, getter, method } from './intrinsics/language.js';
import { native } from './native.js';
import { now } from './shared.js';
import { hold } from './work.js';

const FAR_MS = 60_000; // no render lasts as long

/** @type {WeakMap<AbortSignal, { due: number, end?: () => void }>} */
const pauses = new KeptWeakMap();

export function watchTimeouts() {
  const { AbortController } = window;
  const signalOf = getter(AbortController.prototype, 'signal');
  const abort = method(AbortController.prototype, 'abort');
  replaceMethod(window.AbortSignal, 'timeout', (call, self, args) => {
    const ms = +args[0];
    if (!(ms >= 0 && ms <= FAR_MS)) return call();
    const controller = new AbortController();
    const signal = signalOf(controller);
    pauses.set(signal, { due: now() + ms });
    later(() => {
      abort(controller, new native.DOMException('signal timed out', 'TimeoutError'));
      pauses.get(signal)?.end?.();
    }, ms);
    return signal;
  });
  watchSetter(window.AbortSignal.prototype, 'onabort', expectAbort);
}

/** Somebody listens to the end of a signal. */
export function expectAbort(signal) {
  const pause = pauses.get(signal);
  if (!pause || pause.end) return;
  const rest = pause.due - now();
  if (rest > 0 && rest <= RULES.timer.ms) pause.end = hold('timer', rest + RULES.lateCall.ms);
}
