// Decides when the page is ready, and reports it: at once when the page says so itself, else when it is loaded, nothing is
// pending, the DOM has been quiet for a short time and the event loop is idle. An early exit, never a fixed wait.
// Must never wait past `options.hardMs`, and never report a page that a script is about to leave.
// See docs/decisions/0006.

import { finishAnimations, keepAnimatedStyles } from './animations.js';
import { isBlank, patience } from './completeness.js';
import { rememberUnseenRoots } from './document.js';
import { isHeldUpByOthers } from './elements.js';
import { interactOnce } from './first_interaction.js';
import { body, contentType, documentElement, isHtml, query, readyState, title } from './intrinsics/dom.js';
import { showHiddenPage } from './hidden_page.js';
import { max, min, plain, some, test, then, wellFormed } from './intrinsics/language.js';
import { listen, listenAgain, quietly } from './hooks.js';
import { inspect, noteUnscrolled, scrolling } from './inspection.js';
import { drawForObservers, reveal } from './intersections.js';
import { eventOf, native } from './native.js';
import { options, report, send } from './options.js';
import { tellPaints } from './paints.js';
import { keepAddress, pageAddress, pageStatus, redirectStatus, redirectTarget } from './redirects.js';
import { isPending, isStuck, isWithinBudget, progress, renewBudget } from './repetition.js';
import { pretendScroll } from './scroll.js';
import { deactivateDocument } from './deactivation.js';
import { serializeDocument } from './serialize.js';
import { now, time } from './shared.js';
import { sheetTexts } from './sheets.js';
import { drawSkippedContent, skipAgain } from './skipped_content.js';
import { readFlag, shadowRoots, state } from './state.js';
import { loadLazyFrames } from './subframes.js';
import { loadMedia } from './unfetched.js';
import { isHeld, touch, work } from './work.js';

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
  if (native.now() >= options.hardMs) return finish(isNeeded() ? 'timeout' : 'still');
  if (isData()) return finish('quiet');
  if (readFlag() === true) return confirm(2, 'flag');
  if (isSettled()) return confirm(3, 'quiet');
  if (isUnending()) return finish('still');
  goPastOthers();
  time.onRing();
  const quiet = now() - work.last;
  return schedule(max(1, min(POLL_MS, quiet >= state.quietMs ? POLL_MS : state.quietMs - quiet)));
}

/** Returns whether the page is waited for, by whatever rule. */
export const isWaitedFor = () => isPending() || readFlag() === false || !isSelectorThere();

/** Returns whether something is pending that the page cannot do without. */
const isNeeded = () => isStuck() || !state.contentLoaded || readFlag() === false || !isSelectorThere() || isHeld(({ kind }) => kind === 'network');

function isSettled() {
  if (readFlag() === false || isPending()) return false;
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

/** Returns whether the end of the document does not come, beside what it shows: a person has long begun to read. */
function isUnending() {
  if (readFlag() === false || state.contentLoaded || !isSelectorThere() || body(document) === null) return false;
  return now() - max(work.last, work.lastLoad) > RULES.ownSite.ms && !isBlank();
}

/** Has the tab give up what other sites leave hanging in front of the rest of the document: a person's browser does so after minutes. */
function goPastOthers() {
  if (state.contentLoaded) return;
  const still = now() - max(work.last, work.lastLoad, state.wentPastAt);
  if (still < RULES.otherSite.ms || !isHeldUpByOthers()) return;
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
    return finish(why === 'quiet' && work.hasGivenUp ? 'still' : why);
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
    return work.steps.size > 0 && now() - state.flaggedAt < RULES.flagFrame.ms;
  }
  keepAddress();
  quietly(rememberUnseenRoots);
  work.readChanges();
  const before = work.changes;
  const isDone = some(STEPS, (step) => quietly(step));
  work.readChanges();
  work.ownChanges += work.changes - before;
  return isDone;
}

const STEPS = [
  showHiddenPage, tellPaints, drawSkippedContent, drawForObservers, loadMedia, noteUnscrolled, loadLazyFrames, scrolling(reveal), interactOnce, noteUnscrolled, scrolling(pretendScroll), finishAnimations,
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
 * Orders of the tab, which come from a world of its own: `capture` as it stands, `resume` when something was still on its way,
 * `skip` when nothing is on its way, `deactivate` at the end, which is prevented when the document is. Frames ask for what they share in the same way.
 */
export function watchOrders(skip) {
  const obey = (event) => {
    eventOf.stop(event);
    const order = eventOf.detail(event);
    if (typeof order === 'object') order.share = { work, time, patience, isWithinBudget, progress, now, listenAgain };
    else if (order === 'deactivate') deactivateDocument() && eventOf.prevent(event);
    else if (order === 'resume') goOn();
    else if (order === 'skip') skip();
    else if (order === 'broken off') breakOff();
    else if (order === 'ignore redirect') stay();
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
  state.quietMs = max(state.quietMs, RULES.quietBlank.ms);
  touch();
}

function goOn() {
  // A module that has arrived is parsed beside the main thread and may ask for others: nothing here shows that. On a
  // machine that is late with everything it takes its time.
  state.quietMs = max(options.quietMs, RULES.quietAgain.ms + 4 * min(100, state.late));
  state.done = false;
  state.leaving = false;
  state.confirming = false;
  renewBudget();
  touch();
  schedule(state.quietMs);
}
