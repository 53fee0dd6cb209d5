// Animations and transitions are at their end in a snapshot: what fades in is there, what waits for the end goes on.
// `ready.js` calls `finishAnimations` once the page is quiet. Those without an end are left alone.

const ANIMATION_ROUNDS = 8; // what starts again whenever it ends is left as it is after so many

let animationRounds = 0;
const told = new WeakSet(); // animations that have ended and had a frame since
let animationTime = 2500; // ms that are spent on animations of scripts
const listened = { scripts: false, ends: false, byReact: false, navigation: false, messages: false };

/** Whether anything of the page may depend on the end of an animation. */
function watchAnimations() {
  const used = () => {
    listened.scripts = true;
    askFrame();
  };
  watchMethod(Element.prototype, 'animate', used);
  watchMethod(Element.prototype, 'getAnimations', used);
  watchMethod(Document.prototype, 'getAnimations', used);
  if (window.Animation) watchClass('Animation', used);
  for (const name of ['ontransitionend', 'onanimationend']) watchProperty(HTMLElement.prototype, name, { set: used });
}

/** Notes listeners that matter: scrolling, ends of transitions and animations, what frames say, the end of the document. */
function watchListenerTypes() {
  const note = (target, type, init) => {
    if (init && ENDINGS.includes(type)) {
      silenceEndings();
    } else if (type === 'scroll') {
      if (target === window || target === document || target === undefined) scrollListeners += 1;
    } else if (type === 'navigate') {
      listened.navigation = true;
    } else if (type === 'message') {
      listened.messages ||= target === window || target === undefined;
    } else if (!listened.ends && typeof type === 'string' && /(transition|animation)end$/i.test(type)) {
      // React listens to everything at its root, whether a component cares or not.
      if (Object.keys(target || {}).some((key) => key.startsWith('_reactListening'))) listened.byReact = true;
      else listened.ends = true;
    }
  };
  watchProperty(window, 'onmessage', { set: () => (listened.messages = true) });
  replaceMethod(EventTarget.prototype, 'addEventListener', (call, target, args) => {
    quietly(() => note(target, args[0], args[2]));
    return call();
  });
}

/**
 * Whether the animations have to be looked at, which costs a pass over all styles.
 *
 * What style sheets animate ends by itself in the snapshot too; it matters here only when a script waits for the end.
 */
function mayAnimate() {
  return listened.scripts || listened.ends || (listened.byReact && isReactWaiting());
}

/** Whether a React component has a handler for the end of an animation. */
function isReactWaiting() {
  let name;
  for (const element of document.querySelectorAll('body *')) {
    name ??= Object.keys(element).find((key) => key.startsWith('__reactProps$'));
    const props = name && element[name];
    if (props && (props.onTransitionEnd || props.onAnimationEnd)) return true;
  }
  return false;
}

function animations() {
  const found = new Set();
  for (const root of [document, ...shadowRoots]) {
    const list = quietly(() => native.apply(native.getAnimations, root, []));
    for (const animation of list || []) found.add(animation);
  }
  return found;
}

/**
 * Brings every animation that has an end to it. True when there was one.
 *
 * Those of style sheets are ended at once. Those of scripts have their time, when it is short: libraries keep their own
 * clock beside them and start again what ended early. A frame at the end of it is all they need.
 */
function finishAnimations() {
  if (animationRounds >= ANIMATION_ROUNDS || !mayAnimate()) return false;
  let found = 0;
  let wait = 0;
  for (const animation of animations()) {
    quietly(() => {
      if (animation.playState === 'finished' && !told.has(animation)) {
        told.add(animation); // its event comes with the next frame
        found += 1;
      }
      if (animation.playState !== 'running' || !(animation.playbackRate > 0)) return;
      const end = animation.effect?.getComputedTiming().endTime;
      if (animation.timeline !== document.timeline || !Number.isFinite(end)) return;
      const left = (end - (Number(animation.currentTime) || 0)) / animation.playbackRate;
      const isScripts = !(animation instanceof CSSTransition) && !(animation instanceof CSSAnimation);
      if (isScripts && left <= animationTime) {
        // A new one waits for the compositor to begin it, which cheap frames may never let it do.
        if (animation.startTime === null) animation.startTime = document.timeline.currentTime;
        wait = Math.max(wait, left + FRAME_MS);
      } else {
        animation.finish();
      }
      found += 1;
    });
  }
  if (found === 0) return false;
  animationRounds += 1;
  animationTime -= wait;
  // Their events are sent with a frame.
  const end = hold('frame', wait + 400);
  native.setTimeout(() => {
    native.requestAnimationFrame(() => end());
    askFrame();
  }, wait);
  return true;
}

/** Writes the end state that only a finished script animation holds into the element's own style. */
function keepAnimatedStyles() {
  if (!listened.scripts) return;
  for (const animation of animations()) {
    if (animation instanceof CSSTransition || animation instanceof CSSAnimation || animation.playState !== 'finished') continue;
    quietly(() => animation.commitStyles());
  }
}
