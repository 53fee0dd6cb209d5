// Normalises the head of a copy, so that a parser reads it as the page had it: scripts insert elements that end the head early.
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
/** Returns true for an element or visible text. */
const counts = (node) => isElement(node) || (nodeType(node) === TYPE.text && test(/[^\t\n\f\r ]/, data(node)));

/** Moves elements that end the head to the body, and metadata around the head into it. */
export function normalizeHead(inert) {
  const headCopy = head(inert);
  const bodyCopy = body(inert);
  if (!headCopy || !bodyCopy) return;
  const firstOfHead = firstChild(headCopy);
  const firstOfBody = firstChild(bodyCopy);
  /** @type {Node | null} */
  let before = headCopy; // the next one of head and body
  each(filter(childNodes(documentElement(inert)), counts), (node) => {
    if (node === headCopy) before = bodyCopy;
    else if (node === bodyCopy) before = null;
    else if (isElement(node) && isHtml(node, 'head')) mergeHead(node, headCopy);
    else if (before && isOfHead(node)) insertBefore(headCopy, node, before === headCopy ? firstOfHead : null);
    else insertBefore(bodyCopy, node, before && firstOfBody);
  });
  each(filter(childNodes(headCopy), (node) => counts(node) && !isOfHead(node)), (stray) => moveToBody(stray, headCopy, bodyCopy, firstOfBody));
}

function mergeHead(other, headCopy) {
  each(filter(childNodes(other), counts), (node) => append(headCopy, node));
  remove(other);
}

/** Moves a stray node of the head to the body, hidden as it was in the head. Metadata in it stay in the head. */
function moveToBody(stray, headCopy, bodyCopy, first) {
  if (!isElement(stray)) {
    removeNode(stray);
    return;
  }
  each(queryAll(stray, METADATA), (part) => isHtml(part, localName(part)) && !closest(parentNode(part), 'svg,math') && insertBefore(headCopy, part, stray));
  if (firstChild(stray) !== null || test(SHOWS_BY_ITSELF, localName(stray))) setAttribute(stray, 'hidden', '');
  insertBefore(bodyCopy, stray, first);
}

const isMetadata = (node) =>
  isHtml(node, 'title') || (isHtml(node, 'meta') && !hasAttribute(node, 'http-equiv')) || (isHtml(node, 'link') && !test(/(^|\s)stylesheet(\s|$)/i, attribute(node, 'rel') || ''));
const isBulk = (node) => isHtml(node, 'style') || isHtml(node, 'script');
const BULKY = 32 * 1024; // characters; preview generators read as little as 64 KB

/** Moves title, metadata and links before large styles and scripts. */
export function moveMetadataFirst(inert) {
  const headCopy = head(inert);
  const parts = headCopy ? filter(childNodes(headCopy), isElement) : [];
  let size = 0;
  each(filter(parts, isBulk), (part) => (size += textContent(part).length));
  if (size <= BULKY) return;
  const first = filter(parts, isBulk)[0];
  let isBehind = false;
  each(parts, (part) => {
    isBehind ||= part === first;
    if (isBehind && isMetadata(part)) insertBefore(headCopy, part, first);
  });
}
