// Style sheets shared by many shadow roots: each root needs its own copy, which above a total size contains only the rules that apply in it.
// Used by `serialize.js`. Must never make the document exceed its size limit: further copies are omitted.

import { adoptedStyleSheets, attribute, host, isConnected, localName, query, queryAll } from './intrinsics/dom.js';
import { SafeMap, SafeSet, each, exec, includes, indexOf, push, replaceAll, slice, startsWith, test, words } from './intrinsics/language.js';
import { attempt } from './hooks.js';
import { css, sheetOfElement } from './native.js';
import { replaceDefined, ruleText, rulesOf, sheetText } from './sheets.js';
import { shadowRoots } from './state.js';

const MAX_COPIES_LENGTH = 512 * 1024; // characters of copies that are written completely
const MAX_CHECKS = 400_000; // checks whether a rule applies

/** @type {Set<string>} */
const repeated = new SafeSet(); // sheets whose copies are reduced or omitted
/** @type {Set<string>} */
const written = new SafeSet();
let omitsCopies = false;
let checks = 0;

/** Finds the sheets whose copies are reduced. `omits`: all copies but the first are omitted. */
export function findRepeated(omits) {
  omitsCopies = omits;
  checks = 0;
  repeated.clear();
  written.clear();
  const seen = new SafeSet();
  let copies = 0;
  const count = (text) => {
    if (seen.has(text)) {
      copies += text.length;
      repeated.add(text);
    }
    seen.add(text);
  };
  shadowRoots.forEach((root) => {
    if (!isConnected(host(root))) return;
    each(adoptedStyleSheets(root), (sheet) => count(sheetText(sheet, root)));
    each(queryAll(root, 'style,link'), (element) => {
      const name = localName(element);
      const sheet = attempt(() => sheetOfElement(element, name));
      if (sheet) count(rulesOf(element, sheet, name, root));
    });
  });
  if (copies <= MAX_COPIES_LENGTH && !omitsCopies) repeated.clear();
}

/** Returns the rules of a sheet that are written in a tree. */
export function rulesFor(text, sheet, tree) {
  if (tree === document || !repeated.has(text)) return text;
  if (!omitsCopies) return replaceDefined(applying(css.rules(sheet), tree, classesIn(tree)));
  if (written.has(text)) return '';
  written.add(text);
  return text;
}

function classesIn(tree) {
  const found = new SafeSet();
  each(queryAll(tree, '[class]'), (element) => each(words(attribute(element, 'class') || ''), (name) => found.add(name)));
  return found;
}

/** Returns the rules that apply in a tree, as text. */
function applying(rules, tree, classes) {
  let text = '';
  each(rules, (rule) => {
    const selector = attempt(() => css.selector(rule));
    if (selector) {
      if (mayApply(selector, tree, classes)) text += `${ruleText(rule, tree)}\n`;
      return;
    }
    const whole = css.ruleText(rule);
    const inner = attempt(() => css.innerRules(rule));
    const part = inner ? applying(inner, tree, classes) : '';
    if (!inner) text += `${whole}\n`;
    // An empty layer still determines the order of layers.
    else if (part || startsWith(whole, '@layer')) text += `${slice(whole, 0, indexOf(whole, '{'))}{ ${part}}\n`;
  });
  return text;
}

// Parts of a selector that depend on the state of an element.
const STATES = /::[\w-]+(\([^()]*\))?|:(hover|focus|active|visited|link|any-link|target|checked|disabled|enabled|focus-visible|focus-within|before|after|placeholder-shown|autofill|invalid|valid|required|optional|read-only|read-write|open|popover-open|modal)(?![\w(-])/g;
const CLASS = /\.([\w-]+)/g;

/** @type {Map<string, { plain: string, classes: string[], isOfHost: boolean }>} */
const parsed = new SafeMap();

function parse(selector) {
  const cached = parsed.get(selector);
  if (cached) return cached;
  /** @type {string[]} */
  const classes = [];
  // All of the classes are required, unless the selector has alternatives.
  if (!test(/[,\\("']/, selector)) {
    CLASS.lastIndex = 0;
    for (let match = exec(CLASS, selector); match; match = exec(CLASS, selector)) push(classes, match[1]);
  }
  const made = { plain: replaceAll(selector, STATES, ''), classes, isOfHost: includes(selector, ':host') || includes(selector, '::slotted') };
  parsed.set(selector, made);
  return made;
}

function mayApply(selector, tree, classes) {
  const { plain, classes: needed, isOfHost } = parse(selector);
  if (isOfHost) return true;
  for (let index = 0; index < needed.length; index += 1) if (!classes.has(needed[index])) return false;
  checks += 1;
  if (checks > MAX_CHECKS) return false;
  return attempt(() => query(tree, plain) !== null) ?? true;
}
