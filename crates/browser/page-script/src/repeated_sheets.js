// Style sheets that many shadow roots have: each root needs its own copy, and over a size gets only the rules that apply in it.
// Used by `serialize.js`. Must never cost the page: what does not fit even so is left out.

import { adoptedStyleSheets, attribute, host, isConnected, localName, query, queryAll } from './intrinsics/dom.js';
import { KeptMap, KeptSet, each, exec, includes, indexOf, push, replaceAll, slice, startsWith, test, words } from './intrinsics/language.js';
import { quietly } from './hooks.js';
import { css, sheetOfElement } from './native.js';
import { keepDefined, ruleText, rulesOf, sheetText } from './sheets.js';
import { shadowRoots } from './state.js';

const PLENTY = 512 * 1024; // characters of copies that are written whole
const MAX_LOOKS = 400_000; // at whether a rule applies

/** @type {Set<string>} */
const repeated = new KeptSet(); // sheets of which only a part is written, or nothing
/** @type {Set<string>} */
const written = new KeptSet();
let isFrugal = false;
let looks = 0;

/** Finds the sheets that are written in part. `leavesOut`: not at all, but for their first copy. */
export function findRepeated(leavesOut) {
  isFrugal = leavesOut;
  looks = 0;
  repeated.clear();
  written.clear();
  const seen = new KeptSet();
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
      const sheet = quietly(() => sheetOfElement(element, name));
      if (sheet) count(rulesOf(element, sheet, name, root));
    });
  });
  if (copies <= PLENTY && !isFrugal) repeated.clear();
}

/** The part of a sheet that is written in a tree: all of it, unless it is one of too many copies. */
export function shareOf(text, sheet, tree) {
  if (tree === document || !repeated.has(text)) return text;
  if (!isFrugal) return keepDefined(applying(css.rules(sheet), tree, classesIn(tree)));
  if (written.has(text)) return '';
  written.add(text);
  return text;
}

function classesIn(tree) {
  const found = new KeptSet();
  each(queryAll(tree, '[class]'), (element) => each(words(attribute(element, 'class') || ''), (name) => found.add(name)));
  return found;
}

/** The rules of a list that apply in a tree, as text. */
function applying(rules, tree, classes) {
  let text = '';
  each(rules, (rule) => {
    const selector = quietly(() => css.selector(rule));
    if (selector) {
      if (mayApply(selector, tree, classes)) text += `${ruleText(rule, tree)}\n`;
      return;
    }
    const whole = css.ruleText(rule);
    const inner = quietly(() => css.innerRules(rule));
    const part = inner ? applying(inner, tree, classes) : '';
    if (!inner) text += `${whole}\n`;
    // Even an empty layer has its place in their order.
    else if (part || startsWith(whole, '@layer')) text += `${slice(whole, 0, indexOf(whole, '{'))}{ ${part}}\n`;
  });
  return text;
}

// Parts of a selector that do not depend on the state of an element.
const STATES = /::[\w-]+(\([^()]*\))?|:(hover|focus|active|visited|link|any-link|target|checked|disabled|enabled|focus-visible|focus-within|before|after|placeholder-shown|autofill|invalid|valid|required|optional|read-only|read-write|open|popover-open|modal)(?![\w(-])/g;
const CLASS = /\.([\w-]+)/g;

/** @type {Map<string, { plain: string, classes: string[], isOfHost: boolean }>} */
const parsed = new KeptMap();

function parse(selector) {
  const known = parsed.get(selector);
  if (known) return known;
  /** @type {string[]} */
  const classes = [];
  // All of the classes have to be there, unless there are others to choose from.
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
  for (let place = 0; place < needed.length; place += 1) if (!classes.has(needed[place])) return false;
  looks += 1;
  if (looks > MAX_LOOKS) return false;
  return quietly(() => query(tree, plain) !== null) ?? true;
}
