// Checks that a parser reads the serialised text as the tree it was made from. Used by `serialize.js`.
// Scripts can build trees that no parser builds: `<style>` inside `<svg>` is text to one and markup to the other, and so is an element whose name
// has capitals.

import { clean, cleanAttributes, hasMisplacedText, writeDocument } from './clean.js';
import { eachElement, localName } from './intrinsics/dom.js';
import { allMatches, exec, replaceAll, some, test } from './intrinsics/language.js';
import { parseDocument } from './native.js';

const ROUNDS = 3; // reparsing is stable after one round, except for adversarial markup
const MAYBE_HANDLER = /[\s/"']on[a-z]+\s*=/i;
const TAG = /<[a-z]/gi;
const WRITTEN_TAG = /<[a-z][^\s/>]*((?:\s+[^\s=>"]+(?:="[^"]*")?)*)\s*\/?>/iy; // a start tag as the serialiser writes it
const VALUE = /"[^"]*"/g;
const CAPITALS = /<(?![a-z]+[\s>/])(?i:script|style|iframe|xmp|noembed|noframes|noscript|plaintext|template|textarea|title|link|meta|base|object|embed|svg|math)[\s>/]/;

/** Parses and cleans HTML again while a parser would read it differently. */
export function reparseUntilStable(html, copy) {
  let result = html;
  let tree = copy;
  for (let round = 0; round < ROUNDS && mayParseDifferently(result, tree); round += 1) {
    tree = parseDocument(result);
    clean(tree);
    cleanAttributes(tree);
    result = writeDocument(tree);
  }
  return result;
}

/** Returns true when the text has script tags or handlers that the tree has not, or may be parsed as another tree. */
function mayParseDifferently(html, tree) {
  return test(CAPITALS, html) || hasMisplacedText(tree) || hasHandler(html) || allMatches(html, /<script(?=[\s>/])/gi).length !== scripts(tree);
}

/** Returns true when a start tag in the text has a handler. Values do not count. A tag in another form was text before. */
function hasHandler(html) {
  if (!test(MAYBE_HANDLER, html)) return false;
  return some(allMatches(html, TAG), ({ index }) => {
    WRITTEN_TAG.lastIndex = index;
    const written = exec(WRITTEN_TAG, html);
    return !written || (test(MAYBE_HANDLER, written[1]) && test(MAYBE_HANDLER, replaceAll(written[1], VALUE, '')));
  });
}

function scripts(tree) {
  let sum = 0;
  eachElement(tree, (element) => localName(element) === 'script' && (sum += 1));
  return sum;
}
