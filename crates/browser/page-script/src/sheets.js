// Style sheets as text: changes by scripts, gaps in the browser's own serialisation, and `:defined`, which is replaced by selectors of the elements
// that the page has defined, since no script defines them in the snapshot.

import { attribute, createElement, localName, nonce, query, queryAll, setAttribute, setTextContent, textContent } from './intrinsics/dom.js';
import {
  SafeMap, SafeSet, SafeWeakMap, SafeWeakSet, asText, each, includes, items, join, map, replaceAll, some, sort, startsWith, stringify, test, trim,
} from './intrinsics/language.js';
import { attempt, replaceGetter, watchMethod, watchSetter } from './hooks.js';
import { css, native, parseUrl } from './native.js';
import { eachTree } from './state.js';

const DEFINED = /:defined(?![\w-])/i;
// Strings and comments are not changed.
const EVERY_DEFINED = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\/\*[^]*?\*\/|:defined(?![\w-])/gi;

let defined = ''; // selectors of defined elements, each after a comma

/** Finds the defined elements. Must be called before style sheets are written. */
export function findDefined() {
  defined = '';
  /** @type {Set<string>} */
  const selectors = new SafeSet();
  eachTree((tree) => {
    each(queryAll(tree, ':defined'), (element) => includes(localName(element), '-') && selectors.add(native.escapeCss(localName(element))));
    each(queryAll(tree, '[is]:defined'), (element) => selectors.add(`[is=${stringify(attribute(element, 'is'))}]`));
  });
  each(sort(items(selectors)), (selector) => (defined += `,${selector}`));
}

/** Returns true when rules use `:defined`. */
export const usesDefined = (rules) => defined !== '' && test(DEFINED, rules);

/** Returns rules with `:defined` replaced. */
export function replaceDefined(rules) {
  if (!usesDefined(rules)) return rules;
  return replaceAll(rules, EVERY_DEFINED, ({ 0: match }) => (startsWith(match, ':') ? `:is(${match}${defined})` : match));
}

const changedSheets = new SafeWeakSet(); // style sheets with rules changed by scripts
/** @type {WeakMap<CSSStyleSheet, string>} */
const writtenRules = new SafeWeakMap(); // text that scripts wrote, by sheet
/** @type {Map<CSSStyleSheet, string>} */
export const sheetTexts = new SafeMap();

export function watchStyleSheets() {
  const changed = (sheet) => {
    let top = sheet;
    while (top && css.importer(top)) top = css.importer(top);
    if (top) changedSheets.add(top);
  };
  each(['insertRule', 'deleteRule', 'addRule', 'removeRule', 'replace', 'replaceSync'], (name) => {
    watchMethod(CSSStyleSheet.prototype, name, (_, sheet, args) => {
      changed(sheet);
      if (name === 'insertRule') writtenRules.set(sheet, `${writtenRules.get(sheet) ?? ''}\n${args[0]}`);
      else if (startsWith(name, 'replace')) writtenRules.set(sheet, asText(args[0]));
    });
  });
  const ruleChanged = (rule) => changed(css.sheetOfRule(rule));
  each([CSSGroupingRule, CSSStyleRule, CSSKeyframesRule], (type) => {
    each(['insertRule', 'deleteRule', 'appendRule'], (name) => watchMethod(type.prototype, name, (_, rule) => ruleChanged(rule)));
  });
  // Reading `rule.style` may precede a write. A sheet that was only read is written with equal meaning.
  const recordRead = (read, rule) => {
    attempt(() => ruleChanged(rule));
    return read();
  };
  each([CSSStyleRule, CSSKeyframeRule], (type) => replaceGetter(type.prototype, 'style', recordRead));
  replaceGetter(CSSStyleRule.prototype, 'styleMap', recordRead);
  watchSetter(CSSStyleRule.prototype, 'selectorText', ruleChanged);
}

