// Frames on demand. With begin-frame control the browser draws nothing unless asked: whatever waits for a frame asks here.
// Of callbacks that ask for one after the other, most are called without one. See docs/decisions/0224.
// Must never lose a request for a frame, and never keep the page waiting for callbacks that go on for ever.

import { later, moveOn, nextDue } from './alarms.js';
import { readyState } from './intrinsics/dom.js';
import { KeptMap, apply, each, max, push, then } from './intrinsics/language.js';
import { listen, replaceMethod, watchMethod } from './hooks.js';
import { listened } from './listeners.js';
import { native } from './native.js';
import { options, send } from './options.js';
import { Repetition, addStep, endStep, goesByPage } from './repetition.js';
import { now, time } from './shared.js';
import { state } from './state.js';
import { work } from './work.js';

export const FRAME_MS = 16;
const FIRST_DRAWN = 8; // all of them: two nested callbacks are a common "after paint"
const DRAWN_OF = 8; // one of so many later ones
const IDLING_MS = 120;

export const frames = {
  asked: false,
  isOwed: false, // one has to be drawn
  light: 0, // frames in a row that only called back
  drawn: 0,
  lastDrawn: 0,
  changesWhenDrawn: -1,
};

const callbacks = new Repetition();

/** Asks for one frame. Any number of calls before it is drawn are one request. */
export function askFrame() {
  if (!options.frames || !send) return;
  frames.isOwed = true;
  if (!frames.asked) ask();
}

/** Asks for what callbacks wait for. */
function askCallbacks() {
  if (options.frames && send && !frames.asked) ask();
}

function ask() {
  frames.asked = true;
  if (mayBeLight()) return askLight();
  // What runs first in a frame notes that it was drawn: whatever asks after that asks for the next one.
  native.requestAnimationFrame(() => {
    frames.asked = false;
    frames.isOwed = false;
    frames.light = 0;
    time.drawing = 0;
    noteFrame();
    frames.changesWhenDrawn = work.changes;
  });
  if (readyState(document) === 'loading') {
    // Nothing is drawn before the document has a body; asking earlier would be in vain.
    return listen(document, 'readystatechange', () => requestFrame(frames.drawn), { once: true });
  }
  const wait = untilPace(drawnPace());
  if (wait > 1) return later(() => requestFrame(frames.drawn), wait);
  return requestFrame(frames.drawn);
}

function noteFrame() {
  frames.drawn += 1;
  frames.lastDrawn = now();
}

/** Returns the ms until `pace` ms have passed since the last frame. */
const untilPace = (pace) => max(0, pace - (now() - frames.lastDrawn));

/** Returns the ms between frames: the pace of a screen, slower while they lead to nothing. */
function drawnPace() {
  if (frames.drawn < FIRST_DRAWN) return 0;
  return callbacks.goesOn(FRAME_MS) ? FRAME_MS : IDLING_MS;
}

/** Returns whether callbacks can do without drawing this time: nothing but a frame to call them waits for it. */
const mayBeLight = () => !frames.isOwed && frames.drawn >= FIRST_DRAWN && frames.light < DRAWN_OF - 1 && goesByPage() && callbacks.goesOn(FRAME_MS);

/** The time until the next frame is skipped here: asking the tab each time costs more than the frame. */
function askLight() {
  if (native.postTask && canSkipFrame()) then(native.postTask(skipFrame), () => {}, () => {});
  else later(callBack, untilPace(FRAME_MS)); // never at once: who asks has not begun to wait
}

/** Not past anything that is to happen before, and where the end of an animation is listened to that would be left behind. */
const canSkipFrame = () => goesByPage() && !listened.ends && nextDue() - now() > FRAME_MS;

function skipFrame() {
  if (canSkipFrame()) moveOn(FRAME_MS);
  callBack();
}

/**
 * Callbacks that wait for a frame, by their number.
 * @type {Map<number, { step: import('./repetition.js').Step, run: (stamp: number) => void }>}
 */
const waiting = new KeptMap();

/** Calls what waits for a frame, as a frame would. */
function callBack() {
  frames.asked = false;
  frames.light += 1;
  noteFrame();
  const stamp = native.now();
  /** @type {number[]} */
  const due = [];
  waiting.forEach((_, id) => push(due, id));
  each(due, (id) => {
    const entry = waiting.get(id);
    if (!entry) return; // an earlier one has taken it back
    native.cancelAnimationFrame(id);
    try {
      apply(entry.run, window, [stamp]);
    } catch (error) {
      native.reportError(error);
    }
  });
  if (frames.isOwed && !frames.asked) ask();
}

/**
 * Sends the request, and again until it has reached the page: a frame may be drawn before there is anything to draw, and
 * while the compositor animates by itself it may leave the page out until a frame has gone all the way to the screen.
 */
function requestFrame(drawnBefore, code = 'F') {
  time.drawing = now() + RULES.drawing.ms;
  send?.(code);
  native.setTimeout(() => {
    if (frames.drawn === drawnBefore && !state.done) requestFrame(drawnBefore, frames.drawn === 0 ? 'F' : 'D');
  }, frames.drawn === 0 ? 25 : 50);
}

export function watchFrames() {
  const ended = (id) => {
    const entry = waiting.get(id);
    waiting.delete(id);
    if (entry) endStep(entry.step);
  };
  replaceMethod(window, 'requestAnimationFrame', (call, self, args) => {
    const callback = args[0];
    if (typeof callback !== 'function') return call();
    askCallbacks(); // before the callback is registered, see there
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
    waiting.set(id, { run, step: addStep(FRAME_MS, callbacks, true) });
    return id;
  });
  watchMethod(window, 'cancelAnimationFrame', (_, self, args) => ended(args[0]));

  each(['scrollTo', 'scrollBy', 'scroll'], (name) => {
    watchMethod(window, name, askFrame);
    watchMethod(Element.prototype, name, askFrame);
  });
  watchMethod(Element.prototype, 'scrollIntoView', askFrame);
}
