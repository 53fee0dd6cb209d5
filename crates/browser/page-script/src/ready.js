// Decides when the page is ready, and reports it: at once when the page says so itself, else when it is loaded, nothing is
// pending, the DOM has been quiet for a short time and the event loop is idle. An early exit, never a fixed wait.
// Must never wait past `options.hardMs`, and never report a page that a script is about to leave.
// See docs/decisions/0006.

import { finishAnimations, keepAnimatedStyles } from './animations.js';
import { isBlank, isBusy, isMainMissing, isShortPage, isUnfinished } from './appearance.js';
import { isFadedOut } from './concealment.js';
import { rememberUnseenRoots } from './document.js';
import { isHeldUpByOthers } from './elements.js';
import { readFlag } from './flags.js';
import { resumeChain } from './frames.js';
import { growth } from './growth.js';
import { moveHand } from './hands.js';
import { listen, listenAgain, quietly } from './hooks.js';
import { inspect, noteUnscrolled, scrolling } from './inspection.js';
import { body, contentType, documentElement, isHtml, query, readyState, textContent, title } from './intrinsics/dom.js';
import { max, min, plain, some, test, then, trim, wellFormed } from './intrinsics/language.js';
import { loadLazyFrames } from './lazy_frames.js';
import { loadMedia } from './media.js';
import { eventOf, native } from './native.js';
import { drawForObservers } from './observers.js';
import { goesByPage } from './only_time.js';
import { options, send } from './options.js';
import { tellPaints } from './paints.js';
import { loadPictures } from './pictures.js';
import { isPollAwaited, polling } from './polls.js';
import { keepAddress, pageAddress, pageStatus, redirectStatus, redirectTarget } from './redirects.js';
import { report } from './report.js';
import { reveal } from './reveal.js';
import { shadowRoots } from './roots.js';
import { pretendScroll } from './scroll.js';
import { sealDocument } from './seal.js';
import { serializeDocument } from './serialize.js';
import { sheetTexts } from './sheets.js';
import { drawSkippedContent, skipAgain } from './skipped_content.js';
import { now, time } from './shared.js';
import { state } from './state.js';
import { unveil, unveilInTime } from './veils.js';
import { isHeld, isPending, touch, work } from './work.js';

export const POLL_MS = 50;

/** Looks again in `ms`, or earlier when that is planned already. */
export function schedule(ms) {
  const due = native.now() + ms;
  if (state.done || state.leaving || due >= state.due - 1) return;
  native.clearTimeout(state.timer);
  state.due = due;
  state.timer = native.setTimeout(look, ms);
}

/** Decides, and survives what the page does to it: a look that fails is followed by another one. */
function look() {
  if (state.due < Infinity) state.late = max(state.late * 0.8, native.now() - state.due);
  state.due = Infinity;
  if (state.done || state.leaving || state.confirming) return;
  try {
    decide();
  } catch {
    schedule(POLL_MS);
  }
}

// Data shows as a tree of tags in a browser, and says nothing to whoever asks for a page. XHTML is one by whatever name it comes.
const isXml = test(/^(application|text)\/xml$/, contentType(document));
const TREE_OF_TAGS = 'body > #webkit-xml-viewer-source-xml';
const isData = () => isXml && documentElement(document) !== null && (!isHtml(documentElement(document), 'html') || query(document, TREE_OF_TAGS) !== null);

function decide() {
  if (native.now() >= options.hardMs) return finish('timeout');
  if (isData()) return finish('quiet');
  if (readFlag() === true) return confirm(2, 'flag');
  if (isSettled()) return confirm(3, 'quiet');
  if (isStill() || isUnending()) return finish('still');
  goPastOthers();
  const quiet = now() - work.last;
  // What hides the page as a whole goes away after seconds of its own.
  if (quiet >= state.quietMs && unveilInTime()) touch();
  time.onRing();
  return schedule(max(1, min(POLL_MS, isPending() || quiet >= state.quietMs ? POLL_MS : state.quietMs - quiet)));
}

/** Whether the page is waited for, by whatever rule. */
export const isWaitedFor = () => isPending() || isPollAwaited() || isAboutToFadeIn() || readFlag() === false || !isSelectorThere();

