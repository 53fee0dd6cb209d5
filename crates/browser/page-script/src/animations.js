// Animations and transitions are at their end in a snapshot: faded-in content is visible, and scripts that wait for the end have run.
// `ready.js` calls `finishAnimations` once the page is quiet. Endless animations are not changed.

import { setPageTimeout } from './alarms.js';
import { FRAME_MS, requestFrame } from './animation_frames.js';
import { queryAll, timeline } from './intrinsics/dom.js';
import { SafeSet, SafeWeakSet, each, getters, isFinite, keys, max, methods, min, push, setters, some, startsWith } from './intrinsics/language.js';
import { attempt, watchClass, watchMethod } from './hooks.js';
import { listened } from './listeners.js';
import { native } from './native.js';
import { now, time } from './shared.js';
import { eachTree } from './state.js';
import { hold } from './work.js';

const BRIEF_MS = 50;

const { CSSTransition, CSSAnimation } = window;
const { playState, playbackRate, effect, timeline: timelineOf, currentTime, startTime } = getters(/** @type {any} */ (Animation.prototype));
const { currentTime: setCurrentTime, startTime: setStartTime } = setters(Animation.prototype);
const { finish, commitStyles } = methods(Animation.prototype);
const { getComputedTiming } = methods(/** @type {any} */ (AnimationEffect.prototype));
const { currentTime: timeOf } = getters(AnimationTimeline.prototype);
const { getAnimations: ofDocument } = methods(Document.prototype);
const { getAnimations: ofElement } = methods(Element.prototype);
const { getAnimations: ofRoot } = methods(ShadowRoot.prototype);

let began = 0; // time of the first finish
const dispatched = new SafeWeakSet(); // animations whose end has been followed by a frame

const isCssAnimation = (animation) => animation instanceof CSSTransition || animation instanceof CSSAnimation;

/** Records whether anything of the page may depend on the end of an animation. */
export function watchAnimations() {
  time.isAnimated = isAnimatedByScript;
  const used = () => {
    listened.scripts = true;
    requestFrame();
  };
  watchMethod(Element.prototype, 'animate', used);
  watchMethod(Element.prototype, 'getAnimations', used);
  watchMethod(Document.prototype, 'getAnimations', used);
  watchClass('Animation', used);
}

/** Returns true when a script may wait for the end of an animation: examining animations costs a pass over all styles. */
const mayAnimate = () => listened.scripts || listened.ends || (listened.endsByReact && hasReactEndHandler());

/** Returns true while an animation of a script is running. Starting it and dispatching its end takes full frames and real time. */
function isAnimatedByScript() {
  if (!listened.scripts) return false;
  let found = false;
  animations().forEach((animation) =>
    attempt(() => {
      if (isCssAnimation(animation) || remainingMs(animation) === Infinity) return;
      startNow(animation);
      found = true;
    }),
  );
  if (found) requestFrame(); // an animation proceeds with frames
  return found;
}

/** Returns true when a React component has a handler for the end of an animation. */
function hasReactEndHandler() {
  let name = '';
  return some(queryAll(document, 'body *'), (element) => {
    if (!name) some(keys(element), (key) => startsWith(key, '__reactProps$') && (name = key));
    const props = name && /** @type {any} */ (element)[name];
    return props && (props.onTransitionEnd || props.onAnimationEnd);
  });
}

/** Returns the animations of the document and its shadow roots. */
function animations() {
  const found = new SafeSet();
  eachTree((tree) => attempt(() => each(tree === document ? ofDocument(tree) : ofRoot(tree), (animation) => found.add(animation))));
  return found;
}

/**
 * Brings every finite animation to its end. Returns true when there was one.
 *
 * Animations of style sheets are finished at once. Short ones of scripts run to their end, since libraries keep their own time and restart what
 * ended early; one frame at the end is enough.
 */
export function finishAnimations() {
  if (!mayAnimate()) return false;
  began ||= now();
  const left = RULES.animations.ms - (now() - began);
  if (left < 0) return false; // endless carousels start an animation at each end
  let wait = -1;
  /** @type {Animation[]} */
  const ended = [];
  animations().forEach((animation) =>
    attempt(() => {
      if (playState(animation) === 'finished') push(ended, animation);
      wait = max(wait, endOrAwait(animation, left));
    }),
  );
  if (wait < 0) return false;
  // A frame dispatches the events of animations.
  const end = hold('frame', wait + 400);
  setPageTimeout(() => {
    native.requestAnimationFrame(() => {
      each(ended, (animation) => dispatched.add(animation));
      end();
    });
    requestFrame();
  }, wait);
  return true;
}

/** Finishes the finite animations of an element itself. */
export function endAnimationsOf(element) {
  each(ofElement(element), (animation) => remainingMs(animation) < Infinity && finish(animation));
}

/** Returns true when the animations have to be examined before a skip. React's handlers are not examined for the time of one frame. */
const mayEndDuring = (ms) => (ms < BRIEF_MS ? listened.ends : mayAnimate());

const timePassed = (animation) => +currentTime(animation) || 0;

/** Returns the ms to the end of a running finite animation, Infinity for others. */
function remainingMs(animation) {
  const rate = playbackRate(animation);
  if (playState(animation) !== 'running' || !(rate > 0)) return Infinity;
  const end = effect(animation) && getComputedTiming(effect(animation)).endTime;
  return isFinite(end) ? (end - timePassed(animation)) / rate : Infinity;
}

/** Returns the ms to the next end of an animation that the page may listen to, for a skip of at most `within` ms. */
export function msUntilNextEnd(within) {
  let remaining = Infinity;
  if (mayEndDuring(within)) animations().forEach((animation) => attempt(() => (remaining = min(remaining, remainingMs(animation)))));
  return remaining + FRAME_MS; // the event is dispatched with a frame
}

/** Advances the animations by skipped time. */
export function advanceAnimations(ms) {
  if (ms < BRIEF_MS && !mayEndDuring(ms)) return;
  const clock = timeline(document);
  animations().forEach((animation) =>
    attempt(() => {
      if (playState(animation) !== 'running' || timelineOf(animation) !== clock) return;
      setCurrentTime(animation, timePassed(animation) + ms * playbackRate(animation));
    }),
  );
}

/** Starts a new animation of a script, which otherwise waits for the compositor and never starts with cheap frames. */
function startNow(animation) {
  if (!isCssAnimation(animation) && startTime(animation) === null) setStartTime(animation, timeOf(timeline(document)));
}

/** Ends an animation. Returns the ms until its end, 0 when it has ended, -1 for an animation that needs nothing. */
function endOrAwait(animation, left) {
  if (playState(animation) === 'finished' && !dispatched.has(animation)) {
    startNow(animation); // one without a length has ended before it began, and dispatches nothing
    return 0; // the event is dispatched with the next frame, which can be late on a loaded machine
  }
  const remaining = remainingMs(animation);
  if (remaining === Infinity || timelineOf(animation) !== timeline(document)) return -1;
  if (isCssAnimation(animation) || remaining > left) {
    finish(animation);
    return 0;
  }
  startNow(animation);
  return remaining + FRAME_MS;
}

/** Writes the final styles of finished script animations into the elements' style attributes. */
export function commitAnimatedStyles() {
  if (!listened.scripts) return;
  animations().forEach((animation) => {
    if (!isCssAnimation(animation) && playState(animation) === 'finished') attempt(() => commitStyles(animation));
  });
}
