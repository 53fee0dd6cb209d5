// Completeness of the page as it looks. Decides only the factor of the page's time: see `budgetFactor`.

import { attribute, body, children, data, documentElement, innerText, isShown, localName, parentElement, query, queryAll, walk } from './intrinsics/dom.js';
import { asText, each, filter, plain, replaceAll, some, test, trim } from './intrinsics/language.js';
import { attempt } from './hooks.js';
import { css, native } from './native.js';
import { shared } from './shared.js';
import { shadowRoots } from './state.js';

const NO_TEXT = /^(script|style|noscript|template)$/;
const CONTENT = 'img,svg,canvas,video,iframe,input,object,embed,frame';
const BUSY = '[aria-busy="true"],[role="progressbar"],[class*="skeleton" i],[class*="spinner" i],[class*="loading" i],[class*="loader" i]';
const BUSY_WORD = /skeleton|spinner|loading|loader/i;
const OTHER_WORDS = /(lazy|up|down|un|re)-?load(ing|ers?)?|no-?(loading|loader)/gi; // lazy pictures, buttons, states
const ANNOUNCED =
  /loading|wait\b|one moment|connecting|initiali[sz]ing|l[aä]d(t\b|en\b)|warten|moment bitte|chargement|patiente[zr]|cargando|espere|carregando|aguarde|caricamento|attend(ere|i\b)|[лз]агрузка|подождите|加载|载入|読み込み|로딩|(\.{3}|…)\s*$/i;
const MAIN = 'main,[role="main"]';
const MOUNT = '#root,#app,#__next,#__nuxt,#___gatsby,app-root'; // mount elements of frameworks
const VISIBLE = plain({ opacityProperty: true, visibilityProperty: true });
const MAX_CHECKED = 50;
const SHOW_TEXT = 4; // mask of a tree walker
const READ_MS = 150; // between checks, each of which needs a layout

/** Returns true when nothing is visible, or nothing is in the elements that the app fills. Needs no layout. */
export function isBlank() {
  const root = body(document);
  return root === null || !hasContent(root) || (contentElements()[0] !== undefined && !some(contentElements(), hasContent));
}

/** Returns how complete the page looks. */
export function completeness() {
  const root = body(document);
  if (root === null || isBlank() || isHidden()) return 'blank';
  const parts = contentElements();
  const length = visibleLength(root);
  const short = parts[0] ?? root;
  if (showsProgress() || (visibleLength(short) < RULES.thin.characters && test(ANNOUNCED, innerText(short)))) return 'busy';
  return length < RULES.thin.characters ? 'thin' : 'full';
}

const read = { at: -Infinity, factor: 1 };

/** Returns the factor of the page's budget: 2 when the page looks incomplete, else 1. */
export const budgetFactor = shared?.budgetFactor ?? (() => {
  if (native.now() - read.at < READ_MS) return read.factor;
  read.factor = test(/blank|busy/, completeness()) ? RULES.incomplete.times : 1;
  read.at = native.now();
  return read.factor;
});

/** Returns the root and the body, if they exist. */
export const rootAndBody = () => filter([documentElement(document), body(document)], (part) => part !== null);

/** Returns the CSS property that hides an element and its content, or an empty text. */
export function hidingProperty(part) {
  const style = native.getComputedStyle(part);
  if (css.property(style, 'opacity') === '0') return 'opacity';
  if (css.property(style, 'display') === 'none') return 'display';
  return css.property(style, 'visibility') === 'hidden' ? 'visibility' : '';
}

/** Returns true when the root or body is hidden. */
export const isHidden = () => some(rootAndBody(), hidingProperty);

/** Returns the elements that the app fills. */
function contentElements() {
  const parts = queryAll(document, MAIN);
  return parts.length > 0 ? parts : queryAll(document, MOUNT);
}

const hasText = (root) => walk(root, SHOW_TEXT, (text) => trim(data(text)) !== '' && !test(NO_TEXT, localName(/** @type {Element} */ (parentElement(text)))));
const hasContent = (element) => shadowRoots.size > 0 || hasText(element) || query(element, CONTENT) !== null;

/** Returns the number of visible characters, at least up to the bound of a thin page. */
function visibleLength(root) {
  let { length } = trim(innerText(root));
  shadowRoots.forEach((shadow) => {
    if (length < RULES.thin.characters) each(children(shadow), (part) => (length += trim(attempt(() => innerText(part)) || '').length));
  });
  return length;
}

/** Returns true when a visible element is a loading indicator. The classes of lazy pictures do not count. */
function showsProgress() {
  let checked = 0;
  return some(queryAll(document, BUSY), (element) => {
    checked += 1;
    if (checked > MAX_CHECKED || test(/^(img|picture|video|iframe|html)$/, localName(element))) return false;
    const isMarked = attribute(element, 'aria-busy') === 'true' || attribute(element, 'role') === 'progressbar';
    const isBusy = isMarked || test(BUSY_WORD, replaceAll(asText(attribute(element, 'class')), OTHER_WORDS, ''));
    return isBusy && isShown(element, VISIBLE);
  });
}
