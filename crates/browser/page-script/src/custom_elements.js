// Rules for custom elements that no script defines any more. Used by `serialize.js`.
//
// Pages hide elements until they are defined (`:not(:defined) { visibility: hidden }`). The rules stay as they are; what
// they would hide in the snapshot gets the values that it had on the page, and what `:defined` gave it gets it again.

import { quietly } from './hooks.js';
import { adoptedStyleSheets, localName, matches, queryAll, styleSheets } from './intrinsics/dom.js';
import { KeptSet, each, filter, includes, items, join, replaceAll, sort } from './intrinsics/language.js';
import { css, native } from './native.js';
import { registry } from './roots.js';

/** The rules that a document or shadow root needs besides its own, as text. */
export function customElementRules(tree) {
  if (!registry.isUsed) return '';
  let text = '';
  const visit = (rules) => {
    each(rules || [], (rule) => {
      const selector = quietly(() => css.selector(rule));
      if (!selector) visit(quietly(() => css.innerRules(rule)));
      else if (includes(selector, ':defined')) quietly(() => (text += restoredRule(rule, selector, tree)));
    });
  };
  each([styleSheets(tree), adoptedStyleSheets(tree)], (sheets) => each(sheets, (sheet) => quietly(() => visit(css.rules(sheet)))));
  return text;
}

function restoredRule(rule, written, tree) {
  const isHiding = includes(written, ':not(:defined)');
  const pseudo = isHiding ? /:not\(:defined\)/g : /:defined/g;
  // What remains of the selector; a universal one where nothing does.
  const plain = replaceAll(replaceAll(written, pseudo, ''), /(^|[\s,>+~])(?=[\s,>+~]|$)/g, (match) => `${match[1]}*`);
  const isDefined = (one) => includes(localName(one), '-') && matches(one, ':defined');
  // What a part of the page waits for, as `body:has(my-app:not(:defined))`, or is itself.
  const isAround = isHiding && includes(written, ':has(');
  const elements = filter(queryAll(tree, plain), (one) => (isAround ? !matches(one, written) : isDefined(one)));
  if (elements.length === 0) return '';
  const names = new KeptSet();
  each(isAround ? filter(queryAll(tree, '*'), isDefined) : elements, (one) => names.add(localName(one)));
  const selector = isHiding ? replaceAll(written, pseudo, `:is(${join(sort(items(names)), ',')}):not(:defined)`) : plain;
  const values = native.getComputedStyle(elements[0]);
  const style = css.ofStyleRule(rule);
  let declarations = '';
  each(style, (name) => {
    const isImportant = isHiding || css.priority(style, name) !== '';
    declarations += `${name}: ${css.property(isHiding ? values : style, name)}${isImportant ? ' !important' : ''}; `;
  });
  return `${selector} { ${declarations}}\n`;
}
