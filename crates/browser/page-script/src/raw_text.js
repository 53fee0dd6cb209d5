// Text that a parser does not read as text: comments, and elements whose content ends where their own end tag seems to be.
// What a script put there may hold exactly that end; written as it is, the rest would be read as markup.
// Used by `clean.js`, on copies only.

import {
  TYPE, attribute, childNodes, closest, createElement, createTextNode, data, insertBefore, isHtml, localName, nodeType, ownerDocument, parentNode, queryAll, remove, removeNode, replaceChild,
  setTextContent, templateContent, textContent, walk,
} from './intrinsics/dom.js';
import { each, push, replaceAll, some, test, trim } from './intrinsics/language.js';

const COMMENTS_INSTRUCTIONS_AND_SECTIONS = 128 | 64 | 8;
// What ends a comment early, and what an end that is cut off would leave open.
const ENDS_COMMENT = /^-?>|--!?>|<!--|--!?$|<!-?$|-$/;
const JSON_TYPE = /^(application|text)\/([a-z.-]+\+)?json$|^importmap$/i;

/** Whether a comment with this text ends where it is meant to. */
export const isWholeComment = (text) => !test(ENDS_COMMENT, text);

/** Removes comments that would end early, and what HTML does not have: processing instructions, and CDATA sections, which become text. */
export function keepReadable(root) {
  /** @type {Node[]} */
  const broken = [];
  /** @type {Node[]} */
  const sections = [];
  walk(root, COMMENTS_INSTRUCTIONS_AND_SECTIONS, (node) => {
    if (nodeType(node) === TYPE.section) push(sections, node);
    else if (nodeType(node) === TYPE.instruction || !isWholeComment(data(node))) push(broken, node);
  });
  each(broken, removeNode);
  each(sections, (section) => replaceChild(parentNode(section), createTextNode(ownerDocument(section), data(section)), section));
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
    if (!test(/<(\/?script|!--)/i, text)) return;
    if (test(JSON_TYPE, trim(attribute(element, 'type') || ''))) setTextContent(element, replaceAll(text, /</g, '\\u003c'));
    else if (test(/<(\/script|!--)/i, text)) remove(element);
  },
  xmp: (element, text) => test(/<\/xmp/i, text) && becomePre(element, text),
  plaintext: (element, text) => becomePre(element, text), // nothing ends it
  iframe: (element, text) => text && setTextContent(element, ''), // never shown
  noembed: (element, text) => test(/<\/noembed/i, text) && setTextContent(element, ''),
  noframes: (element, text) => test(/<\/noframes/i, text) && setTextContent(element, ''),
};

const RAW = 'style,script,xmp,iframe,noembed,noframes,noscript,title,textarea';

/**
 * Whether something could be read as markup that is none: text of HTML's raw elements within a drawing or formula, where all is
 * markup, and comments and attributes in what has the name of a raw element, where a parser sees nothing but text.
 */
export function hasMisplacedText(root) {
  const isMisplaced = (element) => {
    if (some(childNodes(element), (child) => nodeType(child) !== TYPE.text)) return true;
    if (!isHtml(element, localName(element)) || test(/^(title|textarea)$/, localName(element))) return false;
    return closest(element, 'svg,math') !== null && test(/<[a-z!/?]/i, textContent(element));
  };
  if (some(queryAll(root, RAW), isMisplaced)) return true;
  return some(queryAll(root, 'template'), (template) => isHtml(template, 'template') && hasMisplacedText(templateContent(template)));
}

function becomePre(element, text) {
  const parent = parentNode(element);
  if (!parent) return; // what it was in has been emptied
  const pre = createElement(ownerDocument(element), 'pre');
  setTextContent(pre, text);
  insertBefore(parent, pre, element);
  remove(element);
}
