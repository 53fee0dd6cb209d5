// Whether the page goes by its own clock alone, so that time can be skipped. Used by what skips time, and by frames.

import { ALARMS } from './alarms.js';
import { readyState } from './intrinsics/dom.js';
import { getter, test } from './intrinsics/language.js';
import { listened } from './listeners.js';
import { options } from './options.js';
import { now, time } from './shared.js';
import { state } from './state.js';
import { isHeld } from './work.js';

const lengthOfWindow = getter(window, 'length');

/** Whether all that has a part in the page is known to this script. */
export function goesByPage() {
  if (state.done || state.leaving || time.isElsewhere || time.asked > 0 || time.skipped > options.hardMs) return false;
  if (readyState(document) !== 'complete' || time.alarms.size > ALARMS) return false;
  // Animations of scripts begin and tell their end when a frame has gone all the way, which takes the browser's own time.
  return !listened.scripts && lengthOfWindow(window) <= time.frames;
}

/** Whether what is pending is a matter of time. */
export function isMatterOfTime() {
  const present = now();
  return !isHeld((kind, { until }) => !test(/^(timer|unlikely|frame)$/, kind) && until > present);
}
