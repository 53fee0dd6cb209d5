// Follows the DOM of the document and of every shadow root that the page makes.

import { listen, watchMethod } from './hooks.js';
import { holdElement } from './elements.js';
import { firstElementChild, isHtml, localName, nodeType, openRoot, queryAll, rootFlag, templateContent, TYPE } from './intrinsics/dom.js';
import { each, getter, method, plain, some } from './intrinsics/language.js';
import { native } from './native.js';
import { registry, shadowRoots, templateRoots, unseen } from './roots.js';
import { now } from './shared.js';
import { touch, work } from './work.js';

// A page that never stops moving elements about is not waited for once its requests have long been answered.
const RESTLESS_MS = 2500;

const observe = method(MutationObserver.prototype, 'observe');
export const stopObserving = method(MutationObserver.prototype, 'disconnect');
const takeRecords = method(MutationObserver.prototype, 'takeRecords');
const recordType = getter(MutationRecord.prototype, 'type');
const addedNodes = getter(MutationRecord.prototype, 'addedNodes');
const removedNodes = getter(MutationRecord.prototype, 'removedNodes');
const innerRoot = getter(ElementInternals.prototype, 'shadowRoot');

const isElement = (node) => nodeType(node) === TYPE.element;
const isResource = (name) => name === 'script' || name === 'link' || name === 'iframe';

function noteChanges(records) {
  let structural = false;
  each(records, (record) => {
    work.changes += 1;
    if (recordType(record) !== 'childList') return;
    each(addedNodes(record), (node) => {
      if (!isElement(node)) return;
      structural = true;
      if (isResource(localName(node))) holdElement(node);
      if (firstElementChild(node)) each(queryAll(node, 'script[src],link,iframe'), holdElement);
    });
    structural ||= some(removedNodes(record), isElement);
  });
  if (!structural) return;
  work.structures += 1;
  work.lastDom = now();
  if (work.lastDom - work.lastRequest < RESTLESS_MS) touch();
}

export const domObserver = new native.MutationObserver(noteChanges);

export function watchDocument(root) {
  work.readChanges = () => noteChanges(takeRecords(domObserver));
  observe(domObserver, root, plain({ childList: true, subtree: true, attributes: true, characterData: true }));
}

function rememberRoot(root) {
  if (!root || shadowRoots.has(root)) return;
  shadowRoots.add(root);
  watchDocument(root);
}

export function watchShadowRoots() {
  watchMethod(CustomElementRegistry.prototype, 'define', () => (registry.isUsed = true));
  watchMethod(Element.prototype, 'attachShadow', (root) => {
    rememberRoot(root);
    noteClonable(root);
  });
  watchMethod(HTMLElement.prototype, 'attachInternals', (internals) => rememberRoot(innerRoot(internals)));
  // Declarative roots are made by the parser: those of the document are looked for when it has ended.
  unseen.mayBe = true;
  listen(document, 'DOMContentLoaded', () => {
    unseen.mayBe = false;
    rememberDeclaredRoots(document);
    rememberTemplates(document);
  });
  watchMethod(window.Document, 'parseHTMLUnsafe', () => (unseen.mayBe = true));
  watchMethod(Element.prototype, 'setHTMLUnsafe', (_, element) => {
    unseen.mayBe ||= localName(element) === 'template';
    rememberDeclaredRoots(openRoot(element) || element);
  });
  watchMethod(ShadowRoot.prototype, 'setHTMLUnsafe', (_, root) => rememberDeclaredRoots(root));
}

function rememberDeclaredRoots(parent) {
  each(queryAll(parent, '*'), (element) => {
    const root = openRoot(element);
    if (!root || shadowRoots.has(root)) return;
    rememberRoot(root);
    noteClonable(root);
    rememberDeclaredRoots(root);
  });
}

/** Those of templates are there for their copies. */
function rememberTemplates(parent) {
  each(queryAll(parent, 'template'), (template) => {
    if (!isHtml(template, 'template')) return;
    const content = templateContent(template);
    each(queryAll(content, '*'), (element) => {
      const root = openRoot(element);
      if (root) templateRoots.add(root);
    });
    rememberTemplates(content);
  });
  unseen.mayBe ||= templateRoots.size > 0;
}

/** A copy of its host gets one, which nobody is told of. */
const noteClonable = (root) => (unseen.mayBe ||= rootFlag(root, 'clonable'));

/** Looks for the open roots that have come with copies and with parts of other documents, or before the document's end. */
export function rememberUnseenRoots() {
  if (!unseen.mayBe) return;
  shadowRoots.forEach(rememberDeclaredRoots);
  rememberDeclaredRoots(document);
}
