// Style sheets as text: which of them scripts have changed, what the browser's own text of them loses, and `:defined`, which is written as a
// selector that holds for what was defined on the page: no script defines elements in the snapshot.

import { attribute, createElement, localName, nonce, query, queryAll, setAttribute, setTextContent, textContent } from './intrinsics/dom.js';
import {
  KeptMap, KeptSet, KeptWeakMap, KeptWeakSet, asText, each, includes, items, join, map, push, replaceAll, some, sort, startsWith, stringify, test, trim,
} from './intrinsics/language.js';
import { quietly, watchGetter, watchMethod, watchSetter } from './hooks.js';
import { css, native, parseUrl } from './native.js';
import { registry, shadowRoots } from './state.js';

const DEFINED = /:defined(?![\w-])/i;
// Strings and comments are left alone.
const EVERY_DEFINED = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\/\*[^]*?\*\/|:defined(?![\w-])/gi;

let defined = ''; // selectors of what is defined, behind commas

/** Finds out what the page has defined. Before style sheets are written. */
export function findDefined() {
  defined = '';
  if (!registry.isUsed) return;
  /** @type {Set<string>} */
  const selectors = new KeptSet();
  const look = (tree) => {
    each(queryAll(tree, ':defined'), (element) => includes(localName(element), '-') && selectors.add(native.escapeCss(localName(element))));
    each(queryAll(tree, '[is]:defined'), (element) => selectors.add(`[is=${stringify(attribute(element, 'is'))}]`));
  };
  look(document);
  shadowRoots.forEach(look);
  each(sort(items(selectors)), (selector) => (defined += `,${selector}`));
}

/** Returns whether rules hold for what is defined, or is not. */
export const asksForDefined = (rules) => defined !== '' && test(DEFINED, rules);

/** Rules as text that hold in the snapshot for what they held for on the page. */
export function keepDefined(rules) {
  if (!asksForDefined(rules)) return rules;
  return replaceAll(rules, EVERY_DEFINED, ({ 0: match }) => (startsWith(match, ':') ? `:is(${match}${defined})` : match));
}

const changedSheets = new KeptWeakSet(); // style sheets whose rules a script has changed
/** @type {WeakMap<CSSStyleSheet, string[]>} */
const writtenRules = new KeptWeakMap(); // sheet → texts that the page gave it
/** @type {Map<CSSStyleSheet, string>} */
export const sheetTexts = new KeptMap();

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
      else if (name === 'insertRule') noteRule(sheet, asText(args[0]));
    });
  });
  const ruleChanged = (rule) => changed(css.parentSheet(rule));
  each([CSSGroupingRule, CSSStyleRule, CSSKeyframesRule], (type) => {
    each(['insertRule', 'deleteRule', 'appendRule'], (name) => watchMethod(type.prototype, name, (_, rule) => ruleChanged(rule)));
  });
  // Reading `rule.style` may be the first half of a write. A sheet that was only read is written out with equal meaning.
  each([CSSStyleRule, CSSKeyframeRule], (type) => watchGetter(type.prototype, 'style', ruleChanged));
  watchGetter(CSSStyleRule.prototype, 'styleMap', ruleChanged);
  watchSetter(CSSStyleRule.prototype, 'selectorText', ruleChanged);
  watchMethod(window.CSS, 'registerProperty', (_, self, args) => noteProperty(args[0]));
}

let properties = '';

/** The rules of the properties that scripts have registered, as text. */
export const registeredProperties = () => properties;

function noteProperty({ name, syntax, inherits, initialValue }) {
  const initial = initialValue === undefined ? '' : ` initial-value: ${initialValue};`;
  properties += `@property ${name} { syntax: ${stringify(asText(syntax ?? '*'))}; inherits: ${!!inherits};${initial} }\n`;
}

function noteRule(sheet, rule) {
  const written = writtenRules.get(sheet);
  if (written) push(written, rule);
  else writtenRules.set(sheet, [rule]);
}

