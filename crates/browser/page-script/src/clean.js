// Parts that a copy of the document loses: scripts, what loads them, what stands for a browser without them, handlers, addresses in
// memory; and text that a parser would not read as text, because it holds the end of the element around it.
// Used by `serialize.js`, on copies only. Goes into templates, those of shadow roots included.

import { isExecutable } from './elements.js';
import {
  attribute, attributeNames, body, childNodes, closest, createElement, createTextNode, data, doctype, doctypeName, documentElement, eachElement, firstChild, hasAttribute, innerHTML,
  insertBefore, isHtml, localName, nodeType, outerHTML, ownerDocument, parentNode, publicId, query, queryAll, remove, removeAttribute, removeNode, replaceChild,
  setAttribute, setData, setTextContent, systemId, templateContent, textContent, TYPE, walk,
} from './intrinsics/dom.js';
import { each, lower, push, replaceAll, slice, some, startsWith, test, trim, words } from './intrinsics/language.js';
import { quietly } from './hooks.js';
import { parseDocument } from './native.js';
import { options } from './options.js';

// Browsers drop line breaks and tabs wherever they stand in an address.
const SUSPECT = /\son[a-z]+\s*=|s[\t\n\r]*c[\t\n\r]*r[\t\n\r]*i[\t\n\r]*p[\t\n\r]*t[\t\n\r]*:|blob:/i;
const URL_ATTRIBUTE = /^([a-z]+:)?(href|action|formaction|src|data|poster|to|from|values|by)$/i;
const HARMLESS_SCRIPT = /^javascript:(void\(?0?\)?)?;?$/i; // a link that only looks like one, as written

/** Returns whether a text of HTML may hold attributes that have to be looked at. */
export const isSuspect = (html) => test(SUSPECT, html);

/** Removes event handlers, script addresses and addresses in this tab's memory. True when there was one. */
export function cleanAttributes(root) {
  let changed = false;
  eachElement(root, (element) => {
    each(attributeNames(element), (name) => {
      if (cleanAttribute(element, name)) changed = true;
    });
  });
  return changed;
}

function cleanAttribute(element, name) {
  if (test(/^on[a-z]/i, name)) {
    removeAttribute(element, name);
    return true;
  }
  if (!test(URL_ATTRIBUTE, name)) return false;
  const address = withoutControls(attribute(element, name) || '');
  if (test(/^blob:/i, address)) removeAttribute(element, name);
  else if (test(/^(javascript|vbscript):/i, address) && !test(HARMLESS_SCRIPT, address)) setAttribute(element, name, 'javascript:void(0)');
  else return false;
  return true;
}

/** Browsers ignore white space and control characters in front of and inside a scheme. */
function withoutControls(value) {
  return replaceAll(slice(value, 0, 200), /[\0-\x20]+/g, '');
}

const COMMENTS_INSTRUCTIONS_AND_SECTIONS = 128 | 64 | 8;
// Texts that end a comment early, and starts that a cut end would leave open.
const ENDS_COMMENT = /^-?>|--!?>|<!--|--!?$|<!-?$|-$/;
const JSON_TYPE = /^(application|text)\/([a-z.-]+\+)?json$|^importmap$/i;

/** Returns whether a comment with this text ends where it is meant to. */
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
 * Returns whether something could be read as markup that is none: text of HTML's raw elements within a drawing or formula, where all is
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

const UNWANTED =
  'script,noscript,link[rel],meta[charset],meta[http-equiv="content-type" i],[nonce],template,iframe,pre,textarea,listing,style,xmp,noembed,noframes,plaintext';

export function clean(root) {
  // A policy in the document itself would refuse style elements that lost their nonce.
  const hasPolicy = query(document, 'meta[http-equiv="content-security-policy" i]') !== null;
  each(queryAll(root, UNWANTED), (element) => {
    cleaners[localName(element)]?.(element);
    keepRawText(element);
    if (!hasPolicy && hasAttribute(element, 'nonce')) removeAttribute(element, 'nonce');
  });
  keepReadable(root);
}

