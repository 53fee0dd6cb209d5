// Skips time: while nothing but timers, frames and animations of style sheets is pending, nobody needs to wait for their time to come.
// The tab is asked each time, because a module that is being imported is seen only there. See docs/decisions/0224.
// Must never skip while anything is pending that goes by another clock.

import { moveOn, nextDue } from './alarms.js';
import { moveAnimations, untilNextEnd } from './animations.js';
import { askFrame } from './animation_frames.js';
import { ceil, max, min } from './intrinsics/language.js';
import { native } from './native.js';
import { send } from './options.js';
import { isWaitedFor, whenIdle } from './ready.js';
import { goesByPage, mayGoByPage } from './repetition.js';
import { now, time } from './shared.js';
import { state } from './state.js';
import { work } from './work.js';

const LEAST_MS = 5; // shorter times pass by themselves
// Events that nobody can see coming (a file that is read, a lock) have a share of the time that is skipped, on a busy machine a longer one.
const SHARE = 10;
const PAUSE_MS = 20;
const MAX_PAUSE_MS = 100;

let isConsidering = false;
let wishedAt = -1;

/** Returns a number that grows whenever something happens. */
const happened = () => work.activity + work.changes + time.rings;

const mayConsider = () => !isConsidering && time.alarms.size > 0 && time.drawing <= now() && mayGoByPage();
const maySkip = () => mayConsider() && goesByPage() && isWaitedFor();

/** Wishes to skip time as soon as nothing has happened for a short time. */
export function considerSkipping() {
  if (!mayConsider()) return;
  const rest = nextDue() - now();
  if (rest < LEAST_MS || rest === Infinity) return;
  isConsidering = true;
  const before = happened();
  const wish = () => {
    isConsidering = false;
    if (before !== happened()) return considerSkipping();
    if (!maySkip()) return;
    wishedAt = before;
    send?.('S');
  };
  native.setTimeout(() => whenIdle(wish), max(min(PAUSE_MS, rest / SHARE), min(MAX_PAUSE_MS, 2 * state.late)));
}

/** Skips the time until the next alarm. The tab allows it: nothing is on its way. Not when something has happened since. */
export function skip() {
  if (wishedAt !== happened() || !maySkip()) return;
  const rest = nextDue() - now();
  const untilEnd = untilNextEnd(rest);
  const step = ceil(min(rest, untilEnd));
  if (rest < LEAST_MS || step <= 0) return;
  if (untilEnd <= rest) askFrame();
  moveAnimations(step);
  moveOn(step);
  time.rings += 1;
}
