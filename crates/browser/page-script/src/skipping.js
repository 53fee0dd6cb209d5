// Skips time while only timers, frames and animations of style sheets are pending.
// The tab has to permit each skip, since only it sees modules that are being imported. See docs/decisions/0224.
// Must never skip while anything is pending that does not follow the page's clock.

import { advanceClock, nextDue } from './alarms.js';
import { advanceAnimations, msUntilNextEnd } from './animations.js';
import { requestFrame } from './animation_frames.js';
import { ceil, max, min } from './intrinsics/language.js';
import { native } from './native.js';
import { send } from './options.js';
import { isAwaited, whenIdle } from './ready.js';
import { isOnPageTime, mayBeOnPageTime } from './repetition.js';
import { now, time } from './shared.js';
import { state } from './state.js';
import { work } from './work.js';

const LEAST_MS = 5; // shorter times are not skipped
// Unpredictable events (a file that was read, a lock) get a share of the skipped time in real time, more on a loaded machine.
const SHARE = 10;
const PAUSE_MS = 20;
const MAX_PAUSE_MS = 100;

let isConsidering = false;
let requestedAt = -1;

/** Returns a number that grows with every activity. */
const activityCount = () => work.activity + work.changes + time.firedAlarms;

const mayConsider = () => !isConsidering && time.alarms.size > 0 && time.drawing <= now() && mayBeOnPageTime();
const maySkip = () => mayConsider() && isOnPageTime() && isAwaited();

/** Requests a skip after a short time without activity. */
export function considerSkipping() {
  if (!mayConsider()) return;
  const remaining = nextDue() - now();
  if (remaining < LEAST_MS || remaining === Infinity) return;
  isConsidering = true;
  const before = activityCount();
  const request = () => {
    isConsidering = false;
    if (before !== activityCount()) return considerSkipping();
    if (!maySkip()) return;
    requestedAt = before;
    send?.('S');
  };
  native.setTimeout(() => whenIdle(request), max(min(PAUSE_MS, remaining / SHARE), min(MAX_PAUSE_MS, 2 * state.lagMs)));
}

/** Skips to the next alarm, with the permission of the tab, unless something has happened since the request. */
export function skip() {
  if (requestedAt !== activityCount() || !maySkip()) return;
  const remaining = nextDue() - now();
  const untilEnd = msUntilNextEnd(remaining);
  const step = ceil(min(remaining, untilEnd));
  if (remaining < LEAST_MS || step <= 0) return;
  if (untilEnd <= remaining) requestFrame();
  advanceAnimations(step);
  advanceClock(step);
  time.firedAlarms += 1;
}
