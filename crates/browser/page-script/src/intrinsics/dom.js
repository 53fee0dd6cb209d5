// The DOM as before page code, read through its prototypes: named children shadow properties of forms and documents (`<input name="method">`, `<img
// name="body">`), and pages replace methods and getters.
// Must never look anything up on a node, a document or a global after its own start.

import { each, getter, method, setter } from './language.js';

// ---- nodes ----

const node = Node.prototype;
export const nodeType = getter(node, 'nodeType');
export const parentElement = getter(node, 'parentElement');
export const parentNode = getter(node, 'parentNode');
export const ownerDocument = getter(node, 'ownerDocument');
export const childNodes = getter(node, 'childNodes');
export const firstChild = getter(node, 'firstChild');
/** @type {(node: any) => string} */
export const textContent = getter(/** @type {any} */ (node), 'textContent');
export const setTextContent = setter(node, 'textContent');
export const isConnected = getter(node, 'isConnected');
export const rootOf = method(node, 'getRootNode');
export const append = method(node, 'appendChild');
export const insertBefore = method(node, 'insertBefore');
export const replaceChild = method(node, 'replaceChild');
export const removeChild = method(node, 'removeChild');
export const data = getter(CharacterData.prototype, 'data');
export const setData = setter(CharacterData.prototype, 'data');
export const doctypeName = getter(DocumentType.prototype, 'name');
export const publicId = getter(DocumentType.prototype, 'publicId');
export const systemId = getter(DocumentType.prototype, 'systemId');

export const TYPE = { element: 1, text: 3, section: 4, instruction: 7, comment: 8, document: 9, doctype: 10, fragment: 11 };

// ---- elements ----

const element = Element.prototype;
export const localName = getter(element, 'localName');
export const namespaceURI = getter(element, 'namespaceURI');
export const attribute = method(element, 'getAttribute');
export const hasAttribute = method(element, 'hasAttribute');
export const setAttribute = method(element, 'setAttribute');
export const removeAttribute = method(element, 'removeAttribute');
export const attributeNames = method(element, 'getAttributeNames');
export const firstElementChild = getter(element, 'firstElementChild');
export const outerHTML = getter(element, 'outerHTML');
export const innerHTML = getter(element, 'innerHTML');
export const openRoot = getter(element, 'shadowRoot');
export const boundingBox = method(element, 'getBoundingClientRect');
export const isShown = method(element, 'checkVisibility');
export const scrollHeight = getter(element, 'scrollHeight');
export const clientHeight = getter(element, 'clientHeight');
export const closest = method(element, 'closest');
export const onclick = getter(HTMLElement.prototype, 'onclick');
export const matches = method(element, 'matches');
const childrenOf = { 1: getter(element, 'children'), 11: getter(DocumentFragment.prototype, 'children') };
/** @type {(parent: any) => HTMLCollection} */
export const children = (parent) => childrenOf[nodeType(parent)](parent);
export const innerText = getter(HTMLElement.prototype, 'innerText');
export const nonce = getter(HTMLElement.prototype, 'nonce');
export const templateContent = getter(HTMLTemplateElement.prototype, 'content');
const side = (name) => /** @type {(box: any) => number} */ (getter(DOMRectReadOnly.prototype, name));
export const box = { top: side('top'), right: side('right'), bottom: side('bottom'), left: side('left') };

// Elements of SVG and MathML have no HTML getters.
export const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';
export const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
/** Returns true for an HTML element of a name. */
export const isHtml = (target, name) => localName(target) === name && namespaceURI(target) === HTML_NAMESPACE;

/** Removes a node from its parent. */
export const removeNode = (child) => removeChild(parentNode(child), child);
/** Method that removes an element from its parent, if it has one. */
export const remove = method(element, 'remove');

// ---- selectors: documents, elements and fragments have methods of their own ----

const queries = { 1: method(element, 'querySelector'), 9: method(Document.prototype, 'querySelector'), 11: method(DocumentFragment.prototype, 'querySelector') };
const queriesForAll = {
  1: method(element, 'querySelectorAll'),
  9: method(Document.prototype, 'querySelectorAll'),
  11: method(DocumentFragment.prototype, 'querySelectorAll'),
};

/** @type {(parent: any, selector: string) => Element | null} */
export const query = (parent, selector) => queries[nodeType(parent)](parent, selector);
/** @type {(parent: any, selector: string) => ArrayLike<Element>} */
export const queryAll = (parent, selector) => queriesForAll[nodeType(parent)](parent, selector);

/** Calls `run` with each element below a node, and with those in templates. */
export function eachElement(root, run) {
  each(queryAll(root, '*'), (found) => {
    run(found);
    if (isHtml(found, 'template')) eachElement(templateContent(found), run);
  });
}

// ---- documents ----

const documents = Document.prototype;
export const documentElement = getter(documents, 'documentElement');
export const body = getter(documents, 'body');
export const head = getter(documents, 'head');
export const scrollingElement = getter(documents, 'scrollingElement');
export const elementFromPoint = method(documents, 'elementFromPoint');
export const title = getter(documents, 'title');
export const contentType = getter(documents, 'contentType');
export const readyState = getter(documents, 'readyState');
export const baseURI = getter(node, 'baseURI');
export const doctype = getter(documents, 'doctype');
export const createElement = method(documents, 'createElement');
export const createTextNode = method(documents, 'createTextNode');
export const importNode = method(documents, 'importNode');
export const timeline = getter(documents, 'timeline');
const implementation = getter(documents, 'implementation');
const createHTMLDocument = method(DOMImplementation.prototype, 'createHTMLDocument');
/** Makes an empty document without a window, in which nothing runs, loads or reacts. */
export const createInertDocument = () => createHTMLDocument(implementation(document), '');

const createTreeWalker = method(documents, 'createTreeWalker');
const nextNode = method(TreeWalker.prototype, 'nextNode');
const SHOW_TEXT = 4;
/** Returns true when a text node of an element satisfies a condition. */
export function hasTextNode(root, isWanted) {
  const walker = createTreeWalker(document, root, SHOW_TEXT);
  for (let text = nextNode(walker); text; text = nextNode(walker)) if (isWanted(text)) return true;
  return false;
}

/** Calls `run` with each node of the kinds in a mask of a tree walker. */
export function walk(root, kinds, run) {
  const walker = createTreeWalker(document, root, kinds);
  for (let found = nextNode(walker); found; found = nextNode(walker)) run(found);
}

// ---- shadow roots and style sheets ----

export const host = getter(ShadowRoot.prototype, 'host');
export const rootMode = getter(ShadowRoot.prototype, 'mode');
const rootFlags = { delegatesFocus: getter(ShadowRoot.prototype, 'delegatesFocus'), clonable: getter(ShadowRoot.prototype, 'clonable'), serializable: getter(ShadowRoot.prototype, 'serializable') };
/** @type {(root: any, flag: 'delegatesFocus' | 'clonable' | 'serializable') => boolean} */
export const rootFlag = (root, flag) => rootFlags[flag](root);

const ofTree = (name) => {
  const read = { 9: getter(documents, name), 11: getter(ShadowRoot.prototype, name) };
  return (tree) => read[nodeType(tree)](tree);
};
/** @type {(tree: any) => ArrayLike<CSSStyleSheet>} */
export const styleSheets = ofTree('styleSheets');
/** @type {(tree: any) => ArrayLike<CSSStyleSheet>} */
export const adoptedStyleSheets = ofTree('adoptedStyleSheets');

/** Inserts a node before the children of an element or fragment. */
export function prepend(parent, child) {
  insertBefore(parent, child, firstChild(parent));
}