// A shorthand with `var()` of which a part was set again: the browser writes its other parts as nothing at all.
const LOST = /[{;] ?[a-z-]+: ;/;
const LOST_INLINE = /(^|; ?)[a-z-]+: ;/;
const GAP_IN_STYLE = '[style*=": ;"]';

const importedSheet = (rule) => quietly(() => css.imported(rule)) || null;

/** Returns whether the rules of a sheet, or of one that it imports, hold for what is defined. Those of another origin do not show. */
const asks = (sheet) => some(quietly(() => css.rules(sheet)) || [], (rule) => (importedSheet(rule) ? asks(importedSheet(rule)) : asksForDefined(css.ruleText(rule))));
const importsDefined = (sheet) => some(css.rules(sheet), (rule) => importedSheet(rule) !== null && asks(importedSheet(rule)));

/** The rules of a sheet with those of the sheets that it imports in their places. */
function withImports(sheet, tree) {
  let imports = ''; // what cannot be read, and has to come first
  let text = '';
  each(css.rules(sheet), (rule) => {
    const imported = importedSheet(rule);
    if (!imported) text += `${ruleText(rule, tree)}\n`;
    else if (!quietly(() => css.rules(imported))) imports += `${css.ruleText(rule)}\n`;
    else text += `${wrapped(rule, absoluteUrls(withImports(imported, tree), css.href(imported)))}\n`;
  });
  return imports + text;
}

/** The rules that a sheet imports, under the conditions on which it does. */
function wrapped(rule, rules) {
  const media = css.mediaText(css.importMedia(rule));
  const layer = css.importLayer(rule);
  const supports = css.importSupports(rule);
  let text = rules;
  if (layer !== null && layer !== undefined) text = `@layer ${layer} {\n${text}}`;
  if (supports) text = `@supports (${supports}) {\n${text}}`;
  return media ? `@media ${media} {\n${text}}` : text;
}

/** The rules of a sheet as the browser writes them, or as the page did where that loses something. */
function rulesText(sheet, tree) {
  if (importsDefined(sheet)) return withImports(sheet, tree);
  const rules = css.rules(sheet);
  const texts = map(rules, css.ruleText);
  if (!some(texts, (text) => test(LOST, text))) return join(texts, '\n');
  const asWritten = new KeptMap();
  let whole = '';
  each(sources(sheet), (source) => {
    if (whole || !test(/\bvar\(/i, source)) return;
    const scratch = new native.CSSStyleSheet();
    quietly(() => css.replaceSync(scratch, source));
    const read = map(css.rules(scratch), css.ruleText);
    if (read.length === texts.length && !some(read, (text, place) => text !== texts[place])) whole = source;
    else if (read.length === 1) asWritten.set(read[0], source);
  });
  if (whole) return whole;
  return join(map(texts, (text, place) => asWritten.get(text) || ruleText(rules[place], tree)), '\n');
}

/** One rule as text, without gaps. */
export function ruleText(rule, tree) {
  const text = css.ruleText(rule);
  return (test(LOST, text) && withComputed(rule, text, tree)) || text;
}

/** Returns the texts that the page wrote into a sheet. */
function sources(sheet) {
  const owner = css.ownerNode(sheet);
  /** @type {string[]} */
  const found = owner ? [textContent(owner)] : [];
  each(writtenRules.get(sheet) || [], (text) => push(found, text));
  return found;
}

/** The text of a rule with the values that the first element has which it applies to. */
function withComputed(rule, text, tree) {
  const element = quietly(() => query(tree, css.selector(rule)));
  return element ? fillIn(element, text) : '';
}

/** Gives declarations that the browser wrote without a value the value that an element has. */
function fillIn(element, text) {
  const values = native.getComputedStyle(element);
  return replaceAll(text, /([a-z-]+): (?=;)/g, (match) => `${match[1]}: ${css.property(values, match[1])}`);
}

/** Completes the style attributes of a copy, which the browser writes with the same gaps as its rules. */
export function restoreInlineStyles(original, copy) {
  const copies = queryAll(copy, GAP_IN_STYLE);
  if (copies[0] === undefined) return;
  each(queryAll(original, GAP_IN_STYLE), (element, place) => {
    const style = attribute(element, 'style');
    if (style !== null && test(LOST_INLINE, style)) setAttribute(copies[place], 'style', fillIn(element, style));
  });
}

/** The rules of a sheet as text that may stand in a style element of the document. */
export function sheetText(sheet, tree) {
  const known = sheetTexts.get(sheet);
  if (known !== undefined) return known;
  let text = `${rulesText(sheet, tree)}\n`;
  const href = css.href(sheet);
  if (href && !test(/^blob:/i, href)) text = absoluteUrls(text, href);
  text = keepDefined(replaceAll(text, /<\/(?=style)/gi, '<\\/'));
  sheetTexts.set(sheet, text);
  return text;
}

/** Returns whether the rules of a sheet stand nowhere else as they are needed. Another origin's sheet does not show them, and cannot have been changed. */
export function isInMemoryOnly(element, sheet, name) {
  const rules = quietly(() => css.rules(sheet));
  if (!rules) return false;
  if (changedSheets.has(sheet) || importsDefined(sheet)) return true;
  if (name === 'style') return rules[0] !== undefined && trim(textContent(element)) === '';
  return test(/^blob:/i, css.href(sheet) || '') || some(rules, (rule) => asksForDefined(css.ruleText(rule)));
}

/** The rules that are written for a style or link element, as text; nothing for a link that stays one. */
export function rulesOf(element, sheet, name, tree) {
  if (isInMemoryOnly(element, sheet, name)) return sheetText(sheet, tree);
  return name === 'style' ? keepDefined(textContent(element)) : '';
}

/** Addresses in a linked sheet are relative to it; in a style element they would be relative to the document. */
function absoluteUrls(text, base) {
  return replaceAll(text, /url\(("|')?([^"')]*)\1\)/g, (match) => {
    const url = match[2];
    if (!url || test(/^(#|data:)/i, url)) return match[0];
    const absolute = parseUrl(url, base);
    return absolute ? `url("${absolute.href}")` : match[0];
  });
}

/** A style element with the rules of a sheet. */
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
