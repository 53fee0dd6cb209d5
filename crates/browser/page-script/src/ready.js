// Decides when the page is ready, and reports it: when the page sets its flag, else when it is loaded, nothing is pending, the DOM has not changed
// for a short time and the event loop is idle. Never waits for a fixed time.
// Must never wait past `options.hardMs`, nor report a page that a script is leaving. See docs/decisions/0006.

import { finishAnimations, commitAnimatedStyles } from './animations.js';
import { isBlank, budgetFactor } from './completeness.js';
import { findUnseenRoots } from './document.js';
import { isBlockedByOtherSite } from './elements.js';
import { interactOnce } from './first_interaction.js';
import { body, contentType, documentElement, isHtml, query, readyState, title } from './intrinsics/dom.js';
import { showHiddenPage } from './hidden_page.js';
import { max, min, plain, some, someItem, test, then, wellFormed } from './intrinsics/language.js';
import { listen, reattachListeners, attempt } from './hooks.js';
import { inspect, measureUnscrolled, scrolling } from './inspection.js';
import { drawForObservers, restoreSkippedContent, reveal } from './intersections.js';
import { eventOf, native } from './native.js';
import { options, report, send } from './options.js';
import { keepAddress, pageAddress, pageStatus, redirectStatus, redirectTarget } from './redirects.js';
import { isPending, hasOverdueStep, isWithinBudget, progress, renewBudget } from './repetition.js';
import { simulateScroll } from './scroll.js';
import { deactivateDocument } from './deactivation.js';
import { serializeDocument } from './serialize.js';
import { now, time } from './shared.js';
import { sheetTexts } from './sheets.js';
import { readFlag, shadowRoots, state } from './state.js';
import { loadLazyFrames } from './subframes.js';
import { reportMediaLoaded } from './unfetched.js';
import { isHeld, recordActivity, work } from './work.js';

export const POLL_MS = 50;

/** Schedules a check in `ms`, unless an earlier one is scheduled. */
export function schedule(ms) {
  const due = native.now() + ms;
  if (state.done || state.leaving || due >= state.due - 1) return;
  native.clearTimeout(state.timer);
  state.due = due;
  state.timer = native.setTimeout(check, ms);
}

/** Checks the page. After an error, caused by the page, another check follows. */
function check() {
  if (state.due < Infinity) state.lagMs = max(state.lagMs * 0.8, native.now() - state.due);
  state.due = Infinity;
  if (state.done || state.leaving || state.confirming) return;
  try {
    decide();
  } catch {
    schedule(POLL_MS);
  }
}

// A browser shows XML data as a tree of tags, which is no page. XHTML is a page with any XML type.
const isXml = test(/^(application|text)\/xml$/, contentType(document));
const TREE_OF_TAGS = 'body > #webkit-xml-viewer-source-xml';
const isData = () => isXml && documentElement(document) !== null && (!isHtml(documentElement(document), 'html') || query(document, TREE_OF_TAGS) !== null);

function decide() {
  if (native.now() >= options.hardMs) return finish(isIncomplete() ? 'timeout' : 'still');
  if (isData()) return finish('quiet');
  if (readFlag() === true) return confirmIdle(2, 'flag');
  if (isSettled()) return confirmIdle(3, 'quiet');
  if (isEndlessDocument()) return finish('still');
  abortBlockingSites();
  time.onAlarm();
  const quiet = now() - work.last;
  return schedule(max(1, min(POLL_MS, quiet >= state.quietMs ? POLL_MS : state.quietMs - quiet)));
}

/** Returns true while the page is awaited, by any rule. */
export const isAwaited = () => isPending() || readFlag() === false || !isSelectorThere();

/** Returns true while something necessary is pending. */
const isIncomplete = () => hasOverdueStep() || !state.contentLoaded || readFlag() === false || !isSelectorThere() || isHeld(({ kind }) => kind === 'network');

function isSettled() {
  if (readFlag() === false || isPending()) return false;
  const isComplete = state.brokenOff || readyState(document) === 'complete';
  // A script that writes into a loaded document reopens it, and usually does not close it.
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
    return true; // an invalid selector is not awaited
  }
  return someItem(shadowRoots, (root) => query(root, waitForSelector) !== null);
}

/** Returns true when the document does not end although its content is visible. */
function isEndlessDocument() {
  if (readFlag() === false || state.contentLoaded || !isSelectorThere() || body(document) === null) return false;
  return now() - max(work.last, work.lastLoad) > RULES.ownSite.ms && !isBlank();
}

/** Makes the tab abort requests of other sites that block the document. A visitor's browser does so after minutes. */
function abortBlockingSites() {
  if (state.contentLoaded) return;
  const still = now() - max(work.last, work.lastLoad, state.abortedSitesAt);
  if (still < RULES.otherSite.ms || !isBlockedByOtherSite()) return;
  state.abortedSitesAt = now();
  send?.('G');
}

