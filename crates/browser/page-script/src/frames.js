// Frames on demand. With begin-frame control the browser draws nothing unless asked: whatever waits for a frame asks here.
// Of callbacks that ask for one after the other, most are called without one. See docs/decisions/0298.
// Must never lose a request for a frame, and never keep the page waiting for callbacks that go on for ever.

import { later, moveOn, nextDue } from './alarms.js';
import { listen, replaceMethod, watchMethod } from './hooks.js';
import { readyState } from './intrinsics/dom.js';
import { KeptMap, apply, each, max, min, push, soon, then } from './intrinsics/language.js';
import { listened } from './listeners.js';
import { native } from './native.js';
import { goesByPage, isMatterOfTime } from './only_time.js';
import { options, send } from './options.js';
import { addPoll, removePoll } from './polls.js';
import { state } from './state.js';
import { hold, work } from './work.js';
import { now, time } from './shared.js';

export const FRAME_MS = 16;
// Callbacks that only count frames ("after 60 of them") get theirs faster than a screen has them, until they look endless.
const COUNTING_MS = 4;
const FIRST_DRAWN = 8; // all of them
// Of later ones, one of so many.
const DRAWN_OF = 4;
const DRAWN_OF_COUNTED = 10;
const IDLING_MS = 120;

export const frames = {
  asked: false,
  isLight: false, // the one that is asked for only calls back
  isOwed: false, // one has to be drawn
  light: 0, // frames in a row that only called back
  drawn: 0,
  lastDrawn: 0,
  changesWhenDrawn: -1,
  unproductive: 0, // frames in a row in which callbacks ran and nothing changed
  lastProductive: 0,
  chainBegan: 0,
  requestOfChain: 0,
};

/** From here on callbacks have their whole time again, but for `spent` frames. */
export function beginChain(spent = 0) {
  frames.chainBegan = now();
  frames.lastProductive = frames.chainBegan;
  frames.unproductive = min(frames.unproductive, spent);
}

/** The same after a step of ours: what is idle by then hardly begins to count because of it. */
export const resumeChain = () => beginChain(RULES.idleFrames.times * 0.75);

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
  frames.isLight = mayBeLight();
  if (frames.isLight) {
    askLight();
    return;
  }
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
    listen(document, 'readystatechange', () => requestFrame(frames.drawn), { once: true });
    return;
  }
  const wait = untilPace(drawnPace());
  if (wait > 1) later(() => requestFrame(frames.drawn), wait);
  else requestFrame(frames.drawn);
}

function noteFrame() {
  frames.drawn += 1;
  frames.lastDrawn = now();
}

/** How long it is until so much time has passed since the last frame. */
const untilPace = (pace) => max(0, pace - (now() - frames.lastDrawn));

const isCounting = () => frames.unproductive > 10;

/** The first frames come at once (two nested callbacks are a common "after paint"), later ones at the pace of a screen, slower while they lead to nothing. */
function drawnPace() {
  if (frames.drawn < FIRST_DRAWN) return 0;
  if (frames.unproductive > RULES.idleFrames.times) return IDLING_MS;
  return isCounting() && (time.isElsewhere || listened.scripts || listened.ends) ? COUNTING_MS : FRAME_MS;
}

/** Whether callbacks can do without drawing this time: nothing but a frame to call them waits for it. Animations of scripts begin and end when one is drawn. */
function mayBeLight() {
  if (!goesByPage() || frames.isOwed || frames.drawn < FIRST_DRAWN || frames.unproductive > RULES.idleFrames.times) return false;
  return frames.light < (isCounting() ? DRAWN_OF_COUNTED : DRAWN_OF) - 1;
}

/** The time until the next frame is skipped here: asking the tab each time costs more than the frame. */
function askLight() {
  if (native.postTask && canSkipFrame()) then(native.postTask(skipFrame), () => {}, () => {});
  else later(callBack, untilPace(FRAME_MS)); // never at once: who asks has not begun to wait
}

/** Not past anything that is to happen before, and where the end of an animation is listened to that would be left behind. */
const canSkipFrame = () => goesByPage() && !listened.ends && isMatterOfTime() && nextDue() - now() > FRAME_MS;

function skipFrame() {
  if (canSkipFrame()) moveOn(FRAME_MS);
  callBack();
}

/**
 * Callbacks that wait for a frame, by their number.
 * @type {Map<number, { end?: () => void, poll: import('./polls.js').Poll, run: (stamp: number) => void }>}
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

/** Callbacks that draw on a canvas or follow the pointer go on for ever: they count while they change the page, or are few. */
function mayHold(isFirst) {
  const moment = now();
  if (frames.requestOfChain !== work.lastRequest || (isFirst && moment - frames.lastDrawn > RULES.frameGap.ms)) {
    frames.requestOfChain = work.lastRequest;
    beginChain();
  }
  const isProductive = frames.unproductive < RULES.idleFrames.times && moment - frames.lastProductive < RULES.countedFrames.ms;
  return isProductive && moment - frames.chainBegan < RULES.frameChain.ms;
}

/** Notes, once mutation records have arrived, whether a callback has changed anything. */
function judge(changesBefore) {
  frames.unproductive = work.changes === changesBefore ? frames.unproductive + 1 : 0;
  if (frames.unproductive === 0) frames.lastProductive = now();
}

export function watchFrames() {
  const ended = (id) => {
    const entry = waiting.get(id);
    waiting.delete(id);
    if (entry) removePoll(entry.poll);
    return entry?.end;
  };
  replaceMethod(window, 'requestAnimationFrame', (call, self, args) => {
    const callback = args[0];
    if (typeof callback !== 'function') return call();
    askCallbacks(); // before the callback is registered, see there
    if (!options.frames) time.drawing = now() + RULES.drawing.ms;
    const poll = addPoll(FRAME_MS);
    let id = 0;
    const run = /** @this {unknown} */ function (stamp) {
      const end = ended(id);
      if (!options.frames) time.drawing = 0;
      const before = work.changes;
      try {
        return apply(callback, this, [stamp + time.skipped]);
      } finally {
        soon(() => judge(before));
        end?.();
      }
    };
    id = call([run]);
    // Long enough for another tab's page to keep the one that draws waiting.
    waiting.set(id, { poll, run, end: mayHold(waiting.size === 0) ? hold('frame', RULES.frame.ms) : undefined });
    return id;
  });
  watchMethod(window, 'cancelAnimationFrame', (_, self, args) => ended(args[0])?.());

  each(['scrollTo', 'scrollBy', 'scroll'], (name) => {
    watchMethod(window, name, askFrame);
    watchMethod(Element.prototype, name, askFrame);
  });
  watchMethod(Element.prototype, 'scrollIntoView', askFrame);
}