// Serialisation of a shorthand with `var()` of which one longhand was set: the other longhands have no value.
const GAP = /[{;] ?[a-z-]+: ;/;
const GAP_INLINE = /(^|; ?)[a-z-]+: ;/;
const GAP_IN_STYLE = '[style*=": ;"]';

/** Returns the rules of a sheet as the browser serialises them or, where that has gaps, as the page wrote them, if the rules are still the same. */
function rulesText(sheet, tree) {
  const rules = css.rules(sheet);
  const text = join(map(rules, css.ruleText), '\n');
  if (!test(GAP, text)) return text;
  const owner = css.ownerNode(sheet);
  const written = (owner ? textContent(owner) : '') + (writtenRules.get(sheet) ?? '');
  const scratch = new native.CSSStyleSheet();
  css.replaceSync(scratch, written);
  return join(map(css.rules(scratch), css.ruleText), '\n') === text ? written : join(map(rules, (rule) => ruleText(rule, tree)), '\n');
}

/** Returns a rule as text. Gaps are filled with the computed values of the first element that the rule applies to. */
export function ruleText(rule, tree) {
  const text = css.ruleText(rule);
  const element = test(GAP, text) && attempt(() => query(tree, css.selector(rule)));
  return element ? fillGaps(element, text) : text;
}

/** Fills declarations without a value with the computed values of an element. */
function fillGaps(element, text) {
  const values = native.getComputedStyle(element);
  return replaceAll(text, /([a-z-]+): (?=;)/g, (match) => `${match[1]}: ${css.property(values, match[1])}`);
}

/** Fills the same gaps in the style attributes of a copy. */
export function restoreInlineStyles(original, copy) {
  const copies = queryAll(copy, GAP_IN_STYLE);
  if (copies[0] === undefined) return;
  each(queryAll(original, GAP_IN_STYLE), (element, index) => {
    const style = attribute(element, 'style');
    if (style !== null && test(GAP_INLINE, style)) setAttribute(copies[index], 'style', fillGaps(element, style));
  });
}

/** Returns the rules of a sheet as text for a style element of the document. */
export function sheetText(sheet, tree) {
  const cached = sheetTexts.get(sheet);
  if (cached !== undefined) return cached;
  let text = `${rulesText(sheet, tree)}\n`;
  const href = css.href(sheet);
  if (href && !test(/^blob:/i, href)) text = absoluteUrls(text, href);
  text = replaceDefined(replaceAll(text, /<\/(?=style)/gi, '<\\/'));
  sheetTexts.set(sheet, text);
  return text;
}

/** Returns true when the current rules exist in memory only. A sheet of another origin cannot be read, and cannot have been changed. */
export function isInMemoryOnly(element, sheet, name) {
  const rules = attempt(() => css.rules(sheet));
  if (!rules) return false;
  if (changedSheets.has(sheet)) return true;
  if (name === 'style') return rules[0] !== undefined && trim(textContent(element)) === '';
  return test(/^blob:/i, css.href(sheet) || '') || some(rules, (rule) => usesDefined(css.ruleText(rule)));
}

/** Returns the rules that are written for a style or link element; empty for a link that stays one. */
export function rulesOf(element, sheet, name, tree) {
  if (isInMemoryOnly(element, sheet, name)) return sheetText(sheet, tree);
  return name === 'style' ? replaceDefined(textContent(element)) : '';
}

/** Makes addresses absolute, which were relative to the linked sheet. */
function absoluteUrls(text, base) {
  return replaceAll(text, /url\(("|')?([^"')]*)\1\)/g, (match) => {
    const url = match[2];
    if (!url || test(/^(#|data:)/i, url)) return match[0];
    const absolute = parseUrl(url, base);
    return absolute ? `url("${absolute.href}")` : match[0];
  });
}

/** Makes a style element with the rules of a sheet. */
export function styleElement(inert, sheet, rules) {
  const style = createElement(inert, 'style');
  const media = css.mediaText(css.media(sheet));
  if (media) setAttribute(style, 'media', media);
  const hasPolicy = query(document, 'meta[http-equiv="content-security-policy" i]') !== null;
  const allowed = hasPolicy && query(document, 'style[nonce],link[nonce]');
  if (allowed) setAttribute(style, 'nonce', nonce(allowed));
  setTextContent(style, rules);
  return style;
}
