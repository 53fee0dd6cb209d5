// Style sheets as text: changes by scripts, gaps in the browser's own serialisation, and `:defined`, which is replaced by selectors of the elements
// that the page has defined, since no script defines them in the snapshot.

import { attribute, createElement, localName, nonce, query, queryAll, setAttribute, setTextContent, textContent } from './intrinsics/dom.js';
import {
  SafeMap, SafeSet, SafeWeakMap, SafeWeakSet, asText, each, includes, items, join, map, push, replaceAll, some, sort, startsWith, stringify, test, trim,
} from './intrinsics/language.js';
import { attempt, watchGetter, watchMethod, watchSetter } from './hooks.js';
import { css, native, parseUrl } from './native.js';
import { registry, shadowRoots } from './state.js';

const DEFINED = /:defined(?![\w-])/i;
// Strings and comments are not changed.
const EVERY_DEFINED = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\/\*[^]*?\*\/|:defined(?![\w-])/gi;

let defined = ''; // selectors of defined elements, each after a comma

/** Finds the defined elements. Must be called before style sheets are written. */
export function findDefined() {
  defined = '';
  if (!registry.isUsed) return;
  /** @type {Set<string>} */
  const selectors = new SafeSet();
  const examine = (tree) => {
    each(queryAll(tree, ':defined'), (element) => includes(localName(element), '-') && selectors.add(native.escapeCss(localName(element))));
    each(queryAll(tree, '[is]:defined'), (element) => selectors.add(`[is=${stringify(attribute(element, 'is'))}]`));
  };
  examine(document);
  shadowRoots.forEach(examine);
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
/** @type {WeakMap<CSSStyleSheet, string[]>} */
const writtenRules = new SafeWeakMap(); // texts that the page wrote, by sheet
/** @type {Map<CSSStyleSheet, string>} */
export const sheetTexts = new SafeMap();

export function watchStyleSheets() {
  const changed = (sheet) => {
    let top = sheet;
    while (top && css.ownerRule(top)) top = css.ownerRule(top);
    if (top) changedSheets.add(top);
  };
  each(['insertRule', 'deleteRule', 'addRule', 'removeRule', 'replace', 'replaceSync'], (name) => {
    watchMethod(CSSStyleSheet.prototype, name, (_, sheet, args) => {
      changed(sheet);
      if (startsWith(name, 'replace')) writtenRules.set(sheet, [asText(args[0])]);
      else if (name === 'insertRule') recordRule(sheet, asText(args[0]));
    });
  });
  const ruleChanged = (rule) => changed(css.parentSheet(rule));
  each([CSSGroupingRule, CSSStyleRule, CSSKeyframesRule], (type) => {
    each(['insertRule', 'deleteRule', 'appendRule'], (name) => watchMethod(type.prototype, name, (_, rule) => ruleChanged(rule)));
  });
  // Reading `rule.style` may precede a write. A sheet that was only read is written with equal meaning.
  each([CSSStyleRule, CSSKeyframeRule], (type) => watchGetter(type.prototype, 'style', ruleChanged));
  watchGetter(CSSStyleRule.prototype, 'styleMap', ruleChanged);
  watchSetter(CSSStyleRule.prototype, 'selectorText', ruleChanged);
  watchMethod(window.CSS, 'registerProperty', (_, self, args) => recordProperty(args[0]));
}

let properties = '';

/** Returns the rules of properties that scripts have registered. */
export const registeredProperties = () => properties;

function recordProperty({ name, syntax, inherits, initialValue }) {
  const initial = initialValue === undefined ? '' : ` initial-value: ${initialValue};`;
  properties += `@property ${name} { syntax: ${stringify(asText(syntax ?? '*'))}; inherits: ${!!inherits};${initial} }\n`;
}

function recordRule(sheet, rule) {
  const written = writtenRules.get(sheet);
  if (written) push(written, rule);
  else writtenRules.set(sheet, [rule]);
}

// Serialisation of a shorthand with `var()` of which one longhand was set: the other longhands have no value.
const GAP = /[{;] ?[a-z-]+: ;/;
const GAP_INLINE = /(^|; ?)[a-z-]+: ;/;
const GAP_IN_STYLE = '[style*=": ;"]';

const importedSheet = (rule) => attempt(() => css.imported(rule)) || null;

/** Returns true when rules of a sheet or its imports use `:defined`. Those of another origin cannot be read. */
const sheetUsesDefined = (sheet) => some(attempt(() => css.rules(sheet)) || [], (rule) => (importedSheet(rule) ? sheetUsesDefined(importedSheet(rule)) : usesDefined(css.ruleText(rule))));
const importsDefined = (sheet) => some(css.rules(sheet), (rule) => importedSheet(rule) !== null && sheetUsesDefined(importedSheet(rule)));

/** Returns the rules of a sheet with the rules of its imports in place. */
function withImports(sheet, tree) {
  let imports = ''; // imports that cannot be read, which must come first
  let text = '';
  each(css.rules(sheet), (rule) => {
    const imported = importedSheet(rule);
    if (!imported) text += `${ruleText(rule, tree)}\n`;
    else if (!attempt(() => css.rules(imported))) imports += `${css.ruleText(rule)}\n`;
    else text += `${wrapped(rule, absoluteUrls(withImports(imported, tree), css.href(imported)))}\n`;
  });
  return imports + text;
}

/** Returns imported rules with the conditions of their import. */
function wrapped(rule, rules) {
  const media = css.mediaText(css.importMedia(rule));
  const layer = css.importLayer(rule);
  const supports = css.importSupports(rule);
  let text = rules;
  if (layer !== null && layer !== undefined) text = `@layer ${layer} {\n${text}}`;
  if (supports) text = `@supports (${supports}) {\n${text}}`;
  return media ? `@media ${media} {\n${text}}` : text;
}

/** Returns the rules of a sheet as the browser serialises them or, where that has gaps, as the page wrote them. */
function rulesText(sheet, tree) {
  if (importsDefined(sheet)) return withImports(sheet, tree);
  const rules = css.rules(sheet);
  const texts = map(rules, css.ruleText);
  if (!some(texts, (text) => test(GAP, text))) return join(texts, '\n');
  const asWritten = new SafeMap();
  let whole = '';
  each(writtenTexts(sheet), (source) => {
    if (whole || !test(/\bvar\(/i, source)) return;
    const scratch = new native.CSSStyleSheet();
    attempt(() => css.replaceSync(scratch, source));
    const read = map(css.rules(scratch), css.ruleText);
    if (read.length === texts.length && !some(read, (text, index) => text !== texts[index])) whole = source;
    else if (read.length === 1) asWritten.set(read[0], source);
  });
  if (whole) return whole;
  return join(map(texts, (text, index) => asWritten.get(text) || ruleText(rules[index], tree)), '\n');
}

/** Returns a rule as text without gaps. */
export function ruleText(rule, tree) {
  const text = css.ruleText(rule);
  return (test(GAP, text) && withComputed(rule, text, tree)) || text;
}

/** Returns the texts that the page wrote into a sheet. */
function writtenTexts(sheet) {
  const owner = css.ownerNode(sheet);
  /** @type {string[]} */
  const found = owner ? [textContent(owner)] : [];
  each(writtenRules.get(sheet) || [], (text) => push(found, text));
  return found;
}

/** Returns a rule with the computed values of the first element that it applies to. */
function withComputed(rule, text, tree) {
  const element = attempt(() => query(tree, css.selector(rule)));
  return element ? fillGaps(element, text) : '';
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
  if (changedSheets.has(sheet) || importsDefined(sheet)) return true;
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
