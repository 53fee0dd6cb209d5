// Serialises the document as HTML that looks the same without scripts: declarative shadow roots, constructed style sheets as <style>, no scripts,
// no handlers. Works on a copy in a document without a window: no custom element reacts, nothing loads, the page is not changed.
// Must give the same bytes for the same page.

import { clean, cleanAttributes, isSuspect, isParsableComment, renameSrcdocs, writeDoctype } from './clean.js';
import {
  adoptedStyleSheets, append, attribute, body, childNodes, createElement, createInertDocument, data, documentElement, head, host, importNode, insertBefore,
  clonable, delegatesFocus, localName, nodeType, outerHTML, parentNode, prepend, query, queryAll, remove, removeAttribute, replaceChild, rootMode, rootOf, serializable,
  setAttribute, setTextContent, templateContent, textContent, TYPE,
} from './intrinsics/dom.js';
import { moveMetadataFirst, normalizeHead } from './head.js';
import { SafeMap, each, keys, lower, some } from './intrinsics/language.js';
import { attempt } from './hooks.js';
import { reparseUntilStable } from './markup.js';
import { renumberTimestamps } from './timestamps.js';
import { css, native, sheetOfElement } from './native.js';
import { findRepeated, rulesFor } from './repeated_sheets.js';
import { findDefined, isInMemoryOnly, restoreInlineStyles, rulesOf, sheetText, styleElement } from './sheets.js';
import { shadowRoots } from './state.js';

/** Returns the document as HTML. `omitsCopies`: without the copies of sheets that many shadow roots share. */
export function serializeDocument(omitsCopies = false) {
  findDefined();
  findRepeated(omitsCopies);
  const inert = createInertDocument();
  const original = documentElement(document);
  const copy = importNode(inert, original, true);
  replaceChild(inert, copy, documentElement(inert));
  restore(document, inert, inert);
  clean(inert);
  normalizeHead(inert);
  moveMetadataFirst(inert);

  let html = outerHTML(copy);
  // Checking every attribute is slow, and rarely necessary.
  if (isSuspect(html) && cleanAttributes(inert)) html = outerHTML(copy);

  let before = '';
  some(childNodes(document), (node) => {
    if (nodeType(node) === TYPE.doctype) before += writeDoctype(node);
    if (nodeType(node) === TYPE.comment && isParsableComment(data(node))) before += `<!--${data(node)}-->\n`;
    return node === original;
  });
  return reparseUntilStable(before + renameSrcdocs(renumberTimestamps(inert, html)), inert);
}

/** Completes the copy of a document or shadow root. Original and copy have the same elements in the same order. */
function restore(original, copy, inert) {
  const isDocument = original === document;
  const sheets = queryAll(original, 'style,link');
  const sheetCopies = queryAll(copy, 'style,link');
  const bodyOfPage = isDocument ? body(document) : null;
  const hasSheetInBody = bodyOfPage && query(bodyOfPage, 'style,link[rel~=stylesheet i]') !== null;

  restoreInlineStyles(original, copy);
  each(sheets, (sheet, index) => restoreSheet(sheet, sheetCopies[index], original, inert));
  // Set by a script, it is no root, but a parser would make it one.
  each(queryAll(copy, 'template[shadowrootmode]'), (template) => removeAttribute(template, 'shadowrootmode'));
  restoreHosts(original, copy, inert);

  const top = isDocument ? head(copy) || documentElement(copy) : copy;
  // Adopted sheets follow all others in the cascade.
  const container = hasSheetInBody ? body(copy) || top : top;
  each(adoptedStyleSheets(original), (sheet) => {
    if (css.isDisabled(sheet) || css.rules(sheet)[0] === undefined) return;
    const rules = rulesFor(sheetText(sheet, original), sheet, original);
    if (rules) append(container, styleElement(inert, sheet, rules));
  });
}

/** Writes the shadow roots in a tree into the copies of their hosts. */
function restoreHosts(original, copy, inert) {
  const roots = new SafeMap();
  shadowRoots.forEach((root) => {
    if (rootOf(host(root)) === original) roots.set(host(root), root);
  });
  if (roots.size === 0) return;
  const copies = queryAll(copy, '*');
  each(queryAll(original, '*'), (element, index) => {
    const root = roots.get(element);
    if (root) prepend(copies[index], writeShadowRoot(root, inert));
  });
}

function writeShadowRoot(root, inert) {
  const template = createElement(inert, 'template');
  const content = templateContent(template);
  setAttribute(template, 'shadowrootmode', rootMode(root));
  const flags = { delegatesfocus: delegatesFocus(root), clonable: clonable(root), serializable: serializable(root) };
  each(keys(flags), (flag) => flags[flag] && setAttribute(template, `shadowroot${flag}`, ''));
  each(childNodes(root), (child) => append(content, importNode(inert, child, true)));
  restore(root, content, inert);
  return template;
}

/** Gives the copy of a style or link element its current rules. */
function restoreSheet(element, copy, tree, inert) {
  const name = localName(element);
  const sheet = attempt(() => sheetOfElement(element));
  if (!sheet) return;
  const isWritten = isInMemoryOnly(element, sheet, name);
  const kept = isWritten && name === 'link' ? replaceLink(element, copy, sheet, inert) : copy;
  const rules = rulesFor(rulesOf(element, sheet, name, tree), sheet, tree);
  if (name === 'style' ? rules !== textContent(element) : isWritten) setTextContent(kept, rules);
  const media = css.mediaText(css.media(sheet));
  const wanted = attribute(element, 'media') || '';
  if (css.isDisabled(sheet)) {
    if (localName(kept) === 'link') setAttribute(kept, 'disabled', '');
    else setAttribute(kept, 'media', 'not all');
  } else if (media && media !== wanted && media !== lower(wanted)) {
    const meant = attempt(() => css.queryText(native.matchMedia(wanted || 'all')));
    if (meant !== media) setAttribute(kept, 'media', media);
  }
}

/** Replaces the copy of a link by a style element. */
function replaceLink(element, copy, sheet, inert) {
  const style = styleElement(inert, sheet, '');
  const id = attribute(element, 'id');
  if (id) setAttribute(style, 'id', id);
  insertBefore(parentNode(copy), style, copy);
  remove(copy);
  return style;
}
