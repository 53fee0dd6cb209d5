// Follows changes of the DOM in the document and in all shadow roots, and documents that a script reopens.
// See docs/decisions/0104.

import { followElement } from './elements.js';
import { firstElementChild, localName, matches, nodeType, openRoot, queryAll, readyState, TYPE } from './intrinsics/dom.js';
import { SafeWeakMap, SafeWeakSet, each, getters, indexOf, methods, plain } from './intrinsics/language.js';
import { listen, reattachListeners, attempt, replaceMethod, watchMethod } from './hooks.js';
import { mutations, native } from './native.js';
import { isWithinBudget } from './repetition.js';
import { shared } from './shared.js';
import { eachTree, shadowRoots } from './state.js';
import { ownTime, recordActivity, work } from './work.js';

const { type: recordType, addedNodes } = getters(MutationRecord.prototype);
const { shadowRoot: innerRoot } = getters(ElementInternals.prototype);
const { attachInternals } = methods(HTMLElement.prototype);
const { write } = methods(Document.prototype);

function recordChanges(records) {
  each(records, (record) => {
    work.changes += 1;
    if (recordType(record) !== 'childList') return;
    each(addedNodes(record), (node) => {
      if (nodeType(node) !== TYPE.element) return;
      followElement(node);
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

/** @type {WeakMap<Element, ElementInternals>} */
const unusedInternals = new SafeWeakMap(); // internals that the page has not requested yet: they can be created only once
const examined = new SafeWeakSet(); // custom elements whose closed root has been searched for

export function watchShadowRoots() {
  watchMethod(Element.prototype, 'attachShadow', addRoot);
  replaceMethod(HTMLElement.prototype, 'attachInternals', (call, element) => {
    const internals = unusedInternals.get(element) ?? call();
    unusedInternals.delete(element);
    attempt(() => addRoot(innerRoot(internals)));
    return internals;
  });
  listen(document, 'DOMContentLoaded', findUnseenRoots);
}

/** Finds the roots that are attached without a call: those of the parser, of clones and of parts of other documents. */
export function findUnseenRoots() {
  eachTree((tree) => each(queryAll(tree, '*'), (element) => addRoot(openRoot(element) ?? closedRoot(element))));
}

/** Returns the closed root of a custom element. An undefined element has no internals, and nobody can see its root. */
function closedRoot(element) {
  if (indexOf(localName(element), '-') < 1 || examined.has(element) || !matches(element, ':defined')) return null;
  examined.add(element);
  return attempt(() => {
    const internals = attachInternals(element);
    unusedInternals.set(element, internals);
    return innerRoot(internals);
  });
}

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
