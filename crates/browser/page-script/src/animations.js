// Animations and transitions are at their end in a snapshot: what fades in is there, what waits for the end goes on.
// `ready.js` calls `finishAnimations` once the page is quiet. Those without an end are left alone.

import { later } from './alarms.js';
import { FRAME_MS, askFrame } from './animation_frames.js';
import { query, queryAll, timeline } from './intrinsics/dom.js';
import { KeptSet, KeptWeakSet, each, getter, isFinite, keys, max, method, min, push, setter, some, startsWith } from './intrinsics/language.js';
import { quietly, watchClass, watchMethod, watchSetter } from './hooks.js';
import { listened } from './listeners.js';
import { native } from './native.js';
import { now, time } from './shared.js';
import { shadowRoots } from './state.js';
import { hold, work } from './work.js';

const BRIEF_MS = 50;
const ANIMATION_ROUNDS = 8; // what starts again whenever it ends is left as it is after so many

const { CSSTransition, CSSAnimation } = window;
const ofAnimation = Animation.prototype;
const read = {
  playState: getter(ofAnimation, 'playState'),
  playbackRate: getter(ofAnimation, 'playbackRate'),
  effect: getter(ofAnimation, 'effect'),
  timeline: getter(ofAnimation, 'timeline'),
  currentTime: getter(/** @type {any} */ (ofAnimation), 'currentTime'),
  startTime: getter(ofAnimation, 'startTime'),
};
const setCurrentTime = setter(ofAnimation, 'currentTime');
const setStartTime = setter(ofAnimation, 'startTime');
const finish = method(ofAnimation, 'finish');
const commitStyles = method(ofAnimation, 'commitStyles');
const computedTiming = method(/** @type {any} */ (AnimationEffect.prototype), 'getComputedTiming');
const timeOf = getter(AnimationTimeline.prototype, 'currentTime');
const ofDocument = method(Document.prototype, 'getAnimations');
const ofElement = method(Element.prototype, 'getAnimations');
const ofRoot = method(ShadowRoot.prototype, 'getAnimations');

let rounds = 0;
let left = RULES.animations.ms;
let firstRound = 0;
const told = new KeptWeakSet(); // animations that have ended and had a frame since

const isOfStyleSheet = (animation) => animation instanceof CSSTransition || animation instanceof CSSAnimation;

/** Notes whether anything of the page may depend on the end of an animation. */
export function watchAnimations() {
  time.isAnimated = isAnimatedByScript;
  const used = () => {
    listened.scripts = true;
    askFrame();
  };
  watchMethod(Element.prototype, 'animate', used);
  watchMethod(Element.prototype, 'getAnimations', used);
  watchMethod(Document.prototype, 'getAnimations', used);
  if (window.Animation) watchClass('Animation', used);
  each(['ontransitionend', 'onanimationend'], (name) => watchSetter(HTMLElement.prototype, name, used));
}

/**
 * Returns whether the animations have to be looked at, which costs a pass over all styles.
 *
 * What style sheets animate ends by itself in the snapshot too; it matters here only when a script waits for the end.
 */
function mayAnimate() {
  noteEndHandlers();
  return listened.scripts || listened.ends || (listened.byReact && isReactWaiting());
}

let changesSeen = -1;

/** Handlers may be written as attributes: looked for again when elements have come. */
function noteEndHandlers() {
  if (listened.ends || changesSeen === work.changes) return;
  changesSeen = work.changes;
  listened.ends = query(document, '[onanimationend],[onanimationstart],[ontransitionend],[ontransitionstart],[ontransitionrun]') !== null;
}

/** Returns whether an animation of a script is running: it begins and tells its end when a frame has gone all the way, which takes the browser's own time. */
function isAnimatedByScript() {
  if (!listened.scripts) return false;
  let found = false;
  animations().forEach((animation) =>
    quietly(() => {
      if (isOfStyleSheet(animation) || restOf(animation) === Infinity) return;
      begin(animation);
      found = true;
    }),
  );
  if (found) askFrame(); // it goes on with frames
  return found;
}

/** Returns whether a React component has a handler for the end of an animation. */
function isReactWaiting() {
  let name = '';
  return some(queryAll(document, 'body *'), (element) => {
    if (!name) some(keys(element), (key) => startsWith(key, '__reactProps$') && (name = key));
    const props = name && /** @type {any} */ (element)[name];
    return props && (props.onTransitionEnd || props.onAnimationEnd);
  });
}

