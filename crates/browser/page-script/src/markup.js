// The last look at the text that leaves: whether a parser reads it as what it was written from. Used by `serialize.js`.
// Trees that scripts build need not be trees that a parser can build: `<style>` inside `<svg>` is text to one and markup to
// the other, and so is an element whose name is written in capitals.

import { clean, cleanAttributes, hasMisplacedText, writeDocument } from './clean.js';
import { eachElement, localName } from './intrinsics/dom.js';
import { exec, replaceAll, test } from './intrinsics/language.js';
import { parseDocument } from './native.js';

const ROUNDS = 3; // parsing what was written settles at once, or is being played with
const MAYBE_HANDLER = /[\s/"']on[a-z]+\s*=/i;
const TAG = /<[a-z]/gi;
const WRITTEN_TAG = /<[a-z][^\s/>]*((?:\s+[^\s=>"]+(?:="[^"]*")?)*)\s*\/?>/iy; // a start tag in the one form in which it is written here
const VALUE = /"[^"]*"/g;
const CAPITALS = /<(?![a-z]+[\s>/])(?i:script|style|iframe|xmp|noembed|noframes|noscript|plaintext|template|textarea|title|link|meta|base|object|embed|svg|math)[\s>/]/;

/** Text of HTML, read and cleaned again where it would come alive. */
export function settleMarkup(html, copy) {
  let settled = html;
  let tree = copy;
  for (let round = 0; round < ROUNDS && mayComeAlive(settled, tree); round += 1) {
    tree = parseDocument(settled);
    clean(tree);
    cleanAttributes(tree);
    settled = writeDocument(tree);
  }
  return settled;
}

/** Returns whether the text has tags of scripts or handlers that the tree does not have, or may be read as another tree. */
function mayComeAlive(html, tree) {
  return test(CAPITALS, html) || hasMisplacedText(tree) || hasHandler(html) || count(/<script(?=[\s>/])/gi, html) !== scripts(tree);
}

/** Returns whether a start tag in the text has a handler. What stands in values is none; a tag in another form was text before. */
function hasHandler(html) {
  if (!test(MAYBE_HANDLER, html)) return false;
  TAG.lastIndex = 0;
  for (let tag = exec(TAG, html); tag; tag = exec(TAG, html)) {
    WRITTEN_TAG.lastIndex = tag.index;
    const written = exec(WRITTEN_TAG, html);
    if (!written || (test(MAYBE_HANDLER, written[1]) && test(MAYBE_HANDLER, replaceAll(written[1], VALUE, '')))) return true;
  }
  return false;
}

function scripts(tree) {
  let sum = 0;
  eachElement(tree, (element) => localName(element) === 'script' && (sum += 1));
  return sum;
}

function count(pattern, text) {
  let sum = 0;
  while (exec(pattern, text)) sum += 1;
  return sum;
}
