// Decides when the page is ready, and reports it: at once when the page says so itself, else when it is loaded, nothing is
// pending, the DOM has been quiet for a short time and the event loop is idle. An early exit, never a fixed wait.
// Must never wait past `options.hardMs`, and never report a page that a script is about to leave.

const STILL_MS = 4000; // something hangs, but the page has been still for so long
const LOADING_QUIET_MS = 400; // quiet of a page whose `load` event has not come (a frame that hangs)
const POLL_MS = 50;
const BUSY = '[aria-busy="true"],[role="progressbar"],[class*="skeleton" i],[class*="spinner" i],[class*="loading" i],[class*="loader" i]';

const UNFINISHED_LENGTH = 150; // characters of visible text; the smallest of real pages have more
const BLANK_QUIET_MS = 250;
const IMPORT_QUIET_MS = 80;

const state = { done: false, leaving: false, contentLoaded: false, timer: 0, due: Infinity, confirming: false, quietMs: options.quietMs, late: 0 };
const requestedPath = comparablePath(location.href);
const requestedUrl = location.href;

function report(message) {
  send(native.stringify({ ...message, nonce: options.nonce }));
}

/** Looks again in `ms`, or earlier when that is planned already. */
function schedule(ms) {
  const due = native.now() + ms;
  if (state.done || state.leaving || due >= state.due - 1) return;
  native.clearTimeout(state.timer);
  state.due = due;
  state.timer = native.setTimeout(look, ms);
}

function look() {
  if (state.due < Infinity) state.late = Math.max(state.late * 0.8, native.now() - state.due);
  state.due = Infinity;
  if (state.done || state.leaving || state.confirming) return;
  if (native.now() >= options.hardMs) return finish('timeout');
  if (readFlag() === true) return confirm(2, 'flag');
  if (isSettled()) return confirm(3, 'quiet');
  if (isStill()) return finish('still');
  const quiet = native.now() - work.last;
  schedule(Math.max(1, Math.min(POLL_MS, isPending() || quiet >= state.quietMs ? POLL_MS : state.quietMs - quiet)));
}

function isSettled() {
  if (readFlag() === false || isPending() || document.readyState === 'loading') return false;
  const quiet = native.now() - work.last;
  if (!state.contentLoaded && document.readyState !== 'complete') return false;
  if (quiet < (document.readyState === 'complete' ? state.quietMs : LOADING_QUIET_MS)) return false;
  if (quiet < BLANK_QUIET_MS && isBlank()) return false;
  return isSelectorThere();
}

/** Whether there is nothing to see yet: an app that was never heard of beginning deserves a little more time. */
function isBlank() {
  if (!document.body || shadowRoots.size > 0) return false;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    if (texts.currentNode.data.trim() && !/^(script|style|noscript|template)$/.test(texts.currentNode.parentNode.localName)) return false;
  }
  return document.body.querySelector('img,svg,canvas,video,iframe,input,object,embed,frame') === null;
}

/** Whether a page shows so little that it cannot be all, or says itself that more is to come. */
function isUnfinished() {
  if (!document.body || document.querySelector(BUSY)) return true;
  return shadowRoots.size === 0 && document.body.innerText.trim().length < UNFINISHED_LENGTH;
}

function isSelectorThere() {
  if (!options.waitForSelector) return true;
  try {
    if (document.querySelector(options.waitForSelector)) return true;
    for (const root of shadowRoots) if (root.querySelector(options.waitForSelector)) return true;
    return false;
  } catch {
    return true; // not a selector: nothing to wait for
  }
}

/** A request that never ends, beside a page that shows something and no longer says that it is loading. */
function isStill() {
  if (readFlag() === false || !state.contentLoaded || !isPending() || !isSelectorThere()) return false;
  // Timers, frames and sockets have limits of their own, and may be about to show something.
  for (const { kind } of work.holds) if (!/^(request|script|stream|unlikely)$/.test(kind)) return false;
  const still = native.now() - Math.max(work.lastDom, 0);
  if (still < STILL_MS || native.now() - work.lastRequest < STILL_MS) return false;
  const text = (document.body?.textContent || '').trim().length;
  return still > 2 * STILL_MS || (text > 60 && !document.querySelector(BUSY));
}

