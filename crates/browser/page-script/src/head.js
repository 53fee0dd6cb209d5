// The head of a copy of the document, so that a parser reads it as it was: scripts put into the head and around it what ends it early.
// Used by `serialize.js`, on copies only.

import {
  TYPE, append, attribute, body, childNodes, closest, data, documentElement, firstChild, hasAttribute, head, insertBefore, isHtml, localName, nodeType, parentNode, queryAll, remove,
  removeNode, setAttribute, textContent,
} from './intrinsics/dom.js';
import { each, filter, test } from './intrinsics/language.js';

const OF_HEAD = /^(base|basefont|bgsound|link|meta|noframes|noscript|script|style|template|title)$/;
const METADATA = 'base,link,meta,script,style,title';
const SHOWS_BY_ITSELF = /^(img|picture|iframe|video|audio|embed|object|input|hr)$/;

const isElement = (node) => nodeType(node) === TYPE.element;
const isOfHead = (node) => isElement(node) && test(OF_HEAD, localName(node)) && isHtml(node, localName(node));
/** Returns whether a parser sees more in a node than nothing. */
const counts = (node) => isElement(node) || (nodeType(node) === TYPE.text && test(/[^\t\n\f\r ]/, data(node)));

/** Moves what ends the head for a parser to the body, and keeps in the head what the page had in it. */
export function settleHead(inert) {
  const top = head(inert);
  const rest = body(inert);
  if (!top || !rest) return;
  const firstOfHead = firstChild(top);
  const firstOfBody = firstChild(rest);
  /** @type {Node | null} */
  let before = top; // the one of head and body that comes next
  each(filter(childNodes(documentElement(inert)), counts), (node) => {
    if (node === top) before = rest;
    else if (node === rest) before = null;
    else if (isElement(node) && isHtml(node, 'head')) joinHeads(node, top);
    else if (before && isOfHead(node)) insertBefore(top, node, before === top ? firstOfHead : null);
    else insertBefore(rest, node, before && firstOfBody);
  });
  each(filter(childNodes(top), (node) => counts(node) && !isOfHead(node)), (stray) => moveOut(stray, top, rest, firstOfBody));
}

function joinHeads(other, top) {
  each(filter(childNodes(other), counts), (node) => append(top, node));
  remove(other);
}

/** Text in a head is not shown, nor are elements in it. Metadata counts wherever in the head it is. */
function moveOut(stray, top, rest, first) {
  if (!isElement(stray)) {
    removeNode(stray);
    return;
  }
  each(queryAll(stray, METADATA), (part) => isHtml(part, localName(part)) && !closest(parentNode(part), 'svg,math') && insertBefore(top, part, stray));
  if (firstChild(stray) !== null || test(SHOWS_BY_ITSELF, localName(stray))) setAttribute(stray, 'hidden', '');
  insertBefore(rest, stray, first);
}

const isPreview = (node) =>
  isHtml(node, 'title') || (isHtml(node, 'meta') && !hasAttribute(node, 'http-equiv')) || (isHtml(node, 'link') && !test(/(^|\s)stylesheet(\s|$)/i, attribute(node, 'rel') || ''));
const isBulk = (node) => isHtml(node, 'style') || isHtml(node, 'script');
const BULKY = 32 * 1024; // characters; who makes previews reads as little as 64 KB

/** Moves title, descriptions and links in front of rules that were written out, and of bulky rules and data. */
export function leadWithMetadata(inert, written) {
  const top = head(inert);
  if (!top) return;
  const parts = filter(childNodes(top), isElement);
  let size = 0;
  each(parts, (part) => isBulk(part) && (size += textContent(part).length));
  const first = filter(parts, (part) => written.has(part) || (size > BULKY && isBulk(part)))[0];
  let isBehind = false;
  each(parts, (part) => {
    isBehind ||= part === first;
    if (isBehind && isPreview(part)) insertBefore(top, part, first);
  });
}