/** Every animation of the document and its shadow roots, once. */
function animations() {
  const found = new KeptSet();
  const add = (animation) => found.add(animation);
  quietly(() => each(ofDocument(document), add));
  shadowRoots.forEach((root) => quietly(() => each(ofRoot(root), add)));
  return found;
}

/**
 * Brings every animation that has an end to it. True when there was one.
 *
 * Those of style sheets are ended at once. Those of scripts have their time, when it is short: libraries keep their own
 * clock beside them and start again what ended early. A frame at the end of it is all they need.
 */
export function finishAnimations() {
  if (rounds >= ANIMATION_ROUNDS || !mayAnimate()) return false;
  firstRound ||= now();
  // A carousel goes on for ever: each end begins the next.
  if (now() - firstRound > RULES.animations.ms) return false;
  let found = 0;
  let wait = 0;
  /** @type {Animation[]} */
  const ended = [];
  animations().forEach((animation) =>
    quietly(() => {
      const hasEnded = read.playState(animation) === 'finished';
      const rest = bringToEnd(animation);
      if (rest === null) return;
      if (hasEnded) push(ended, animation);
      found += 1;
      wait = max(wait, rest);
    }),
  );
  if (found === 0) return false;
  rounds += 1;
  left -= wait;
  // Their events are sent with a frame.
  const end = hold('frame', wait + 400);
  later(() => {
    native.requestAnimationFrame(() => {
      each(ended, (animation) => told.add(animation));
      end();
    });
    askFrame();
  }, wait);
  return true;
}

/** Ends what animates an element itself and has an end. */
export function endAnimationsOf(element) {
  each(ofElement(element), (animation) => restOf(animation) < Infinity && finish(animation));
}

/** Returns whether the animations have to be looked at for a time that is skipped. A frame's is not worth the look at React's handlers. */
const mattersDuring = (ms) => (ms < BRIEF_MS ? listened.ends : mayAnimate());

/** The rest of an animation that goes on by itself and has an end; else never. */
function restOf(animation) {
  const rate = read.playbackRate(animation);
  if (read.playState(animation) !== 'running' || !(rate > 0)) return Infinity;
  const effect = read.effect(animation);
  const end = effect && computedTiming(effect).endTime;
  return isFinite(end) ? (end - (+read.currentTime(animation) || 0)) / rate : Infinity;
}

/** Returns the ms until the next end of an animation that the page may hear of, when that is `within` some time. */
export function untilNextEnd(within) {
  let rest = Infinity;
  if (mattersDuring(within)) animations().forEach((animation) => quietly(() => (rest = min(rest, restOf(animation)))));
  return rest + FRAME_MS; // it is told with a frame
}

/** Moves what is animated on by a time that is skipped. */
export function moveAnimations(ms) {
  if (ms < BRIEF_MS && !mattersDuring(ms)) return;
  const clock = timeline(document);
  animations().forEach((animation) =>
    quietly(() => {
      if (read.playState(animation) !== 'running' || read.timeline(animation) !== clock) return;
      setCurrentTime(animation, (+read.currentTime(animation) || 0) + ms * read.playbackRate(animation));
    }),
  );
}

/** A new one of a script waits for the compositor to begin it, which cheap frames may never let it do. */
function begin(animation) {
  if (!isOfStyleSheet(animation) && read.startTime(animation) === null) setStartTime(animation, timeOf(timeline(document)));
}

/** Returns the ms until the end of an animation, 0 when it has ended; null for an animation that needs nothing. */
function bringToEnd(animation) {
  const state = read.playState(animation);
  if (state === 'finished' && !told.has(animation)) {
    begin(animation); // one without a length is at its end before it has begun, and tells nobody
    return 0; // its event comes with the next frame, which a busy machine may draw late
  }
  const rest = restOf(animation);
  if (rest === Infinity || read.timeline(animation) !== timeline(document)) return null;
  if (isOfStyleSheet(animation) || rest > left) {
    finish(animation);
    return 0;
  }
  begin(animation);
  return rest + FRAME_MS;
}

/** Writes the end state that only a finished script animation holds into the element's own style. */
export function keepAnimatedStyles() {
  if (!listened.scripts) return;
  animations().forEach((animation) => {
    if (!isOfStyleSheet(animation) && read.playState(animation) === 'finished') quietly(() => commitStyles(animation));
  });
}