let fadesInBy = 0;

/**
 * A long timer beside a part that cannot be seen yet most likely shows it. No more than time that can be skipped is spent on that, and
 * none on those that come after: the slides of a carousel fade in and out for ever.
 */
function isAboutToFadeIn() {
  let last = 0;
  const isUp = isHeld((kind, { until }) => {
    if (kind !== 'unlikely' || until <= now()) return false;
    last = max(last, until);
    return fadesInBy === 0 || until <= fadesInBy;
  });
  if (!isUp || !goesByPage() || !isFadedOut()) return false;
  fadesInBy ||= last;
  return true;
}

function isSettled() {
  if (readFlag() === false || isPending() || isPollAwaited() || isAboutToFadeIn()) return false;
  const isComplete = state.brokenOff || readyState(document) === 'complete';
  // A script that writes into a loaded document opens it again, and mostly nobody closes it.
  if (!isComplete && !state.contentLoaded) return false;
  const quiet = now() - work.last;
  if (quiet < (isComplete ? state.quietMs : RULES.quietUnloaded.ms)) return false;
  if (quiet < RULES.quietBlank.ms && isBlank()) return false;
  return isSelectorThere();
}

function isSelectorThere() {
  const { waitForSelector } = options;
  if (!waitForSelector) return true;
  try {
    if (query(document, waitForSelector)) return true;
  } catch {
    return true; // not a selector: nothing to wait for
  }
  let found = false;
  shadowRoots.forEach((root) => (found ||= query(root, waitForSelector) !== null));
  return found;
}

/** A request that never ends, beside a page that shows something and no longer says that it is loading. */
function isStill() {
  if (readFlag() === false || !state.contentLoaded || !isPending() || !isSelectorThere()) return false;
  // Timers, frames and sockets have limits of their own, and may be about to show something.
  if (isHeld((kind) => !test(/^(request|script|stream|unlikely)$/, kind))) return false;
  const moment = now();
  const still = moment - work.lastDom;
  const needed = neededStillness();
  if (still < min(needed, RULES.following.ms) || moment - work.lastRequest < needed) return false;
  const root = body(document);
  if (still > RULES.still.ms) return true;
  return root !== null && !isBusy() && (isShortPage() || (trim(textContent(root)).length > 60 && !isMainMissing()));
}

/** How long a page has to be still beside what hangs. */
function neededStillness() {
  if (isHeld((kind, entry) => kind !== 'script' && !entry.isForeign)) return RULES.still.ms;
  // Other companies' scripts are not what the page's own content comes by.
  if (!isHeld((_, entry) => !entry.isForeign)) return RULES.foreignStill.ms;
  return isUnfinished() ? RULES.still.ms : RULES.stillScript.ms;
}

/** A document whose end does not come, beside what it shows: a person has long begun to read. */
function isUnending() {
  if (readFlag() === false || state.contentLoaded || !isSelectorThere() || hasNothingYet()) return false;
  // What is inserted may hang as well, and holds up the parser or what comes after it.
  if (isHeld((kind, entry) => kind !== 'script' && kind !== 'unlikely' && !entry.isForeign)) return false;
  const still = now() - max(work.lastDom, work.lastRequest, 0);
  if (readyState(document) === 'loading') return still > RULES.unending.ms;
  // Deferred scripts are on their way: in most cases the app itself.
  return still > RULES.still.ms && !isUnfinished();
}

const hasNothingYet = () => body(document) === null || isBlank();

/** Has the tab give up what other sites leave hanging in front of the rest of the document: a person's browser does so after minutes. */
function goPastOthers() {
  if (state.contentLoaded) return;
  const still = now() - max(work.lastDom, work.lastRequest, state.wentPastAt);
  if (still < RULES.heldUp.ms || !isHeldUpByOthers()) return;
  state.wentPastAt = now();
  send?.('G');
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
  whenIdle(() => {
    if (state.done || state.leaving) return;
    const goesOn = quietly(() => why === 'quiet' && (work.activity !== before || !isSettled()));
    if (goesOn) {
      state.confirming = false;
      return look();
    }
    if (rounds > 1) return confirm(rounds - 1, why);
    if (prepare(why)) return confirm(1, why);
    return finish(why);
  });
}

