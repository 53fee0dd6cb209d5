// What a copy of the document has too much of: scripts, what loads them, what stands for a browser without them.
// Used by `serialize.js`, on copies only. Goes into templates, those of shadow roots included.

import { cleanAttributes, isSuspect } from './attributes.js';
import { isExecutable } from './elements.js';
import { quietly } from './hooks.js';
import {
  TYPE, attribute, body, data, doctype, doctypeName, documentElement, firstChild, hasAttribute, innerHTML, isHtml, localName, nodeType, outerHTML, publicId, query, queryAll, remove,
  removeAttribute, setAttribute, setData, systemId, templateContent,
} from './intrinsics/dom.js';
import { each, lower, replaceAll, some, startsWith, test, trim, words } from './intrinsics/language.js';
import { parseDocument } from './native.js';
import { options } from './options.js';
import { keepRawText, keepReadable } from './raw_text.js';

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

/** Whether a link exists only to fetch a script early. */
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