/**
 * Waits until `rounds` background tasks in a row find no activity between them.
 *
 * Such a task runs after everything else that is queued, so an idle event loop decides instead of wall time: a page that gets little processor time
 * on a loaded machine is not taken for a quiet one.
 */
function confirmIdle(rounds, why) {
  state.confirming = true;
  const before = work.activity;
  whenIdle(() => {
    if (state.done || state.leaving) return;
    const continues = attempt(() => why === 'quiet' && (work.activity !== before || !isSettled()));
    if (continues) {
      state.confirming = false;
      return check();
    }
    if (rounds > 1) return confirmIdle(rounds - 1, why);
    if (runFinalSteps(why)) return confirmIdle(1, why);
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

/** Runs the steps before the capture. Returns true when one of them did something that the page may react to. */
function runFinalSteps(why) {
  if (why === 'flag') {
    // The page called itself ready; a frame that it had requested (by a head manager, for instance) is awaited.
    state.flaggedAt ||= now();
    return work.steps.size > 0 && now() - state.flaggedAt < RULES.flagFrame.ms;
  }
  keepAddress();
  attempt(findUnseenRoots);
  work.readChanges();
  const before = work.changes;
  const isDone = some(STEPS, (step) => attempt(step));
  work.readChanges();
  work.ownChanges += work.changes - before;
  return isDone;
}

const STEPS = [
  showHiddenPage, drawForObservers, reportMediaLoaded, measureUnscrolled, loadLazyFrames, scrolling(reveal), interactOnce, measureUnscrolled, scrolling(simulateScroll), finishAnimations,
];

// ---- the report ----

function finish(why) {
  if (state.done || state.leaving) return;
  state.done = true;
  state.confirming = false;
  const isCutOff = why === 'forced' || why === 'timeout';
  const target = isCutOff ? null : attempt(redirectTarget) || null;
  state.why = why;
  const moved = { location: target?.location ?? null, via: target?.via ?? null };
  const message = { k: 'done', why, url: pageAddress(), title: attempt(() => wellFormed(title(document))) || '', ...moved };
  if (target) {
    report({ ...message, status: redirectStatus(), tooLarge: null, inspection: null });
    return;
  }
  attempt(commitAnimatedStyles);
  attempt(restoreSkippedContent);
  attempt(findUnseenRoots);
  sheetTexts.clear();
  // A document that cannot be serialised fails at once, without a time-out.
  let html = attempt(write) || '';
  if (html.length > options.htmlBytes) html = attempt(() => write(true)) || '';
  const inspection = attempt(inspect) || null;
  const isTooLarge = html.length > options.htmlBytes;
  report({ ...message, status: attempt(pageStatus) || 0, tooLarge: isTooLarge ? html.length : null, inspection }, isTooLarge ? '' : html);
}

const write = (leavesOut = false) => (isData() ? '' : wellFormed(serializeDocument(leavesOut)));

/** Reports a document that forbids scripts, which cannot change. */
export const writeAtOnce = () => finish('quiet');

/**
 * Executes orders of the tab from its isolated world: `capture` reports at once, `resume` continues after a premature report, `skip` permits a
 * skip, `deactivate` ends the document and is prevented on success. Frames request the shared state in the same way.
 */
export function watchOrders(skip) {
  const execute = (event) => {
    eventOf.stop(event);
    const order = eventOf.detail(event);
    if (typeof order === 'object') order.share = { work, time, budgetFactor, isWithinBudget, progress, now, reattachListeners };
    else if (order === 'deactivate') deactivateDocument() && eventOf.prevent(event);
    else if (order === 'resume') resume();
    else if (order === 'skip') skip();
    else if (order === 'broken off') onBrokenOff();
    else if (order === 'ignore redirect') ignoreRedirect();
    else finish('forced');
  };
  // Added first, before any listener of the page.
  listen(window, options.nonce, execute, { capture: true });
}

/** Reports the page instead of its redirect. */
function ignoreRedirect() {
  state.ignoresRedirect = true;
  state.done = false;
  finish(state.why);
}

function onBrokenOff() {
  state.brokenOff = true;
  state.quietMs = max(state.quietMs, RULES.quietBlank.ms);
  recordActivity();
}

function resume() {
  // A module that has arrived is parsed in another thread and may import others, which is not visible here. On a loaded machine that takes longer.
  state.quietMs = max(options.quietMs, RULES.quietAgain.ms + 4 * min(100, state.lagMs));
  state.done = false;
  state.leaving = false;
  state.confirming = false;
  renewBudget();
  recordActivity();
  schedule(state.quietMs);
}
