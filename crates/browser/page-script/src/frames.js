// Frames on demand. With begin-frame control the browser draws nothing unless asked: whatever waits for a frame asks here.
// Must never lose a request for a frame, and never keep the page waiting for callbacks that go on for ever.

import RULES from '../rules.json';
import { later } from './alarms.js';
import { listen, replaceMethod, watchMethod } from './hooks.js';
import { readyState } from './intrinsics/dom.js';
import { KeptMap, apply, each, resolved, then } from './intrinsics/language.js';
import { listened } from './listeners.js';
import { native } from './native.js';
import { options, send } from './options.js';
import { addPoll, removePoll } from './polls.js';
import { state } from './state.js';
import { hold, work } from './work.js';
import { now, time } from './shared.js';

export const FRAME_MS = 16;
// Callbacks that only count frames ("after 60 of them") get theirs faster than a screen has them, until they look endless.
const COUNTED_FRAMES = 120;
const COUNTING_MS = 4;
const COUNTED_AT_ONCE = 10; // and then the time that a screen would have taken for them, which is skipped where it can be
const IDLING_MS = 120;
const DRAWING_MS = 300; // a frame that takes longer comes when it comes

export const frames = {
  asked: false,
  drawn: 0,
  lastDrawn: 0,
  changesWhenDrawn: -1,
  unproductive: 0, // frames in a row in which callbacks ran and nothing changed
  lastProductive: 0,
  chainBegan: 0,
  requestOfChain: 0,
};

/** From here on callbacks have their whole time again. */
export function beginChain() {
  frames.chainBegan = now();
  frames.lastProductive = frames.chainBegan;
  frames.unproductive = 0;
}

/** Asks for one frame. Any number of calls before it is drawn are one request. */
export function askFrame() {
  if (!options.frames || !send || frames.asked) return;
  frames.asked = true;
  // What runs first in a frame notes that it was drawn: whatever asks after that asks for the next one.
  native.requestAnimationFrame(() => {
    frames.asked = false;
    time.drawing = 0;
    frames.drawn += 1;
    frames.lastDrawn = now();
    frames.changesWhenDrawn = work.changes;
  });
  if (readyState(document) === 'loading') {
    // Nothing is drawn before the document has a body; asking earlier would be in vain.
    listen(document, 'readystatechange', () => requestFrame(frames.drawn), { once: true });
    return;
  }
  // The first frames at once (two nested callbacks are a common "after paint"), later ones at the pace of a screen,
  // slower while they lead to nothing.
  const isIdling = frames.unproductive > COUNTED_FRAMES;
  const pace = frames.drawn < 8 ? 0 : isIdling ? IDLING_MS : frames.unproductive > 10 ? countingPace() : FRAME_MS;
  const wait = pace - (now() - frames.lastDrawn);
  if (wait > 1) later(() => requestFrame(frames.drawn), wait);
  else requestFrame(frames.drawn);
}

function countingPace() {
  const goesByBrowser = time.isElsewhere || listened.scripts;
  return goesByBrowser || frames.unproductive % COUNTED_AT_ONCE > 0 ? COUNTING_MS : COUNTED_AT_ONCE * (FRAME_MS - COUNTING_MS) + COUNTING_MS;
}

/**
 * Sends the request, and again until it has reached the page: a frame may be drawn before there is anything to draw, and
 * while the compositor animates by itself it may leave the page out until a frame has gone all the way to the screen.
 */
function requestFrame(drawnBefore, code = 'F') {
  time.drawing = now() + DRAWING_MS;
  send?.(code);
  native.setTimeout(() => {
    if (frames.drawn === drawnBefore && !state.done) requestFrame(drawnBefore, frames.drawn === 0 ? 'F' : 'D');
  }, frames.drawn === 0 ? 25 : 50);
}

/** Callbacks that draw on a canvas or follow the pointer go on for ever: they count while they change the page, or are few. */
function mayHold(isFirst) {
  const moment = now();
  if (frames.requestOfChain !== work.lastRequest || (isFirst && moment - frames.lastDrawn > 500)) {
    frames.requestOfChain = work.lastRequest;
    beginChain();
  }
  const isProductive = frames.unproductive < COUNTED_FRAMES && moment - frames.lastProductive < RULES.countedFrames.ms;
  return isProductive && moment - frames.chainBegan < RULES.frameChain.ms;
}

/** Notes, once mutation records have arrived, whether a callback has changed anything. */
function judge(changesBefore) {
  frames.unproductive = work.changes === changesBefore ? frames.unproductive + 1 : 0;
  if (frames.unproductive === 0) frames.lastProductive = now();
}

export function watchFrames() {
  /** @type {Map<number, { end?: () => void, poll: import('./polls.js').Poll }>} */
  const waiting = new KeptMap();
  const ended = (id) => {
    const entry = waiting.get(id);
    waiting.delete(id);
    if (entry) removePoll(entry.poll);
    return entry?.end;
  };
  replaceMethod(window, 'requestAnimationFrame', (call, self, args) => {
    const callback = args[0];
    if (typeof callback !== 'function') return call();
    askFrame(); // before the callback is registered, see there
    if (!options.frames) time.drawing = now() + DRAWING_MS;
    const poll = addPoll(FRAME_MS);
    let id = 0;
    const run = /** @this {unknown} */ function (stamp) {
      const end = ended(id);
      if (!options.frames) time.drawing = 0;
      const before = work.changes;
      try {
        return apply(callback, this, [stamp + time.skipped]);
      } finally {
        then(resolved(), () => judge(before));
        end?.();
      }
    };
    id = call([run]);
    // Long enough for another tab's page to keep the one that draws waiting.
    waiting.set(id, { poll, end: mayHold(waiting.size === 0) ? hold('frame', RULES.frame.ms) : undefined });
    return id;
  });
  watchMethod(window, 'cancelAnimationFrame', (_, self, args) => ended(args[0])?.());

  each(['scrollTo', 'scrollBy', 'scroll'], (name) => {
    watchMethod(window, name, askFrame);
    watchMethod(Element.prototype, name, askFrame);
  });
  watchMethod(Element.prototype, 'scrollIntoView', askFrame);
}
