// Removes from a copy of the document: scripts, links that load scripts, noscript, handlers, blob addresses, and text that a parser would not read
// as text because it contains the end tag of its element.
// Used by `serialize.js`, on copies only. Includes templates and shadow roots.

import { isExecutable } from './elements.js';
import {
  attribute, attributeNames, body, childNodes, closest, createElement, createTextNode, data, doctype, doctypeName, documentElement, eachElement, firstChild, hasAttribute, innerHTML,
  insertBefore, isHtml, localName, nodeType, outerHTML, ownerDocument, parentNode, publicId, query, queryAll, remove, removeAttribute, removeNode, replaceChild,
  setAttribute, setData, setTextContent, systemId, templateContent, textContent, TYPE, walk,
} from './intrinsics/dom.js';
import { each, lower, push, replaceAll, slice, some, startsWith, test, trim, words } from './intrinsics/language.js';
import { attempt } from './hooks.js';
import { parseDocument } from './native.js';
import { options } from './options.js';

// Browsers ignore line breaks and tabs anywhere in an address.
const SUSPECT = /\son[a-z]+\s*=|s[\t\n\r]*c[\t\n\r]*r[\t\n\r]*i[\t\n\r]*p[\t\n\r]*t[\t\n\r]*:|blob:/i;
const URL_ATTRIBUTE = /^([a-z]+:)?(href|action|formaction|src|data|poster|to|from|values|by)$/i;
const HARMLESS_SCRIPT = /^javascript:(void\(?0?\)?)?;?$/i; // a link without effect

/** Returns true when HTML may contain attributes that have to be cleaned. */
export const isSuspect = (html) => test(SUSPECT, html);

/** Removes event handlers, script addresses and blob addresses. Returns true when there was one. */
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

/** Removes white space and control characters from the start of an address, which browsers ignore in a scheme. */
function withoutControls(value) {
  return replaceAll(slice(value, 0, 200), /[\0-\x20]+/g, '');
}

const COMMENTS_INSTRUCTIONS_AND_SECTIONS = 128 | 64 | 8;
// Texts that end a comment early, and beginnings that would stay open at its end.
const ENDS_COMMENT = /^-?>|--!?>|<!--|--!?$|<!-?$|-$/;
const JSON_TYPE = /^(application|text)\/([a-z.-]+\+)?json$|^importmap$/i;

/** Returns true when a comment with this text is parsed as one comment. */
export const isParsableComment = (text) => !test(ENDS_COMMENT, text);

/** Removes comments that would end early and processing instructions, and turns CDATA sections into text. */
export function removeUnparsable(root) {
  /** @type {Node[]} */
  const broken = [];
  /** @type {Node[]} */
  const sections = [];
  walk(root, COMMENTS_INSTRUCTIONS_AND_SECTIONS, (node) => {
    if (nodeType(node) === TYPE.section) push(sections, node);
    else if (nodeType(node) === TYPE.instruction || !isParsableComment(data(node))) push(broken, node);
  });
  each(broken, removeNode);
  each(sections, (section) => replaceChild(parentNode(section), createTextNode(ownerDocument(section), data(section)), section));
}

/** Escapes the text of a raw-text element, such as a style or script, so that it ends with its element. */
export function escapeRawText(element) {
  const name = localName(element);
  if (isHtml(element, name)) rawTextFixes[name]?.(element, textContent(element));
}

const rawTextFixes = {
  __proto__: null,
  style: (element, text) => test(/<\/style/i, text) && setTextContent(element, replaceAll(text, /<\/(?=style)/gi, '<\\/')),
  script: (element, text) => {
    if (!test(/<(\/?script|!--)/i, text)) return;
    if (test(JSON_TYPE, trim(attribute(element, 'type') || ''))) setTextContent(element, replaceAll(text, /</g, '\\u003c'));
    else if (test(/<(\/script|!--)/i, text)) remove(element);
  },
  xmp: (element, text) => test(/<\/xmp/i, text) && replaceByPre(element, text),
  plaintext: (element, text) => replaceByPre(element, text), // has no end tag
  iframe: (element, text) => text && setTextContent(element, ''), // never shown
  noembed: (element, text) => test(/<\/noembed/i, text) && setTextContent(element, ''),
  noframes: (element, text) => test(/<\/noframes/i, text) && setTextContent(element, ''),
};

const RAW = 'style,script,xmp,iframe,noembed,noframes,noscript,title,textarea';

/** Returns true when a raw-text element has children other than text, or text inside SVG or MathML, where a parser reads it as markup. */
export function hasMisplacedText(root) {
  const isMisplaced = (element) => {
    if (some(childNodes(element), (child) => nodeType(child) !== TYPE.text)) return true;
    if (!isHtml(element, localName(element)) || test(/^(title|textarea)$/, localName(element))) return false;
    return closest(element, 'svg,math') !== null && test(/<[a-z!/?]/i, textContent(element));
  };
  if (some(queryAll(root, RAW), isMisplaced)) return true;
  return some(queryAll(root, 'template'), (template) => isHtml(template, 'template') && hasMisplacedText(templateContent(template)));
}

