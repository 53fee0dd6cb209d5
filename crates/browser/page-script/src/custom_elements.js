// Custom elements, which no script defines in the snapshot. Used by what writes style sheets.
// Pages hide elements until they are defined (`:not(:defined) { visibility: hidden }`): `:defined` is written as a selector that holds
// for what was defined on the page, too.

import { attribute, localName, queryAll } from './intrinsics/dom.js';
import { KeptSet, each, includes, items, replaceAll, sort, startsWith, stringify, test } from './intrinsics/language.js';
import { native } from './native.js';
import { registry, shadowRoots } from './roots.js';

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

/** Whether rules hold for what is defined, or is not. */
export const asksForDefined = (rules) => defined !== '' && test(DEFINED, rules);

/** Rules as text that hold in the snapshot for what they held for on the page. */
export function keepDefined(rules) {
  if (!asksForDefined(rules)) return rules;
  return replaceAll(rules, EVERY_DEFINED, ({ 0: match }) => (startsWith(match, ':') ? `:is(${match}${defined})` : match));
}
