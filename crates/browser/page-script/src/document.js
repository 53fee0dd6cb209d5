// Follows the DOM of the document and of every shadow root that the page makes, and a document that a script opens anew.
// See docs/decisions/0104.

import { holdElement } from './elements.js';
import {
  firstElementChild, isConnected, isHtml, localName, matches, nodeType, openRoot, queryAll, readyState, rootFlag, templateContent, TYPE,
} from './intrinsics/dom.js';
import { KeptSet, KeptWeakMap, each, getter, indexOf, method, plain } from './intrinsics/language.js';
import { listen, listenAgain, quietly, replaceMethod, watchMethod } from './hooks.js';
import { mutations, native } from './native.js';
import { isWithinBudget } from './repetition.js';
import { shared } from './shared.js';
import { registry, shadowRoots, templateRoots, unseen } from './state.js';
import { ownTime, touch, work } from './work.js';

const recordType = getter(MutationRecord.prototype, 'type');
const addedNodes = getter(MutationRecord.prototype, 'addedNodes');
const attachInternals = method(HTMLElement.prototype, 'attachInternals');
const innerRoot = getter(ElementInternals.prototype, 'shadowRoot');

const isElement = (node) => nodeType(node) === TYPE.element;
const isResource = (name) => name === 'script' || name === 'link' || name === 'iframe';

function noteChanges(records) {
  each(records, (record) => {
    work.changes += 1;
    if (recordType(record) !== 'childList') return;
    each(addedNodes(record), (node) => {
      if (!isElement(node)) return;
      if (isResource(localName(node))) holdElement(node);
      if (firstElementChild(node)) each(queryAll(node, 'script[src],link,iframe'), holdElement);
    });
  });
  if (!records[0]) return;
  work.lastChange = ownTime();
  // A page that never stops changing is not waited for once its own time is over.
  if (isWithinBudget(0)) touch();
}

export const domObserver = new native.MutationObserver(noteChanges);

export function watchDocument(root) {
  work.readChanges = () => noteChanges(mutations.take(domObserver));
  mutations.observe(domObserver, root, plain({ childList: true, subtree: true, attributes: true, characterData: true }));
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
  replaceMethod(HTMLElement.prototype, 'attachInternals', (call, element) => {
    const internals = asked.get(element) ?? call();
    asked.delete(element);
    quietly(() => rememberInnerRoot(element, internals));
    return internals;
  });
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
    if (root) rememberDeclaredRoot(root);
    else if (indexOf(localName(element), '-') > 0) silent.add(element);
  });
}

function rememberDeclaredRoot(root) {
  if (shadowRoots.has(root)) return;
  rememberRoot(root);
  noteClonable(root);
  rememberDeclaredRoots(root);
}

/** @type {Set<Element>} */
const silent = new KeptSet(); // custom elements that may have a closed root by the parser, which only their internals show
/** @type {WeakMap<Element, ElementInternals>} */
const asked = new KeptWeakMap(); // internals that the page has not asked for yet: there are none a second time

function rememberInnerRoot(element, internals) {
  silent.delete(element);
  const root = innerRoot(internals);
  if (root) rememberDeclaredRoot(root);
}

/** Asks elements for closed roots. Those that are not defined have no internals: their root is seen by nobody. */
function rememberClosedRoots() {
  silent.forEach((element) => {
    if (!isConnected(element) || !matches(element, ':defined')) return;
    silent.delete(element);
    quietly(() => {
      const internals = attachInternals(element);
      asked.set(element, internals);
      rememberInnerRoot(element, internals);
    });
  });
}

/** Remembers the roots in templates, which are there for copies. */
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

/** Looks for the roots that have come with copies and with parts of other documents, or before the document's end, and for closed ones. */
export function rememberUnseenRoots() {
  rememberClosedRoots();
  if (!unseen.mayBe) return;
  shadowRoots.forEach(rememberDeclaredRoots);
  rememberDeclaredRoots(document);
}

const write = method(Document.prototype, 'write');

// Kept: a frame is gone when the document around it is opened.
const pageOfFrame = shared && window.top?.document;

/** Listens again to a document, this one or that of the page; true when it is one of them. */
function isHeardAgain(opened) {
  if (opened === document) listenAgain();
  else if (shared && opened === pageOfFrame) shared.listenAgain();
  else return false;
  return true;
}

export function watchReopening() {
  replaceMethod(Document.prototype, 'open', (call, self) => {
    const opened = call();
    quietly(() => isHeardAgain(self));
    return opened;
  });
  each(['write', 'writeln'], (name) =>
    replaceMethod(Document.prototype, name, (call, self) => {
      if (quietly(() => readyState(self)) === 'loading' || !quietly(() => isHeardAgain(self))) return call();
      // Opens the document, before a script in what is written can listen to anything.
      quietly(() => write(self, ''));
      isHeardAgain(self);
      const result = call();
      isHeardAgain(self); // under trusted types the first was refused
      return result;
    }),
  );
}