function replaceByPre(element, text) {
  const parent = parentNode(element);
  if (!parent) return; // its container has been emptied
  const pre = createElement(ownerDocument(element), 'pre');
  setTextContent(pre, text);
  insertBefore(parent, pre, element);
  remove(element);
}

const UNWANTED =
  'script,noscript,link[rel],meta[charset],meta[http-equiv="content-type" i],[nonce],template,iframe,pre,textarea,listing,style,xmp,noembed,noframes,plaintext';

export function clean(root) {
  // A policy in the document would refuse style elements without their nonce.
  const hasPolicy = query(document, 'meta[http-equiv="content-security-policy" i]') !== null;
  each(queryAll(root, UNWANTED), (element) => {
    cleaners[localName(element)]?.(element);
    escapeRawText(element);
    if (!hasPolicy && hasAttribute(element, 'nonce')) removeAttribute(element, 'nonce');
  });
  removeUnparsable(root);
}

/** Doubles a leading line break, since the parser drops the first one after the start tag. */
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
  // With scripts it is not shown.
  noscript: (element) => options.forbidsScripts || remove(element),
  link: (element) => loadsScript(element) && remove(element),
  // The snapshot is UTF-8.
  meta: (element) => {
    const charset = attribute(element, 'charset');
    const content = attribute(element, 'content') || '';
    if (charset !== null && !test(/^utf-?8$/i, charset)) setAttribute(element, 'charset', 'utf-8');
    const isOther = test(/charset/i, content) && !test(/charset\s*=\s*"?utf-?8/i, content);
    if (hasAttribute(element, 'http-equiv') && isOther) setAttribute(element, 'content', 'text/html; charset=utf-8');
  },
  template: (element) => isHtml(element, 'template') && clean(templateContent(element)),
  iframe: (element) => {
    if (hasAttribute(element, 'srcdoc') && !attempt(() => cleanSrcdoc(element))) removeAttribute(element, 'srcdoc');
  },
  pre: keepFirstLineBreak,
  textarea: keepFirstLineBreak,
  listing: keepFirstLineBreak,
};

const LOADS_EARLY = /^(preload|prefetch|prerender|subresource)$/;
const SCRIPT_AS = /^(script|worker|sharedworker|serviceworker|audioworklet|paintworklet)$/;

/** Returns true for a link that only preloads a script. */
function loadsScript(link) {
  const rel = words(lower(attribute(link, 'rel') || ''));
  if (some(rel, (word) => word === 'modulepreload')) return true;
  if (!some(rel, (word) => test(LOADS_EARLY, word))) return false;
  return test(SCRIPT_AS, lower(attribute(link, 'as') || '')) || test(/\.m?js([?#]|$)/i, attribute(link, 'href') || '');
}

/** Returns an identifier of a document type if it can be parsed: nothing can be escaped in it. */
const parsableId = (id) => (test(/["<>]/, id) ? '' : id);

export function writeDoctype(type) {
  const system = parsableId(systemId(type)) && ` "${systemId(type)}"`;
  const ids = parsableId(publicId(type)) ? ` PUBLIC "${publicId(type)}"${system}` : system && ` SYSTEM${system}`;
  return `<!DOCTYPE ${doctypeName(type)}${ids}>\n`;
}

/** Cleans the document in a frame's `srcdoc`. Returns true on success. */
function cleanSrcdoc(iframe) {
  const source = attribute(iframe, 'srcdoc') || '';
  const parsed = parseDocument(source);
  const isWhole = test(/<(html|head|body|!doctype)/i, source);
  const text = () => (isWhole ? writeDocument(parsed) : renameSrcdocs(innerHTML(body(parsed))));
  const before = text();
  clean(parsed);
  cleanAttributes(parsed);
  // The parser may have removed a part.
  if (text() !== before || test(/<script/i, source) || isSuspect(source)) setSrcdoc(iframe, text());
  return true;
}

// Under trusted types the attribute cannot be set, even in copies: it is renamed when the copy is text.
const SRCDOC = `srcdoc-${options.nonce}`;
const WRITTEN_SRCDOC = new RegExp(` ${SRCDOC}="`, 'g');

function setSrcdoc(iframe, text) {
  removeAttribute(iframe, 'srcdoc');
  setAttribute(iframe, SRCDOC, text);
}

/** Returns the text of a cleaned copy with `srcdoc` attributes under their own name. */
export const renameSrcdocs = (html) => replaceAll(html, WRITTEN_SRCDOC, ' srcdoc="');

/** Returns a document as text: its doctype and its root element. */
export function writeDocument(parsed) {
  const type = doctype(parsed);
  return (type ? writeDoctype(type) : '') + renameSrcdocs(outerHTML(documentElement(parsed)));
}