/**
 * Waits until `rounds` tasks of background priority in a row find no activity between them.
 *
 * Such a task runs after everything else that is queued: an idle event loop, not wall time, decides, so a page that gets
 * little of a busy machine is not taken for a quiet one.
 */
function confirm(rounds, why) {
  state.confirming = true;
  const before = work.activity;
  idle(() => {
    if (state.done || state.leaving) return;
    if (why === 'quiet' && (work.activity !== before || !isSettled())) {
      state.confirming = false;
      return look();
    }
    if (rounds > 1) return confirm(rounds - 1, why);
    if (prepare(why)) return confirm(1, why);
    return finish(why);
  });
}

function idle(run) {
  // The page cannot be waited for longer than this even when its own tasks never leave room.
  let ran = false;
  const once = () => {
    if (!ran) {
      ran = true;
      run();
    }
  };
  if (native.postTask) native.postTask(once, { priority: 'background' }).catch(() => {});
  else native.setTimeout(once, 20);
  native.setTimeout(once, 1000);
}

/** The last steps before the capture. True when one of them did something that the page may answer to. */
function prepare(why) {
  if (why === 'flag') {
    // The page has said so; what it has already asked the next frame to do (head managers do that) belongs to it.
    state.flagged ??= native.now();
    const waits = [...work.holds].some((entry) => entry.kind === 'frame');
    return waits && native.now() - state.flagged < 100;
  }
  if (![drawForObservers, loadPictures, reveal, finishAnimations].some((step) => quietly(step))) return false;
  beginChain();
  return true;
}

// ---- the page's own word ----

const flags = {};

function readFlag() {
  if (typeof flags.prerenderReady === 'boolean') return flags.prerenderReady;
  return typeof flags.htmlSnapshot === 'boolean' ? flags.htmlSnapshot : undefined;
}

/** `window.prerenderReady`, and its second name: seen in the moment in which they are set. */
function watchFlags() {
  for (const name of ['prerenderReady', 'htmlSnapshot']) {
    quietly(() =>
      Object.defineProperty(window, name, {
        get: () => flags[name],
        set: (value) => {
          flags[name] = value;
          if (value === true) schedule(0);
        },
        configurable: true,
        enumerable: false,
      }),
    );
  }
}

// ---- redirects by script ----

/** A path for comparison: the same page with or without a final slash, an index file, or another spelling of its escapes. */
function comparablePath(href) {
  const { pathname } = new URL(href);
  const decoded = quietly(() => decodeURIComponent(pathname)) || pathname;
  return decoded.replace(/\/index\.html?$/i, '/').replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1');
}

/** A navigation to another document that a script has begun. */
function watchNavigation() {
  if (!window.navigation) return;
  listen(window.navigation, 'navigate', (event) => {
    const { destination } = event;
    if (seal.done) return event.preventDefault();
    if (destination.sameDocument || event.hashChange || event.downloadRequest !== null || !/^https?:/i.test(destination.url)) return;
    if (state.done) return;
    const decide = () => {
      // A router may have taken the navigation over, or the page may have stopped it.
      const isReload = event.navigationType === 'reload';
      if (event.defaultPrevented || (location.href === destination.url && !isReload) || state.done) return;
      const away = destination.url.split('#')[0] !== location.href.split('#')[0];
      if (away && !isReload && !event.formData) {
        state.leaving = true;
        report({ k: 'redirect', location: destination.url, status: redirectStatus() });
      } else {
        hold('request', 3000); // the next document replaces this one
      }
    };
    // At once when nobody else listens: a fast navigation leaves no time for another task.
    if (listened.navigation) native.setTimeout(decide, 0);
    else decide();
  });
}

