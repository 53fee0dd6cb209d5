// Shows a page that is hidden as a whole for a moment: snippets of A/B tests and consent tools hide it until their script has come,
// or for some seconds when it never does ("anti-flicker"), frameworks until they have begun. See docs/decisions/0346.
// Must never show a part that the page hides: only the document's root and its body are looked at.

import { endAnimationsOf } from './animations.js';
import { hidingProperty, isConcealed, wholes } from './concealment.js';
import { quietly } from './hooks.js';
import { attribute, queryAll, setAttribute, textContent } from './intrinsics/dom.js';
import { KeptSet, each, filter, getter, join, map, method, plain, push, setter, some, test, words } from './intrinsics/language.js';
import { css, sheetOfElement } from './native.js';
import { goesByPage, isMatterOfTime } from './only_time.js';
import { now } from './shared.js';
import { state } from './state.js';
import { isHeld, isLikelyPending, work } from './work.js';

const TIMES = 3; // what a page hides again stays hidden
const LONGEST_VEIL = 1000; // characters of a sheet that does no more than hide
const HIDING = /^(opacity|visibility|display|filter|pointer-events|(overflow|background|transition|animation)(-.*)?)$/;
const SHOWN = plain({ opacity: '1', display: 'block', visibility: 'visible' });

const { CSSKeyframesRule, CSSStyleRule } = window;
const setDisabled = setter(StyleSheet.prototype, 'disabled');
const inlineStyle = getter(HTMLElement.prototype, 'style');
const setProperty = method(CSSStyleDeclaration.prototype, 'setProperty');
const removeProperty = method(CSSStyleDeclaration.prototype, 'removeProperty');
const countOf = getter(CSSStyleDeclaration.prototype, 'length');
const nameAt = method(CSSStyleDeclaration.prototype, 'item');

/**
 * Something that may hide the page: taken away, and put back.
 * @typedef {{ lift: () => void, drop: () => void }} Veil
 */

let times = 0;

/** The same, once nothing is on its way that would show the page. */
export const unveilInTime = () => state.contentLoaded && !isLikelyPending() && !isAboutToShow() && quietly(unveil) === true;

/** A page that shows itself after a time that can be skipped knows best how. */
function isAboutToShow() {
  const last = work.lastRequest + RULES.veil.ms + RULES.lateCall.ms;
  const present = now();
  return goesByPage() && isMatterOfTime() && isHeld((kind, { until }) => kind === 'unlikely' && until > present && until <= last);
}

/** Takes away what hides the page as a whole. True when that has shown it. */
export function unveil() {
  if (times >= TIMES || !isConcealed()) return false;
  times += 1;
  if (isRevealed()) return true;
  /** @type {Veil[]} */
  const veils = [];
  each(wholes(), (part) => each(classes(part), (veil) => push(veils, veil)));
  each(wholes(), (part) => each(inlineVeils(part), (veil) => push(veils, veil)));
  each(sheets(), (veil) => push(veils, veil));
  return some(veils, (veil) => isLifted([veil])) || isLifted(veils) || isOverruled();
}

/** Whether the page can be seen, but for what is fading in. */
function isRevealed() {
  if (isConcealed()) each(wholes(), endAnimationsOf);
  return !isConcealed();
}

/** Takes veils away, as few as it needs; rather a class than a sheet. */
function isLifted(veils) {
  each(veils, (veil) => veil.lift());
  const isEnough = isRevealed();
  if (isEnough && veils.length === 1) return true;
  for (let place = veils.length - 1; place >= 0; place -= 1) {
    veils[place].drop();
    if (isEnough && !isRevealed()) veils[place].lift();
  }
  return isEnough && isRevealed();
}

function classes(element) {
  const written = attribute(element, 'class');
  if (!written) return [];
  const names = words(written);
  const gone = new KeptSet();
  const write = () => setAttribute(element, 'class', gone.size === 0 ? written : join(filter(names, (name) => !gone.has(name)), ' '));
  return map(names, (name) => ({
    lift() {
      gone.add(name);
      write();
    },
    drop() {
      gone.delete(name);
      write();
    },
  }));
}

function inlineVeils(element) {
  const style = inlineStyle(element);
  const hiding = filter(['opacity', 'visibility', 'display'], (name) => test(/^(0|hidden|none)$/, css.property(style, name)));
  return map(hiding, (name) => {
    const value = css.property(style, name);
    const priority = css.priority(style, name);
    return { lift: () => removeProperty(style, name), drop: () => setProperty(style, name, value, priority) };
  });
}

/** Style elements that do no more than hide. */
function sheets() {
  const found = filter(queryAll(document, 'style'), (style) => {
    const text = textContent(style);
    if (text.length > LONGEST_VEIL || !test(/opacity|visibility|display/i, text)) return false;
    const sheet = sheetOfElement(style, 'style');
    return sheet && !css.isDisabled(sheet) && !some(css.rules(sheet), (rule) => !isHiding(rule));
  });
  return map(found, (style) => {
    const sheet = sheetOfElement(style, 'style');
    return { lift: () => setDisabled(sheet, true), drop: () => setDisabled(sheet, false) };
  });
}

function isHiding(rule) {
  if (rule instanceof CSSKeyframesRule) return true;
  if (!(rule instanceof CSSStyleRule)) return false;
  const style = css.ofStyleRule(rule);
  for (let place = countOf(style) - 1; place >= 0; place -= 1) if (!test(HIDING, nameAt(style, place))) return false;
  return true;
}

/** Where a sheet hides the page that does more: the elements themselves say otherwise. */
function isOverruled() {
  each(wholes(), (part) => {
    for (let name = hidingProperty(part); name; name = hidingProperty(part)) {
      const before = name;
      setProperty(inlineStyle(part), name, SHOWN[name], 'important');
      endAnimationsOf(part);
      if (hidingProperty(part) === before) return;
    }
  });
  return !isConcealed();
}
