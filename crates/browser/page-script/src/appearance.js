// How much of the page there is to see: next to nothing, and what says that it is loading, is waited for longer.
// See docs/decisions/0318 and docs/decisions/0356.
// Must never be asked often: it looks at all of the page.

import { attribute, body, children, data, hasTextNode, innerText, isShown, localName, parentElement, query, queryAll } from './intrinsics/dom.js';
import { isConcealed, isMostlyConcealed } from './concealment.js';
import { quietly } from './hooks.js';
import { asText, each, plain, replaceAll, some, test, trim } from './intrinsics/language.js';
import { shadowRoots } from './roots.js';
import { shared } from './shared.js';

const UNFINISHED_LENGTH = 150; // characters of visible text; the smallest of real pages have more
const NO_TEXT = /^(script|style|noscript|template)$/;
const CONTENT = 'img,svg,canvas,video,iframe,input,object,embed,frame';
const BUSY = '[aria-busy="true"],[role="progressbar"],[class*="skeleton" i],[class*="spinner" i],[class*="loading" i],[class*="loader" i]';
const BUSY_WORD = /skeleton|spinner|loading|loader/i;
const OTHER_WORDS = /(lazy|up|down|un|re)-?load(ing|ers?)?|no-?(loading|loader)/gi; // lazysizes, buttons, states
const FEW = 30; // characters of a part that apps fill, such as "Please wait"
// A heading, a list or a table says that what is there is meant to be read, unless its words ask for patience.
const HEADED = 'h1,h2,h3,h4,h5,h6,li,td,dd,article';
const WAIT =
  /loading|wait\b|one moment|connecting|initiali[sz]ing|l[aä]d(t\b|en\b)|warten|moment bitte|chargement|patiente[zr]|cargando|espere|carregando|aguarde|caricamento|attend(ere|i\b)|[лз]агрузка|подождите|加载|载入|読み込み|로딩|(\.{3}|…)\s*$/i;
const MAIN = 'main,[role="main"]';
const MOUNT = '#root,#app,#__next,#__nuxt,#___gatsby,app-root'; // where frameworks begin
const VISIBLE = plain({ opacityProperty: true, visibilityProperty: true });
const MAX_LOOKS = 50;

/** Whether there is nothing to see yet: an app that was never heard of beginning deserves a little more time. */
export function isBlank() {
  const root = body(document);
  return root !== null && shadowRoots.size === 0 && isEmpty(root);
}

/** Whether an element holds text that is not that of a script or style. */
function hasText(root) {
  return hasTextNode(root, (text) => trim(data(text)) !== '' && !test(NO_TEXT, localName(/** @type {Element} */ (parentElement(text)))));
}

/** Whether the page, or that which the frame is in, shows so little that it cannot be all, or says itself that more is to come. */
export const isUnfinished = shared?.isUnfinished ?? (() => {
  const root = body(document);
  if (root === null || isBusy() || isConcealed()) return true;
  const length = shownLength(root);
  return length < UNFINISHED_LENGTH || isMainMissing() || isMostlyConcealed(root, length);
});

/** Characters that can be seen, as far as they count. */
function shownLength(root) {
  let length = trim(innerText(root)).length;
  shadowRoots.forEach((shadow) => {
    if (length < UNFINISHED_LENGTH) each(children(shadow), (part) => (length += trim(quietly(() => innerText(part)) || '').length));
  });
  return length;
}

const isFilled = (part) => trim(innerText(part)).length >= FEW || query(part, CONTENT) !== null;
const isShort = (part) => query(part, HEADED) !== null && !test(WAIT, innerText(part));

/** Whether what the app is to fill is there and holds nothing of what is wanted. */
function lacksMain(/** @type {(part: Element) => boolean} */ isEnough) {
  if (shadowRoots.size > 0) return false;
  let parts = queryAll(document, MAIN);
  if (parts.length === 0) parts = queryAll(document, MOUNT);
  return parts.length > 0 && !some(parts, isEnough);
}

/** Whether what the app is to fill is there, and next to nothing in it: heads and feet of pages are often there before. */
export const isMainMissing = () => lacksMain(isFilled);

/** Whether the page has a heading or a list, also in what the app fills, and asks for no patience: then it may be short and all. */
export function isShortPage() {
  const root = body(document);
  return root !== null && isShort(root) && !lacksMain((part) => isFilled(part) || isShort(part));
}

/** Whether the page says in some way that more is to come. */
export const asksForPatience = () => isBusy() || lacksMain((part) => isFilled(part) || !test(WAIT, innerText(part)));

/** Whether an element shows nothing. */
const isEmpty = (element) => !hasText(element) && query(element, CONTENT) === null;

/** Whether something that can be seen says that the page is loading. Pictures that load lazily say so of themselves only. */
export function isBusy() {
  let looks = 0;
  return some(queryAll(document, BUSY), (element) => {
    looks += 1;
    if (looks > MAX_LOOKS || test(/^(img|picture|video|iframe|html)$/, localName(element))) return false;
    const says = attribute(element, 'aria-busy') === 'true' || attribute(element, 'role') === 'progressbar';
    const named = says || test(BUSY_WORD, replaceAll(asText(attribute(element, 'class')), OTHER_WORDS, ''));
    return named && isShown(element, VISIBLE);
  });
}