function metaContent(name) {
  return document.querySelector(`meta[name="${name}" i]`)?.getAttribute('content')?.trim() || '';
}

function pageStatus() {
  const status = Number.parseInt(metaContent('prerender-status-code'), 10);
  return status >= 100 && status <= 599 ? status : 0;
}

function redirectStatus() {
  const status = pageStatus();
  return status >= 300 && status <= 399 ? status : 302;
}

/** Where the page itself sends its visitors, or null. */
function redirectTarget() {
  const status = pageStatus();
  const header = /^location:\s*(\S+)/i.exec(metaContent('prerender-header'));
  if (header && status >= 300 && status <= 399) return quietly(() => new URL(header[1], document.baseURI).href);

  const refresh = document.querySelector('meta[http-equiv="refresh" i]')?.content || '';
  const [, seconds, target] = /^\s*(\d+(?:\.\d*)?)\s*[;,]?\s*(?:url\s*=\s*)?["']?([^"']*?)["']?\s*$/i.exec(refresh) || [];
  if (target && Number(seconds) <= 5) {
    const url = quietly(() => new URL(target, document.baseURI));
    if (url && /^https?:$/.test(url.protocol) && url.href.split('#')[0] !== location.href.split('#')[0]) return url.href;
  }

  // A status that the page declares for what it shows wins over the address that its router gave it.
  if (status !== 0 && (status < 300 || status > 399)) return null;
  if (location.origin !== new URL(requestedUrl).origin) return null;
  return comparablePath(location.href) === requestedPath ? null : location.href;
}

// ---- the end ----

function finish(why) {
  if (state.done || state.leaving) return;
  state.done = true;
  state.confirming = false;
  const location_ = why === 'forced' || why === 'timeout' ? null : quietly(redirectTarget) || null;
  const message = { k: 'done', why, url: location.href, title: document.title, status: pageStatus(), location: location_, tooLarge: null, html: '' };
  if (location_) {
    message.status = redirectStatus();
  } else {
    quietly(keepAnimatedStyles);
    sheetTexts.clear();
    message.html = quietly(serializeDocument) || ''; // a document that defies it is a failure at once, not a time-out
    if (message.html.length > options.htmlBytes) {
      message.tooLarge = message.html.length;
      message.html = '';
    }
  }
  report(message);
}

/** Orders of the tab: `capture` as it stands, `again` when something was still on its way, an object to be told about the end. */
function watchOrders() {
  listen(window, options.nonce, (event) => {
    event.stopImmediatePropagation();
    if (typeof event.detail === 'object') {
      event.detail.plain = sealDocument();
    } else if (event.detail === 'again') {
      // A module that has arrived is parsed beside the main thread and may ask for others: nothing here shows that. On a
      // machine that is late with everything it takes its time.
      state.quietMs = Math.max(options.quietMs, IMPORT_QUIET_MS + 4 * Math.min(100, state.late));
      state.done = false;
      state.confirming = false;
      touch();
      schedule(state.quietMs);
    } else {
      finish('forced');
    }
  });
}

function main() {
  prepareEnvironment();
  if (!send) return;
  if (isTop) watchTraces();
  watchFrames();
  if (!isTop) return;
  if (location.protocol !== 'http:' && location.protocol !== 'https:') return;
  watchObservers();
  watchListenerTypes();
  watchAnimations();
  watchPictures();
  watchRequests();
  watchTimers();
  watchMessages();
  watchShadowRoots();
  watchStyleSheets();
  watchDocument(document);
  watchFlags();
  watchNavigation();
  watchOrders();
  work.lastRequest = native.now();
  work.onActivity = () => schedule(state.quietMs);
  listen(document, 'DOMContentLoaded', () => {
    state.contentLoaded = true;
    work.lastRequest = native.now();
    touch();
  });
  listen(document, 'readystatechange', touch);
  schedule(POLL_MS);
}

main();
