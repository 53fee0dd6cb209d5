// Animations and transitions are at their end in a snapshot: faded-in content is visible, and scripts that wait for the end have run.
// `ready.js` calls `finishAnimations` once the page is quiet. Endless animations are not changed.

import { setPageTimeout } from './alarms.js';
import { FRAME_MS, requestFrame } from './animation_frames.js';
import { query, queryAll, timeline } from './intrinsics/dom.js';
import { SafeSet, SafeWeakSet, each, getter, isFinite, keys, max, method, min, push, setter, some, startsWith } from './intrinsics/language.js';
import { attempt, watchClass, watchMethod, watchSetter } from './hooks.js';
import { listened } from './listeners.js';
import { native } from './native.js';
import { now, time } from './shared.js';
import { shadowRoots } from './state.js';
import { hold, work } from './work.js';

const BRIEF_MS = 50;
const ANIMATION_ROUNDS = 8; // an animation that restarts at each end is left after so many rounds

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
let budgetMs = RULES.animations.ms;
let firstRound = 0;
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
  if (window.Animation) watchClass('Animation', used);
  each(['ontransitionend', 'onanimationend'], (name) => watchSetter(HTMLElement.prototype, name, used));
}

/**
 * Returns true when the animations have to be examined, which costs a pass over all styles.
 *
 * Animations of style sheets end by themselves in the snapshot too; they matter only when a script waits for the end.
 */
function mayAnimate() {
  findEndHandlers();
  return listened.scripts || listened.ends || (listened.endsByReact && hasReactEndHandler());
}

let changesSeen = -1;

/** Looks for handlers in attributes, again when elements were added. */
function findEndHandlers() {
  if (listened.ends || changesSeen === work.changes) return;
  changesSeen = work.changes;
  listened.ends = query(document, '[onanimationend],[onanimationstart],[ontransitionend],[ontransitionstart],[ontransitionrun]') !== null;
}

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
  const add = (animation) => found.add(animation);
  attempt(() => each(ofDocument(document), add));
  shadowRoots.forEach((root) => attempt(() => each(ofRoot(root), add)));
  return found;
}

/**
 * Brings every finite animation to its end. Returns true when there was one.
 *
 * Animations of style sheets are finished at once. Short ones of scripts run to their end, since libraries keep their own time and restart what
 * ended early; one frame at the end is enough.
 */
export function finishAnimations() {
  if (rounds >= ANIMATION_ROUNDS || !mayAnimate()) return false;
  firstRound ||= now();
  // Endless carousels start an animation at each end.
  if (now() - firstRound > RULES.animations.ms) return false;
  let found = 0;
  let wait = 0;
  /** @type {Animation[]} */
  const ended = [];
  animations().forEach((animation) =>
    attempt(() => {
      const hasEnded = read.playState(animation) === 'finished';
      const remaining = endOrAwait(animation);
      if (remaining === null) return;
      if (hasEnded) push(ended, animation);
      found += 1;
      wait = max(wait, remaining);
    }),
  );
  if (found === 0) return false;
  rounds += 1;
  budgetMs -= wait;
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

/** Returns the ms to the end of a running finite animation, Infinity for others. */
function remainingMs(animation) {
  const rate = read.playbackRate(animation);
  if (read.playState(animation) !== 'running' || !(rate > 0)) return Infinity;
  const effect = read.effect(animation);
  const end = effect && computedTiming(effect).endTime;
  return isFinite(end) ? (end - (+read.currentTime(animation) || 0)) / rate : Infinity;
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
      if (read.playState(animation) !== 'running' || read.timeline(animation) !== clock) return;
      setCurrentTime(animation, (+read.currentTime(animation) || 0) + ms * read.playbackRate(animation));
    }),
  );
}

/** Starts a new animation of a script, which otherwise waits for the compositor and never starts with cheap frames. */
function startNow(animation) {
  if (!isCssAnimation(animation) && read.startTime(animation) === null) setStartTime(animation, timeOf(timeline(document)));
}

/** Ends an animation. Returns the ms until its end, 0 when it has ended, null for an animation that needs nothing. */
function endOrAwait(animation) {
  const state = read.playState(animation);
  if (state === 'finished' && !dispatched.has(animation)) {
    startNow(animation); // one without a length has ended before it began, and dispatches nothing
    return 0; // the event is dispatched with the next frame, which can be late on a loaded machine
  }
  const remaining = remainingMs(animation);
  if (remaining === Infinity || read.timeline(animation) !== timeline(document)) return null;
  if (isCssAnimation(animation) || remaining > budgetMs) {
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
    if (!isCssAnimation(animation) && read.playState(animation) === 'finished') attempt(() => commitStyles(animation));
  });
}
