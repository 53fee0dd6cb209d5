// The beginning: puts every hook in place, in every frame, before any script of the page.

import { watchAnimations } from './animations.js';
import { watchClocks } from './clock.js';
import { watchCookies } from './cookies.js';
import { watchDocument, watchShadowRoots } from './document.js';
import { prepareEnvironment } from './environment.js';
import { watchFlags } from './flags.js';
import { watchFonts } from './fonts.js';
import { tellOfWork, watchForeignFrames } from './foreign_frames.js';
import { watchFrames } from './frames.js';
import { listen } from './hooks.js';
import { watchIdleCallbacks } from './idle_callbacks.js';
import { test } from './intrinsics/language.js';
import { watchListenerTypes } from './listeners.js';
import { watchMedia } from './media.js';
import { watchMessages } from './messages.js';
import { watchObservers } from './observers.js';
import { isTop, options, send } from './options.js';
import { watchPaints } from './paints.js';
import { watchPictures } from './pictures.js';
import { POLL_MS, schedule, watchOrders, writeAtOnce } from './ready.js';
import { watchNavigation } from './redirects.js';
import { watchReopening } from './reopening.js';
import { watchRequests } from './requests.js';
import { watchTraces } from './seal.js';
import { watchStyleSheets } from './sheets.js';
import { state } from './state.js';
import { watchTimers } from './timers.js';
import { isForeign, now, shared, time } from './shared.js';
import { considerSkipping, skip } from './skipping.js';
import { touch, work } from './work.js';

/** What may be pending, in the document and in frames of its origin. */
function watchWork() {
  watchRequests();
  watchTimers();
  watchIdleCallbacks();
  watchMessages();
}

function main() {
  if (options.forbidsScripts) return writeAtOnce();
  prepareEnvironment();
  if (!send) return;
  if (isTop) watchTraces();
  if (isTop || shared) watchClocks();
  watchFrames();
  watchFonts();
  if (!isTop && shared) {
    watchWork();
    watchReopening();
  }
  if (isForeign) {
    watchRequests();
    tellOfWork();
  }
  if (!isTop) return;
  if (!test(/^(https?|blob):$/, location.protocol)) return;
  watchObservers();
  watchListenerTypes();
  watchForeignFrames();
  watchAnimations();
  watchPictures();
  watchMedia();
  watchPaints();
  watchCookies();
  watchWork();
  watchShadowRoots();
  watchStyleSheets();
  watchDocument(document);
  watchFlags(() => schedule(0));
  watchNavigation();
  watchOrders(skip);
  watchReopening();
  work.lastRequest = now();
  work.onActivity = () => {
    schedule(state.quietMs);
    considerSkipping();
  };
  time.onRing = considerSkipping;
  listen(document, 'DOMContentLoaded', () => {
    state.contentLoaded = true;
    work.lastRequest = now();
    touch();
  });
  listen(document, 'readystatechange', touch);
  schedule(POLL_MS);
}

main();
