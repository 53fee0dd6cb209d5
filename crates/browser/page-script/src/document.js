// Follows changes of the DOM in the document and in all shadow roots, and documents that a script reopens.
// See docs/decisions/0104.

import { followElement } from './elements.js';
import {
  firstElementChild, isConnected, isHtml, localName, matches, nodeType, openRoot, queryAll, readyState, rootFlag, templateContent, TYPE,
} from './intrinsics/dom.js';
import { SafeSet, SafeWeakMap, each, getter, indexOf, method, plain } from './intrinsics/language.js';
import { listen, reattachListeners, attempt, replaceMethod, watchMethod } from './hooks.js';
import { mutations, native } from './native.js';
import { isWithinBudget } from './repetition.js';
import { shared } from './shared.js';
import { registry, shadowRoots, templateRoots, unseenRoots } from './state.js';
import { ownTime, recordActivity, work } from './work.js';

const recordType = getter(MutationRecord.prototype, 'type');
const addedNodes = getter(MutationRecord.prototype, 'addedNodes');
const attachInternals = method(HTMLElement.prototype, 'attachInternals');
const innerRoot = getter(ElementInternals.prototype, 'shadowRoot');

const isElement = (node) => nodeType(node) === TYPE.element;
const isResource = (name) => name === 'script' || name === 'link' || name === 'iframe';

function recordChanges(records) {
  each(records, (record) => {
    work.changes += 1;
    if (recordType(record) !== 'childList') return;
    each(addedNodes(record), (node) => {
      if (!isElement(node)) return;
      if (isResource(localName(node))) followElement(node);
      if (firstElementChild(node)) each(queryAll(node, 'script[src],link,iframe'), followElement);
    });
  });
  if (!records[0]) return;
  work.lastChange = ownTime();
  // Changes after the end of the page's budget do not delay the capture.
  if (isWithinBudget(0)) recordActivity();
}

export const domObserver = new native.MutationObserver(recordChanges);

export function watchDocument(root) {
  work.readChanges = () => recordChanges(mutations.take(domObserver));
  mutations.observe(domObserver, root, plain({ childList: true, subtree: true, attributes: true, characterData: true }));
}

function addRoot(root) {
  if (!root || shadowRoots.has(root)) return;
  shadowRoots.add(root);
  watchDocument(root);
}

export function watchShadowRoots() {
  watchMethod(CustomElementRegistry.prototype, 'define', () => (registry.isUsed = true));
  watchMethod(Element.prototype, 'attachShadow', (root) => {
    addRoot(root);
    markClonable(root);
  });
  replaceMethod(HTMLElement.prototype, 'attachInternals', (call, element) => {
    const internals = unusedInternals.get(element) ?? call();
    unusedInternals.delete(element);
    attempt(() => addInnerRoot(element, internals));
    return internals;
  });
  // The parser attaches declarative roots without notice: they are searched for when parsing has ended.
  unseenRoots.mayExist = true;
  listen(document, 'DOMContentLoaded', () => {
    unseenRoots.mayExist = false;
    addDeclaredRoots(document);
    addTemplateRoots(document);
  });
  watchMethod(window.Document, 'parseHTMLUnsafe', () => (unseenRoots.mayExist = true));
  watchMethod(Element.prototype, 'setHTMLUnsafe', (_, element) => {
    unseenRoots.mayExist ||= localName(element) === 'template';
    addDeclaredRoots(openRoot(element) || element);
  });
  watchMethod(ShadowRoot.prototype, 'setHTMLUnsafe', (_, root) => addDeclaredRoots(root));
}

function addDeclaredRoots(parent) {
  each(queryAll(parent, '*'), (element) => {
    const root = openRoot(element);
    if (root) addDeclaredRoot(root);
    else if (indexOf(localName(element), '-') > 0) uncheckedElements.add(element);
  });
}

function addDeclaredRoot(root) {
  if (shadowRoots.has(root)) return;
  addRoot(root);
  markClonable(root);
  addDeclaredRoots(root);
}

/** @type {Set<Element>} */
const uncheckedElements = new SafeSet(); // custom elements that may have a closed declarative root, which only their internals reveal
/** @type {WeakMap<Element, ElementInternals>} */
const unusedInternals = new SafeWeakMap(); // internals that the page has not requested yet: they can be created only once

function addInnerRoot(element, internals) {
  uncheckedElements.delete(element);
  const root = innerRoot(internals);
  if (root) addDeclaredRoot(root);
}

/** Looks for closed roots. An undefined element has no internals, and nobody can see its root. */
function findClosedRoots() {
  uncheckedElements.forEach((element) => {
    if (!isConnected(element) || !matches(element, ':defined')) return;
    uncheckedElements.delete(element);
    attempt(() => {
      const internals = attachInternals(element);
      unusedInternals.set(element, internals);
      addInnerRoot(element, internals);
    });
  });
}

/** Adds the roots in templates, which clones get. */
function addTemplateRoots(parent) {
  each(queryAll(parent, 'template'), (template) => {
    if (!isHtml(template, 'template')) return;
    const content = templateContent(template);
    each(queryAll(content, '*'), (element) => {
      const root = openRoot(element);
      if (root) templateRoots.add(root);
    });
    addTemplateRoots(content);
  });
  unseenRoots.mayExist ||= templateRoots.size > 0;
}

/** Records that clones of a root's host get a root without notice. */
const markClonable = (root) => (unseenRoots.mayExist ||= rootFlag(root, 'clonable'));

/** Finds the roots of clones, of parts of other documents and of unfinished documents, and closed ones. */
export function findUnseenRoots() {
  findClosedRoots();
  if (!unseenRoots.mayExist) return;
  shadowRoots.forEach(addDeclaredRoots);
  addDeclaredRoots(document);
}

const write = method(Document.prototype, 'write');

// Kept, since the frame is removed when the document around it is reopened.
const pageOfFrame = shared && window.top?.document;

/** Attaches our listeners to a reopened document again. Returns true for this document and that of the page. */
function reattachIfOurs(opened) {
  if (opened === document) reattachListeners();
  else if (shared && opened === pageOfFrame) shared.reattachListeners();
  else return false;
  return true;
}

export function watchReopening() {
  replaceMethod(Document.prototype, 'open', (call, self) => {
    const opened = call();
    attempt(() => reattachIfOurs(self));
    return opened;
  });
  each(['write', 'writeln'], (name) =>
    replaceMethod(Document.prototype, name, (call, self) => {
      if (attempt(() => readyState(self)) === 'loading' || !attempt(() => reattachIfOurs(self))) return call();
      // Reopens the document before written scripts can add listeners.
      attempt(() => write(self, ''));
      reattachIfOurs(self);
      const result = call();
      reattachIfOurs(self); // the first write is refused under trusted types
      return result;
    }),
  );
}
