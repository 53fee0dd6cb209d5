// Writes the document as HTML that looks the same without scripts: shadow roots as declarative ones, style sheets that
// exist only in the object model as <style>, no scripts, no handlers.
// Works on a copy in a document without a window: no custom element reacts, nothing loads, the page stays as it is.
// Must give the same bytes for the same page.

import { clean, cleanAttributes, isSuspect, isWholeComment, nameSrcdocs, writeDoctype } from './clean.js';
import {
  adoptedStyleSheets, append, attribute, body, childNodes, createElement, createInertDocument, data, documentElement, head, host, importNode, insertBefore, isHtml,
  localName, nodeType, outerHTML, parentNode, prepend, query, queryAll, remove, removeAttribute, replaceChild, rootFlag, rootMode, rootOf, setAttribute, setTextContent,
  templateContent, textContent, TYPE,
} from './intrinsics/dom.js';
import { leadWithMetadata, settleHead } from './head.js';
import { KeptMap, KeptSet, each, lower, push, some } from './intrinsics/language.js';
import { quietly } from './hooks.js';
import { settleMarkup } from './markup.js';
import { renumberTimestamps } from './timestamps.js';
import { css, native, sheetOfElement } from './native.js';
import { findRepeated, shareOf } from './repeated_sheets.js';
import { findDefined, isInMemoryOnly, registeredProperties, restoreInlineStyles, rulesOf, sheetText, styleElement } from './sheets.js';
import { shadowRoots, templateRoots } from './state.js';

const written = new KeptSet(); // style elements whose rules stood in the object model

/** The whole document. `leavesOut`: without the copies of sheets that many shadow roots have. */
export function serializeDocument(leavesOut = false) {
  written.clear();
  findDefined();
  findRepeated(leavesOut);
  const inert = createInertDocument();
  const original = documentElement(document);
  const copy = importNode(inert, original, true);
  replaceChild(inert, copy, documentElement(inert));
  restore(document, inert, inert);
  clean(inert);
  settleHead(inert);
  leadWithMetadata(inert, written);

  let html = outerHTML(copy);
  if (renumberTimestamps(inert, html)) html = outerHTML(copy);
  // Looking at every attribute is slow, and most pages have none of these.
  if (isSuspect(html) && cleanAttributes(inert)) html = outerHTML(copy);

  let before = '';
  some(childNodes(document), (node) => {
    if (nodeType(node) === TYPE.doctype) before += writeDoctype(node);
    if (nodeType(node) === TYPE.comment && isWholeComment(data(node))) before += `<!--${data(node)}-->\n`;
    return node === original;
  });
  return settleMarkup(before + nameSrcdocs(html), inert);
}

/** Completes the copy of a document or shadow root from the original. Both have the same elements in the same order. */
function restore(original, copy, inert) {
  const isDocument = original === document;
  const sheets = queryAll(original, 'style,link');
  const sheetCopies = queryAll(copy, 'style,link');
  const bodyOfPage = isDocument ? body(document) : null;
  const hasSheetInBody = bodyOfPage && query(bodyOfPage, 'style,link[rel~=stylesheet i]') !== null;

  restoreInlineStyles(original, copy);
  each(sheets, (sheet, place) => restoreSheet(sheet, sheetCopies[place], original, inert));
  restoreTemplates(original, copy, inert);
  // One that was set by a script is no root, and a parser would make it one.
  each(queryAll(copy, 'template[shadowrootmode]'), (template) => removeAttribute(template, 'shadowrootmode'));
  restoreHosts(original, copy, inert, shadowRoots);

  const top = isDocument ? head(copy) || documentElement(copy) : copy;
  const definitions = isDocument ? registeredProperties() : '';
  if (definitions) {
    const style = createElement(inert, 'style');
    setTextContent(style, definitions);
    append(top, style);
  }

  // Adopted sheets come after all others in the cascade.
  const place = hasSheetInBody ? body(copy) || top : top;
  each(adoptedStyleSheets(original), (sheet) => {
    if (css.isDisabled(sheet) || css.rules(sheet)[0] === undefined) return;
    const rules = shareOf(sheetText(sheet, original), sheet, original);
    if (rules) append(place, styleElement(inert, sheet, rules));
  });
}

function restoreHosts(original, copy, inert, among) {
  const hosts = findHosts(original, among);
  const copies = hosts.length > 0 ? queryAll(copy, '*') : [];
  each(hosts, ({ place, root }) => prepend(copies[place], writeShadowRoot(root, inert)));
}

/** Completes the content of templates, before shadow roots become templates, too. */
function restoreTemplates(original, copy, inert) {
  if (templateRoots.size === 0) return;
  const copies = queryAll(copy, 'template');
  each(queryAll(original, 'template'), (template, place) => {
    if (!isHtml(template, 'template')) return;
    const content = templateContent(template);
    const contentCopy = templateContent(copies[place]);
    restoreTemplates(content, contentCopy, inert);
    restoreHosts(content, contentCopy, inert, templateRoots);
  });
}

/** Elements with a shadow root, and their places among all elements. */
function findHosts(original, among) {
  const roots = new KeptMap();
  among.forEach((root) => {
    if (rootOf(host(root)) === original) roots.set(host(root), root);
  });
  /** @type {{ place: number, root: ShadowRoot }[]} */
  const found = [];
  if (roots.size === 0) return found;
  each(queryAll(original, '*'), (element, place) => {
    const root = roots.get(element);
    if (root) push(found, { place, root });
  });
  return found;
}

function writeShadowRoot(root, inert) {
  const template = createElement(inert, 'template');
  const content = templateContent(template);
  setAttribute(template, 'shadowrootmode', rootMode(root));
  each(/** @type {const} */ (['delegatesFocus', 'clonable', 'serializable']), (flag) => {
    if (rootFlag(root, flag)) setAttribute(template, `shadowroot${lower(flag)}`, '');
  });
  each(childNodes(root), (child) => append(content, importNode(inert, child, true)));
  restore(root, content, inert);
  return template;
}

/** Gives the copy of a style or link element what its sheet has become. */
function restoreSheet(element, copy, tree, inert) {
  const name = localName(element);
  const sheet = quietly(() => sheetOfElement(element, name));
  if (!sheet) return;
  const isWritten = isInMemoryOnly(element, sheet, name);
  const kept = isWritten && name === 'link' ? replaceLink(element, copy, sheet, inert) : copy;
  if (isWritten) written.add(kept);
  const rules = shareOf(rulesOf(element, sheet, name, tree), sheet, tree);
  if (name === 'style' ? rules !== textContent(element) : isWritten) setTextContent(kept, rules);
  const media = css.mediaText(css.media(sheet));
  const wanted = attribute(element, 'media') || '';
  if (css.isDisabled(sheet)) {
    if (localName(kept) === 'link') setAttribute(kept, 'disabled', '');
    else setAttribute(kept, 'media', 'not all');
  } else if (media && media !== wanted && media !== lower(wanted)) {
    const meant = quietly(() => css.queryText(native.matchMedia(wanted || 'all')));
    if (meant !== media) setAttribute(kept, 'media', media);
  }
}

/** Puts a style element in the place of a link. */
function replaceLink(element, copy, sheet, inert) {
  const style = styleElement(inert, sheet, '');
  const id = attribute(element, 'id');
  if (id) setAttribute(style, 'id', id);
  insertBefore(parentNode(copy), style, copy);
  remove(copy);
  return style;
}
