// Frames on demand. With begin-frame control the browser draws a frame only when requested, which is done here for all that waits for one.
// Of chained callbacks, most run without a drawn frame. See docs/decisions/0224.
// Must never lose a request for a frame, nor let endless callbacks delay the capture.

import { setPageTimeout, advanceClock, nextDue } from './alarms.js';
import { readyState } from './intrinsics/dom.js';
import { SafeMap, apply, each, max, push, then } from './intrinsics/language.js';
import { callPage, listen, replaceMethod, watchMethod } from './hooks.js';
import { listened } from './listeners.js';
import { native } from './native.js';
import { options, send } from './options.js';
import { Repetition, addStep, endStep, isOnPageTime } from './repetition.js';
import { now, time } from './shared.js';
import { state } from './state.js';
import { work } from './work.js';

export const FRAME_MS = 16;
const ALWAYS_DRAWN = 8; // all of the first frames, since two nested callbacks are a common "after paint"
const DRAW_EVERY = 8; // every eighth of the later frames
const IDLING_MS = 120;

export const frames = {
  isRequested: false,
  isRequired: false, // a drawn frame is needed, not only its callbacks
  skippedInRow: 0, // frames since the last drawn one
  drawn: 0,
  lastDrawn: 0,
  changesWhenDrawn: -1,
};

const callbacks = new Repetition();

/** Requests a frame. Further calls before it is drawn have no effect. */
export function requestFrame() {
  if (!options.frames || !send) return;
  frames.isRequired = true;
  if (!frames.isRequested) request();
}

/** Requests a frame for its callbacks only. */
function requestCallbacks() {
  if (options.frames && send && !frames.isRequested) request();
}

function request() {
  frames.isRequested = true;
  if (maySkipDrawing()) return requestSkippedFrame();
  // The first callback of a frame records it: a request after that is for the next frame.
  native.requestAnimationFrame(() => {
    frames.isRequested = false;
    frames.isRequired = false;
    frames.skippedInRow = 0;
    time.drawing = 0;
    recordFrame();
    frames.changesWhenDrawn = work.changes;
  });
  if (readyState(document) === 'loading') {
    // Nothing is drawn before the document has a body.
    return listen(document, 'readystatechange', () => sendFrameRequest(), { once: true });
  }
  const wait = msUntil(frameInterval());
  if (wait > 1) return setPageTimeout(() => sendFrameRequest(), wait);
  return sendFrameRequest();
}

function recordFrame() {
  frames.drawn += 1;
  frames.lastDrawn = now();
}

/** Returns the ms until `pace` ms have passed since the last frame. */
const msUntil = (pace) => max(0, pace - (now() - frames.lastDrawn));

/** Returns the ms between frames: that of a screen, or longer while the callbacks have no effect. */
function frameInterval() {
  if (frames.drawn < ALWAYS_DRAWN) return 0;
  return callbacks.isAwaitedIn(FRAME_MS) ? FRAME_MS : IDLING_MS;
}

/** Returns true when callbacks can run without a drawn frame: nothing else waits for one. */
const maySkipDrawing = () => !frames.isRequired && frames.drawn >= ALWAYS_DRAWN && frames.skippedInRow < DRAW_EVERY - 1 && isOnPageTime() && callbacks.isAwaitedIn(FRAME_MS);

/** Runs callbacks after the time to the next frame, skipped if possible: asking the tab each time would cost more than the frame. */
function requestSkippedFrame() {
  if (native.postTask && canSkipFrame()) then(native.postTask(skipFrame), () => {}, () => {});
  else setPageTimeout(runCallbacks, msUntil(FRAME_MS)); // never synchronously: the caller has not registered its callback yet
}

/** Returns true when the time to the next frame can be skipped: no alarm is due before, and no listener waits for the end of an animation. */
const canSkipFrame = () => isOnPageTime() && !listened.ends && nextDue() - now() > FRAME_MS;

function skipFrame() {
  if (canSkipFrame()) advanceClock(FRAME_MS);
  runCallbacks();
}

/** @type {Map<number, { step: import('./repetition.js').Step, run: (stamp: number) => void }>} */
const callbacksById = new SafeMap(); // callbacks that wait for a frame

/** Calls the callbacks that wait for a frame, as the browser would. */
function runCallbacks() {
  frames.isRequested = false;
  frames.skippedInRow += 1;
  recordFrame();
  const stamp = native.now();
  /** @type {number[]} */
  const due = [];
  callbacksById.forEach((_, id) => push(due, id));
  each(due, (id) => {
    const entry = callbacksById.get(id);
    if (!entry) return; // cancelled by an earlier callback
    native.cancelAnimationFrame(id);
    callPage(entry.run, window, [stamp]);
  });
  if (frames.isRequired && !frames.isRequested) request();
}

/**
 * Sends the request, and repeats it until the page has got its frame. A frame may be drawn before the document has content, and while the
 * compositor animates by itself, it may omit the page's callbacks until a full frame is drawn.
 */
function sendFrameRequest(code = 'F') {
  const { drawn } = frames;
  time.drawing = now() + RULES.drawing.ms;
  send?.(code);
  native.setTimeout(() => {
    if (frames.drawn === drawn && !state.done) sendFrameRequest(drawn === 0 ? 'F' : 'D');
  }, drawn === 0 ? 25 : 50);
}

export function watchFrames() {
  const ended = (id) => {
    const entry = callbacksById.get(id);
    callbacksById.delete(id);
    if (entry) endStep(entry.step);
  };
  replaceMethod(window, 'requestAnimationFrame', (call, self, args) => {
    const callback = args[0];
    if (typeof callback !== 'function') return call();
    requestCallbacks(); // before the browser knows the callback
    if (!options.frames) time.drawing = now() + RULES.drawing.ms;
    let id = 0;
    const run = /** @this {unknown} */ function (stamp) {
      if (!options.frames) time.drawing = 0;
      try {
        return apply(callback, this, [stamp + time.skipped]);
      } finally {
        ended(id);
      }
    };
    id = call([run]);
    callbacksById.set(id, { run, step: addStep(FRAME_MS, callbacks, true) });
    return id;
  });
  watchMethod(window, 'cancelAnimationFrame', (_, self, args) => ended(args[0]));

  each(['scrollTo', 'scrollBy', 'scroll'], (name) => {
    watchMethod(window, name, requestFrame);
    watchMethod(Element.prototype, name, requestFrame);
  });
  watchMethod(Element.prototype, 'scrollIntoView', requestFrame);
}
