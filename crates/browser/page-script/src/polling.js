// Tells requests that bring content from polls: the same question again, some time after an answer that brought no elements.
// Used by `requests.js`. See docs/decisions/0357.

import { asksForPatience, isShortPage, isUnfinished } from './appearance.js';
import { KeptMap, KeptSet, each, exec, test } from './intrinsics/language.js';
import { work } from './work.js';
import { now } from './shared.js';

/**
 * What has been asked under one name, and how often the answers brought no elements.
 * @typedef {{ began: number, asked: number, inAll: number, fruitless: number, answered: number, structures: number }} Questions
 */

const MOMENT = /[?&\s].*((?<!\d)(1\d{9}|1\d{12}|20\d{12})(?!\d)|\.\d{8})/; // polls make themselves new by the time, or a random number

/** @type {Map<string, Questions>} */
const asked = new KeptMap();
const failed = new KeptSet(); // requests whose last answer was a failure: the same again is a second try and no poll

function questions(key) {
  const known = asked.get(key) || { began: now(), asked: 0, inAll: 0, fruitless: 0, answered: 0, structures: -1 };
  asked.set(key, known);
  return known;
}

/** What a request asks: method, address and body; and without query and body, its path. */
export function describeRequest(method, url, body) {
  const path = `${method} ${exec(/^[^?#]*/, url)?.[0]}`;
  return { path, request: `${method} ${url}`, same: `${method} ${url} ${body}`, isKnownBody: body !== undefined };
}

/** How many answers in a row may bring nothing while the page cannot be all. */
function patience() {
  if (asksForPatience()) return RULES.busyAnswers.times;
  return isUnfinished() && !isShortPage() ? RULES.shortAnswers.times : 0;
}

/** Whether the same has been asked for so long that it may go on for ever, whatever comes of it: a log, a list of those who have just bought. */
const isEndless = ({ isKnownBody }, { inAll, began }) => isKnownBody && inAll > RULES.fewQuestions.times && now() - began > RULES.equalQuestions.ms && !asksForPatience();

/** Whether a request is a poll. Counts it. */
export function isPoll(request) {
  const same = questions(`= ${request.same}`);
  const path = questions(request.path);
  same.asked += 1;
  path.asked += 1;
  same.inAll += 1;
  path.inAll += 1;
  if (path.structures < work.structures && path.answered > 0) path.asked = 0;
  if (path.asked > RULES.ofPath.times || path.inAll > RULES.requests.times) return true;
  if (failed.has(request.request)) return false;
  if (isEndless(request, same)) return true;
  if (now() - path.answered < RULES.answerToNext.ms) return false;
  note(same);
  note(path);
  if (request.isKnownBody && same.fruitless >= RULES.sameAnswers.times) return same.fruitless >= patience();
  const goesOn = same.asked === 1 && now() - path.answered < RULES.pageToNext.ms && !test(MOMENT, request.same);
  if (path.fruitless < (goesOn ? RULES.pageAnswers.times : RULES.pathAnswers.times)) return false;
  return path.fruitless >= patience();
}

/** What has changed since the answer was heard is taken for its fruit. */
function note(known) {
  if (known.answered === 0) return;
  known.fruitless = known.structures === work.structures ? known.fruitless + 1 : 0;
}

/** Notes the answer to a request. */
export function noteAnswer(request, isGood) {
  const time = now();
  each([`= ${request.same}`, request.path], (key) => {
    const known = questions(key);
    known.answered = time;
    known.structures = work.structures;
  });
  if (isGood) {
    failed.delete(request.request);
  } else {
    failed.add(request.request);
    work.lastFailure = time;
  }
}