/** The parser drops one line break after the start tag. */
const keepFirstLineBreak = (element) => {
  const first = firstChild(element);
  if (first && nodeType(first) === TYPE.text && startsWith(data(first), '\n')) setData(first, `\n${data(first)}`);
};

const cleaners = {
  __proto__: null,
  script: (element) => {
    const type = trim(attribute(element, 'type') || '');
    if (isExecutable(element) || test(/^(importmap|speculationrules)$/i, type)) remove(element);
  },
  // Not on the page that a person with scripts sees.
  noscript: (element) => options.forbidsScripts || remove(element),
  link: (element) => loadsScript(element) && remove(element),
  // The bytes that leave here are UTF-8.
  meta: (element) => {
    const charset = attribute(element, 'charset');
    const content = attribute(element, 'content') || '';
    if (charset !== null && !test(/^utf-?8$/i, charset)) setAttribute(element, 'charset', 'utf-8');
    const isOther = test(/charset/i, content) && !test(/charset\s*=\s*"?utf-?8/i, content);
    if (hasAttribute(element, 'http-equiv') && isOther) setAttribute(element, 'content', 'text/html; charset=utf-8');
  },
  template: (element) => isHtml(element, 'template') && clean(templateContent(element)),
  iframe: (element) => {
    if (hasAttribute(element, 'srcdoc') && !quietly(() => cleanSrcdoc(element))) removeAttribute(element, 'srcdoc');
  },
  pre: keepFirstLineBreak,
  textarea: keepFirstLineBreak,
  listing: keepFirstLineBreak,
};

const LOADS_EARLY = /^(preload|prefetch|prerender|subresource)$/;
const SCRIPT_AS = /^(script|worker|sharedworker|serviceworker|audioworklet|paintworklet)$/;

/** Returns whether a link exists only to fetch a script early. */
function loadsScript(link) {
  const rel = words(lower(attribute(link, 'rel') || ''));
  if (some(rel, (word) => word === 'modulepreload')) return true;
  if (!some(rel, (word) => test(LOADS_EARLY, word))) return false;
  return test(SCRIPT_AS, lower(attribute(link, 'as') || '')) || test(/\.m?js([?#]|$)/i, attribute(link, 'href') || '');
}

/** An identifier of a document type, if it ends where it is meant to: nothing can be escaped in one. */
const wholeId = (id) => (test(/["<>]/, id) ? '' : id);

export function writeDoctype(type) {
  const system = wholeId(systemId(type)) && ` "${systemId(type)}"`;
  const ids = wholeId(publicId(type)) ? ` PUBLIC "${publicId(type)}"${system}` : system && ` SYSTEM${system}`;
  return `<!DOCTYPE ${doctypeName(type)}${ids}>\n`;
}

/** Cleans the document that a frame holds in an attribute. True when that could be done. */
function cleanSrcdoc(iframe) {
  const source = attribute(iframe, 'srcdoc') || '';
  const parsed = parseDocument(source);
  const isWhole = test(/<(html|head|body|!doctype)/i, source);
  const text = () => (isWhole ? writeDocument(parsed) : nameSrcdocs(innerHTML(body(parsed))));
  const before = text();
  clean(parsed);
  cleanAttributes(parsed);
  // The parser may already have left something out.
  if (text() !== before || test(/<script/i, source) || isSuspect(source)) setSrcdoc(iframe, text());
  return true;
}

// Pages that insist on trusted types forbid to set the attribute, in copies as well: it gets its name when the copy is text.
const SRCDOC = `srcdoc-${options.nonce}`;
const WRITTEN_SRCDOC = new RegExp(` ${SRCDOC}="`, 'g');

function setSrcdoc(iframe, text) {
  removeAttribute(iframe, 'srcdoc');
  setAttribute(iframe, SRCDOC, text);
}

/** Text of a cleaned copy, with the attributes under their own names. */
export const nameSrcdocs = (html) => replaceAll(html, WRITTEN_SRCDOC, ' srcdoc="');

/** A whole document as text, without what stands outside its root element but the doctype. */
export function writeDocument(parsed) {
  const type = doctype(parsed);
  return (type ? writeDoctype(type) : '') + nameSrcdocs(outerHTML(documentElement(parsed)));
}
