// Text that a parser does not read as text: comments, and elements whose content ends where their own end tag seems to be.
// What a script put there may hold exactly that end; written as it is, the rest would be read as markup.
// Used by `clean.js`, on copies only.

import { TYPE, attribute, createElement, data, insertBefore, isHtml, localName, nodeType, ownerDocument, parentNode, remove, removeNode, setTextContent, textContent, walk } from './intrinsics/dom.js';
import { each, push, replaceAll, test, trim } from './intrinsics/language.js';

const COMMENTS_AND_INSTRUCTIONS = 128 | 64;
// What ends a comment early, and what an end that is cut off would leave open.
const ENDS_COMMENT = /^-?>|--!?>|<!--|--!?$|<!-?$|-$/;
const JSON_TYPE = /^(application|text)\/([a-z.-]+\+)?json$|^importmap$/i;

/** Whether a comment with this text ends where it is meant to. */
export const isWholeComment = (text) => !test(ENDS_COMMENT, text);

/** Removes comments that would end early, and processing instructions: HTML has none. */
export function removeBrokenComments(root) {
  /** @type {Node[]} */
  const broken = [];
  walk(root, COMMENTS_AND_INSTRUCTIONS, (node) => {
    if (nodeType(node) === TYPE.instruction || !isWholeComment(data(node))) push(broken, node);
  });
  each(broken, removeNode);
}

/** Makes the text of a style, script or another element that is not parsed inside end where the element does. */
export function keepRawText(element) {
  const name = localName(element);
  if (isHtml(element, name)) keepers[name]?.(element, textContent(element));
}

const keepers = {
  __proto__: null,
  style: (element, text) => test(/<\/style/i, text) && setTextContent(element, replaceAll(text, /<\/(?=style)/gi, '<\\/')),
  script: (element, text) => {
    if (!test(/<(\/script|!--)/i, text)) return;
    if (test(JSON_TYPE, trim(attribute(element, 'type') || ''))) setTextContent(element, replaceAll(text, /</g, '\\u003c'));
    else remove(element);
  },
  xmp: (element, text) => test(/<\/xmp/i, text) && becomePre(element, text),
  plaintext: (element, text) => becomePre(element, text), // nothing ends it
  iframe: (element, text) => text && setTextContent(element, ''), // never shown
  noembed: (element, text) => test(/<\/noembed/i, text) && setTextContent(element, ''),
  noframes: (element, text) => test(/<\/noframes/i, text) && setTextContent(element, ''),
};

function becomePre(element, text) {
  const pre = createElement(ownerDocument(element), 'pre');
  setTextContent(pre, text);
  insertBefore(parentNode(element), pre, element);
  remove(element);
}
