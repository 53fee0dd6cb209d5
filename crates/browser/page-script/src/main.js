// Entry point: installs all hooks in every frame, before any script of the page.

import { watchAnimations } from './animations.js';
import { watchClocks } from './clock.js';
import { watchDocument, watchReopening, watchShadowRoots } from './document.js';
import { prepareEnvironment } from './environment.js';
import { watchFrames } from './animation_frames.js';
import { test } from './intrinsics/language.js';
import { listen } from './hooks.js';
import { watchObservers } from './intersections.js';
import { watchListenerTypes } from './listeners.js';
import { watchMessages } from './messages.js';
import { isTop, options, send } from './options.js';
import { POLL_MS, schedule, watchOrders, writeAtOnce } from './ready.js';
import { watchNavigation } from './redirects.js';
import { watchRequests } from './requests.js';
import { watchStorage } from './deactivation.js';
import { isForeign, shared, time } from './shared.js';
import { watchStyleSheets } from './sheets.js';
import { considerSkipping, skip } from './skipping.js';
import { state, watchFlags } from './state.js';
import { reportWork, watchForeignFrames } from './subframes.js';
import { watchTimers } from './timers.js';
import { watchFonts, watchMedia } from './unfetched.js';
import { recordActivity, work } from './work.js';

/** Follows pending work in the document and in frames of its origin. */
function watchWork() {
  watchRequests();
  watchTimers();
  watchMessages();
}

function main() {
  if (options.forbidsScripts) return writeAtOnce();
  prepareEnvironment();
  if (!send) return;
  if (isTop) watchStorage();
  if (isTop || shared) watchClocks();
  watchFrames();
  watchFonts();
  if (!isTop && shared) {
    watchWork();
    watchReopening();
  }
  if (isForeign) {
    watchRequests();
    reportWork();
  }
  if (!isTop) return;
  if (!test(/^(https?|blob):$/, location.protocol)) return;
  watchObservers();
  watchListenerTypes();
  watchForeignFrames();
  watchAnimations();
  watchMedia();
  watchWork();
  watchShadowRoots();
  watchStyleSheets();
  watchDocument(document);
  watchFlags(() => schedule(0));
  watchNavigation();
  watchOrders(skip);
  watchReopening();
  work.onActivity = () => {
    schedule(state.quietMs);
    considerSkipping();
  };
  time.onAlarm = considerSkipping;
  listen(document, 'DOMContentLoaded', () => {
    state.contentLoaded = true;
    recordActivity();
  });
  listen(document, 'readystatechange', recordActivity);
  schedule(POLL_MS);
}

main();