/** Calls `run` once the event loop is idle. */
export function whenIdle(run) {
  let ran = false;
  const once = () => {
    if (ran) return;
    ran = true;
    run();
  };
  if (native.postTask) then(native.postTask(once, plain({ priority: /** @type {const} */ ('background') })), () => {}, () => {});
  else native.setTimeout(once, 20);
  native.setTimeout(once, RULES.noIdle.ms);
}

/** The last steps before the capture. True when one of them did something that the page may answer to. */
function prepare(why) {
  if (why === 'flag') {
    // The page has said so; what it has already asked the next frame to do (head managers do that) belongs to it.
    state.flaggedAt ||= now();
    return isHeld((kind) => kind === 'frame') && now() - state.flaggedAt < RULES.flagFrame.ms;
  }
  keepAddress();
  quietly(rememberUnseenRoots);
  if (!some(STEPS, (step) => quietly(step))) return false;
  resumeChain();
  return true;
}

const STEPS = [
  unveil, tellPaints, drawSkippedContent, drawForObservers, loadPictures, loadMedia, noteUnscrolled, loadLazyFrames, scrolling(reveal), moveHand, noteUnscrolled, scrolling(pretendScroll), finishAnimations,
];

// ---- the end ----

function finish(why) {
  if (state.done || state.leaving) return;
  state.done = true;
  state.confirming = false;
  const isCutOff = why === 'forced' || why === 'timeout';
  const target = isCutOff ? null : quietly(redirectTarget) || null;
  state.why = why;
  const moved = { location: target?.location ?? null, via: target?.via ?? null };
  const message = { k: 'done', why, url: pageAddress(), title: quietly(() => wellFormed(title(document))) || '', ...moved };
  if (target) {
    report({ ...message, status: redirectStatus(), tooLarge: null, inspection: null });
    return;
  }
  quietly(keepAnimatedStyles);
  quietly(skipAgain);
  quietly(rememberUnseenRoots);
  sheetTexts.clear();
  // A document that defies it is a failure at once, not a time-out.
  let html = quietly(write) || '';
  if (html.length > options.htmlBytes) html = quietly(() => write(true)) || '';
  const inspection = quietly(inspect) || null;
  const isTooLarge = html.length > options.htmlBytes;
  report({ ...message, status: quietly(pageStatus) || 0, tooLarge: isTooLarge ? html.length : null, inspection }, isTooLarge ? '' : html);
}

const write = (leavesOut = false) => (isData() ? '' : wellFormed(serializeDocument(leavesOut)));

/** Writes a document that forbids scripts as it is: nothing in it can change. */
export const writeAtOnce = () => finish('quiet');

/**
 * Orders of the tab, which come from a world of its own: `capture` as it stands, `again` when something was still on its way,
 * `skip` when nothing is on its way, `seal` at the end, which is prevented when the document is sealed. And of frames, which want a share.
 */
export function watchOrders(skip) {
  const obey = (event) => {
    eventOf.stop(event);
    const order = eventOf.detail(event);
    if (typeof order === 'object') order.share = { work, polling, time, isUnfinished, growth, now, listenAgain };
    else if (order === 'seal') sealDocument() && eventOf.prevent(event);
    else if (order === 'again') goOn();
    else if (order === 'skip') skip();
    else if (order === 'broken off') breakOff();
    else if (order === 'stay') stay();
    else finish('forced');
  };
  // The first to hear it, whatever the page might come to know.
  listen(window, options.nonce, obey, { capture: true });
}

/** Reports again, of the page itself. */
function stay() {
  state.stays = true;
  state.done = false;
  finish(state.why);
}

function breakOff() {
  state.brokenOff = true;
  state.quietMs = max(state.quietMs, RULES.quietBroken.ms);
  touch();
}

function goOn() {
  // A module that has arrived is parsed beside the main thread and may ask for others: nothing here shows that. On a
  // machine that is late with everything it takes its time.
  state.quietMs = max(options.quietMs, RULES.quietAgain.ms + 4 * min(100, state.late));
  state.done = false;
  state.leaving = false;
  state.confirming = false;
  touch();
  schedule(state.quietMs);
}
