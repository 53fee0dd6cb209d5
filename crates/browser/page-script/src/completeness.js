// Completeness of the page as it looks. Decides only the factor of the waiting time: see `patience`.

import { attribute, body, children, data, documentElement, hasTextNode, innerText, isShown, localName, parentElement, query, queryAll } from './intrinsics/dom.js';
import { asText, each, filter, plain, replaceAll, some, test, trim } from './intrinsics/language.js';
import { quietly } from './hooks.js';
import { css, native } from './native.js';
import { shared } from './shared.js';
import { shadowRoots } from './state.js';

const NO_TEXT = /^(script|style|noscript|template)$/;
const CONTENT = 'img,svg,canvas,video,iframe,input,object,embed,frame';
const BUSY = '[aria-busy="true"],[role="progressbar"],[class*="skeleton" i],[class*="spinner" i],[class*="loading" i],[class*="loader" i]';
const BUSY_WORD = /skeleton|spinner|loading|loader/i;
const OTHER_WORDS = /(lazy|up|down|un|re)-?load(ing|ers?)?|no-?(loading|loader)/gi; // lazysizes, buttons, states
const ANNOUNCED =
  /loading|wait\b|one moment|connecting|initiali[sz]ing|l[aä]d(t\b|en\b)|warten|moment bitte|chargement|patiente[zr]|cargando|espere|carregando|aguarde|caricamento|attend(ere|i\b)|[лз]агрузка|подождите|加载|载入|読み込み|로딩|(\.{3}|…)\s*$/i;
const MAIN = 'main,[role="main"]';
const MOUNT = '#root,#app,#__next,#__nuxt,#___gatsby,app-root'; // where frameworks begin
const VISIBLE = plain({ opacityProperty: true, visibilityProperty: true });
const MAX_LOOKS = 50;
const READ_MS = 150; // between looks, each of which needs a layout

/** Returns whether there is nothing to see, or nothing in what the app is to fill. Needs no layout. */
export function isBlank() {
  const root = body(document);
  return root === null || !holdsContent(root) || (filledParts()[0] !== undefined && !some(filledParts(), holdsContent));
}

/** Returns how complete the page looks. */
export function completeness() {
  const root = body(document);
  if (root === null || isBlank() || isHidden()) return 'blank';
  const parts = filledParts();
  const length = shownLength(root);
  const short = parts[0] ?? root;
  if (showsProgress() || (shownLength(short) < RULES.thin.characters && test(ANNOUNCED, innerText(short)))) return 'busy';
  return length < RULES.thin.characters ? 'thin' : 'full';
}

const read = { at: -Infinity, factor: 1 };

/** Returns the factor for the page's budget: 2 when the page cannot be all, else 1. */
export const patience = shared?.patience ?? (() => {
  if (native.now() - read.at < READ_MS) return read.factor;
  read.factor = test(/blank|busy/, completeness()) ? RULES.patience.times : 1;
  read.at = native.now();
  return read.factor;
});

/** The root and the body, as far as there are any. */
export const wholes = () => filter([documentElement(document), body(document)], (part) => part !== null);

/** Returns the property of its own style that hides an element and all in it, if any. */
export function hidingProperty(part) {
  const style = native.getComputedStyle(part);
  if (css.property(style, 'opacity') === '0') return 'opacity';
  if (css.property(style, 'display') === 'none') return 'display';
  return css.property(style, 'visibility') === 'hidden' ? 'visibility' : '';
}

/** Returns whether nothing of the page can be seen because its root or body is hidden. */
export const isHidden = () => some(wholes(), hidingProperty);

/** The elements that the app is to fill. */
function filledParts() {
  const parts = queryAll(document, MAIN);
  return parts.length > 0 ? parts : queryAll(document, MOUNT);
}

const hasText = (root) => hasTextNode(root, (text) => trim(data(text)) !== '' && !test(NO_TEXT, localName(/** @type {Element} */ (parentElement(text)))));
const holdsContent = (element) => shadowRoots.size > 0 || hasText(element) || query(element, CONTENT) !== null;

/** Returns the number of characters that can be seen, as far as they count. */
function shownLength(root) {
  let { length } = trim(innerText(root));
  shadowRoots.forEach((shadow) => {
    if (length < RULES.thin.characters) each(children(shadow), (part) => (length += trim(quietly(() => innerText(part)) || '').length));
  });
  return length;
}

/** Returns whether something that can be seen says that the page is loading. Pictures that load lazily say so of themselves only. */
function showsProgress() {
  let looks = 0;
  return some(queryAll(document, BUSY), (element) => {
    looks += 1;
    if (looks > MAX_LOOKS || test(/^(img|picture|video|iframe|html)$/, localName(element))) return false;
    const says = attribute(element, 'aria-busy') === 'true' || attribute(element, 'role') === 'progressbar';
    const named = says || test(BUSY_WORD, replaceAll(asText(attribute(element, 'class')), OTHER_WORDS, ''));
    return named && isShown(element, VISIBLE);
  });
}
