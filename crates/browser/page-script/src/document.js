// Follows the DOM of the document and of every shadow root that the page makes.

import { listen, watchMethod } from './hooks.js';
import { holdElement } from './elements.js';
import { firstElementChild, localName, nodeType, openRoot, queryAll, TYPE } from './intrinsics/dom.js';
import { each, getter, method, plain, some } from './intrinsics/language.js';
import { native } from './native.js';
import { registry, shadowRoots } from './roots.js';
import { now } from './shared.js';
import { touch, work } from './work.js';

// A page that never stops moving elements about is not waited for once its requests have long been answered.
const RESTLESS_MS = 2500;

const observe = method(MutationObserver.prototype, 'observe');
export const stopObserving = method(MutationObserver.prototype, 'disconnect');
const recordType = getter(MutationRecord.prototype, 'type');
const addedNodes = getter(MutationRecord.prototype, 'addedNodes');
const removedNodes = getter(MutationRecord.prototype, 'removedNodes');
const innerRoot = getter(ElementInternals.prototype, 'shadowRoot');

const isElement = (node) => nodeType(node) === TYPE.element;
const isResource = (name) => name === 'script' || name === 'link' || name === 'iframe';

export const domObserver = new native.MutationObserver((records) => {
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
});

export function watchDocument(root) {
  observe(domObserver, root, plain({ childList: true, subtree: true, attributes: true, characterData: true }));
}

function rememberRoot(root) {
  if (!root || shadowRoots.has(root)) return;
  shadowRoots.add(root);
  watchDocument(root);
}

export function watchShadowRoots() {
  watchMethod(CustomElementRegistry.prototype, 'define', () => (registry.isUsed = true));
  watchMethod(Element.prototype, 'attachShadow', rememberRoot);
  watchMethod(HTMLElement.prototype, 'attachInternals', (internals) => rememberRoot(innerRoot(internals)));
  // Declarative roots are made by the parser: those of the document are looked for when it has ended.
  listen(document, 'DOMContentLoaded', () => rememberDeclaredRoots(document));
  watchMethod(Element.prototype, 'setHTMLUnsafe', (_, element) => rememberDeclaredRoots(openRoot(element) || element));
  watchMethod(ShadowRoot.prototype, 'setHTMLUnsafe', (_, root) => rememberDeclaredRoots(root));
}

function rememberDeclaredRoots(parent) {
  each(queryAll(parent, '*'), (element) => {
    const root = openRoot(element);
    if (!root || shadowRoots.has(root)) return;
    rememberRoot(root);
    rememberDeclaredRoots(root);
  });
}
