// Sources of messages: connections, event streams and workers, any of which may bring content at any time. See docs/decisions/0006.
// A source is waited for until it has shown something since it was last asked, and then at the pace at which its messages come;
// at most for 5 s after the last text or element that was not there before.
// Must never wait for long in all: a feed goes on for ever.

import { isUnfinished } from './appearance.js';
import { growth } from './growth.js';
import { KeptSet, max } from './intrinsics/language.js';
import { native } from './native.js';
import { now, time } from './shared.js';
import { hold, touch, work } from './work.js';

/**
 * @typedef {object} Source
 * @property {number} since time when it began or was last asked
 * @property {number} last time of its last message
 * @property {number} pace ms within which the next message is expected
 * @property {number} questions
 * @property {boolean} isHeard
 * @property {boolean} isShown whether one of its messages since the last question has shown something
 * @property {() => void} heard notes a message
 * @property {() => void} asked notes a question of the page
 * @property {() => void} leave stops waiting until the next question
 * @property {() => void} close ends it
 */

const LOOK_MS = 50;
const READ_MS = 150; // between looks at how much the page shows

/** @type {Set<Source>} */
const awaited = new KeptSet();
let firstBegan = -1;
let isLooking = false;
let endWaiting = () => {};

const content = { growth: 0, grownAt: 0, isUnfinished: true, readAt: -Infinity };

function readGrowth() {
  const present = growth();
  if (present === content.growth) return;
  content.growth = present;
  content.grownAt = now();
}

/** Whether the page shows too little to be all. Not looked at each time. */
function cannotBeAll() {
  if (now() - content.readAt > READ_MS) {
    content.readAt = now();
    content.isUnfinished = isUnfinished();
  }
  return content.isUnfinished;
}

function isOver(source) {
  const moment = now();
  if (moment > firstBegan + RULES.allMessages.ms || moment > max(content.grownAt, source.since) + RULES.messages.ms) return true;
  return source.isShown && moment > source.last + source.pace && !cannotBeAll();
}

/** Waits for a source from now on. False when its time is over. */
function expect(source) {
  if (isOver(source)) return false;
  if (awaited.size === 0) endWaiting = hold('message', RULES.allMessages.ms);
  awaited.add(source);
  if (!isLooking) native.setTimeout(look, LOOK_MS);
  isLooking = true;
  return true;
}

function look() {
  readGrowth();
  awaited.forEach((source) => isOver(source) && awaited.delete(source));
  isLooking = awaited.size > 0;
  if (isLooking) native.setTimeout(look, LOOK_MS);
  else endWaiting();
}

function forget(source) {
  if (awaited.delete(source) && awaited.size === 0) endWaiting();
}

/** Begins to wait for the messages of a source. */
export function expectMessages() {
  time.isElsewhere = true;
  readGrowth();
  const began = now();
  if (firstBegan < 0) firstBegan = began;
  let isClosed = false;
  let judged = -1; // question whose answer is looked at
  /** Finds out whether a message has brought something to see: a greeting has not. */
  const judge = () => {
    const { questions } = source;
    if (source.isShown || judged === questions) return;
    judged = questions;
    readGrowth();
    const before = content.growth;
    native.setTimeout(() => {
      if (judged !== questions) return;
      judged = -1;
      readGrowth();
      source.isShown = content.growth > before && questions === source.questions;
    }, RULES.greeting.ms);
  };
  /** @type {Source} */
  const source = {
    since: began,
    last: began,
    pace: 0,
    questions: 0,
    isHeard: false,
    isShown: false,
    heard: () => {
      const moment = now();
      source.isHeard = true;
      source.pace = max(RULES.betweenMessages.ms, 2 * (moment - source.last));
      source.last = moment;
      if (isClosed || !expect(source)) return;
      work.answers += 1;
      touch();
      judge();
    },
    asked: () => {
      source.questions += 1;
      source.since = now();
      source.isShown = false;
      if (!isClosed) expect(source);
    },
    leave: () => forget(source),
    close: () => {
      isClosed = true;
      forget(source);
    },
  };
  expect(source);
  return source;
}
