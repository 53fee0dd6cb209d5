// Polls: timers, intervals and frames that only look whether something is there yet. They are not waited for as such, but one
// more tick of each is, after elements have come or gone, an answer has come or a timer: it may be what the poll has been looking for.
// Must never wait for long in all: a page may change itself for ever beside a poll that never finds anything.

import { KeptSet, max, soon } from './intrinsics/language.js';
import { now, shared } from './shared.js';
import { work } from './work.js';

/** @typedef {{ since: number, due: number, seen: number, isQuick: boolean }} Poll */

/**
 * `left`: of the time that all of them have; `timers`: how many that were waited for have ended.
 * @typedef {{ polls: Set<Poll>, left: number, timers: number }} Polling
 */

/** @type {Polling} */
export const polling = shared?.polling ?? { polls: new KeptSet(), left: RULES.polls.ms, timers: 0 };

const FRAME_MS = 16; // frames come and come beside animations
const QUICK_MS = 250; // what looks less often waits for elements, or asks for something itself

/** Counts what a poll may have been looking for. */
const news = (isQuick) => work.structures + (isQuick ? work.answers + polling.timers : 0);

/** A poll whose next tick comes in `ms`. */
export function addPoll(ms) {
  const isQuick = ms > FRAME_MS && ms <= QUICK_MS;
  const poll = { since: 0, due: 0, seen: news(isQuick), isQuick };
  polling.polls.add(poll);
  begin(poll, ms);
  return poll;
}

/** From here on: what the callback has changed that armed the poll is nothing new to it. */
function begin(poll, ms) {
  poll.since = now();
  poll.due = poll.since + ms;
  soon(() => (poll.seen = news(poll.isQuick)));
}

/** The tick has come, and the next one will. */
export function pollTicked(poll, ms) {
  spend(poll);
  begin(poll, ms);
}

export function removePoll(poll) {
  if (polling.polls.delete(poll)) spend(poll);
}

function spend(poll) {
  if (poll.seen < news(poll.isQuick)) polling.left -= max(1, now() - poll.since);
}

/** Whether a poll has not looked since elements came or went, and is about to. */
export function isPollAwaited() {
  if (polling.left <= 0) return false;
  const time = now();
  let found = false;
  polling.polls.forEach((poll) => {
    if (poll.due + RULES.poll.ms < time) polling.polls.delete(poll);
    else if (poll.seen < news(poll.isQuick) && poll.due < time + RULES.poll.ms) found = true;
  });
  return found;
}

/** Makes every quick poll look once more: a timer may have set what it looks for. */
export function expectQuickPolls() {
  polling.timers += 1;
}

/** Makes every poll look once more, as if elements had come. */
export function expectPolls() {
  work.structures += 1;
}
