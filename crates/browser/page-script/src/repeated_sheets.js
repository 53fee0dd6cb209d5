// Style sheets shared by many shadow roots: each root needs its own copy, which above a total size contains only the rules that apply in it.
// Used by `serialize.js`. Must never make the document exceed its size limit: further copies are omitted.

import { adoptedStyleSheets, host, isConnected, localName, query, queryAll } from './intrinsics/dom.js';
import { SafeSet, each, indexOf, replaceAll, slice, startsWith } from './intrinsics/language.js';
import { attempt } from './hooks.js';
import { css, sheetOfElement } from './native.js';
import { replaceDefined, ruleText, rulesOf, sheetText } from './sheets.js';
import { shadowRoots } from './state.js';

const MAX_COPIES_LENGTH = 512 * 1024; // characters of copies that are written completely
const MAX_CHECKS = 400_000; // checks whether a rule applies
const PSEUDO = /::?[\w-]+(\([^()]*\))?/g; // states and parts of an element

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
      const sheet = attempt(() => sheetOfElement(element));
      if (sheet) count(rulesOf(element, sheet, localName(element), root));
    });
  });
  if (copies <= MAX_COPIES_LENGTH && !omitsCopies) repeated.clear();
}

/** Returns the rules of a sheet that are written in a tree. */
export function rulesFor(text, sheet, tree) {
  if (tree === document || !repeated.has(text)) return text;
  if (!omitsCopies) return replaceDefined(applying(css.rules(sheet), tree));
  if (written.has(text)) return '';
  written.add(text);
  return text;
}

/** Returns the rules that may apply in a tree, as text. */
function applying(rules, tree) {
  let text = '';
  each(rules, (rule) => {
    const selector = attempt(() => css.selector(rule));
    const inner = selector ? undefined : attempt(() => css.innerRules(rule));
    if (!inner) {
      if (!selector || mayApply(selector, tree)) text += `${ruleText(rule, tree)}\n`;
      return;
    }
    const whole = css.ruleText(rule);
    const part = applying(inner, tree);
    // An empty layer still determines the order of layers.
    if (part || startsWith(whole, '@layer')) text += `${slice(whole, 0, indexOf(whole, '{'))}{ ${part}}\n`;
  });
  return text;
}

/** Returns true when a rule may apply in a tree. A selector that is invalid without its pseudo-classes is not examined. */
function mayApply(selector, tree) {
  checks += 1;
  if (checks > MAX_CHECKS) return false;
  return attempt(() => query(tree, replaceAll(selector, PSEUDO, '')) !== null) ?? true;
}
