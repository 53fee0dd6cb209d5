// The DOM as before page code, read through its prototypes: named children shadow properties of forms and documents (`<input name="method">`, `<img
// name="body">`), and pages replace methods and getters.
// Must never look anything up on a node, a document or a global after its own start.

import { each, getters, methods, setters } from './language.js';

// ---- nodes ----

export const { nodeType, parentElement, parentNode, ownerDocument, childNodes, firstChild, isConnected, baseURI } = getters(Node.prototype);
export const { getRootNode: rootOf, appendChild: append, insertBefore, replaceChild, removeChild } = methods(Node.prototype);
export const textContent = /** @type {(node: any) => string} */ (getters(Node.prototype).textContent);
export const { textContent: setTextContent } = setters(Node.prototype);
export const { data } = getters(CharacterData.prototype);
export const { data: setData } = setters(CharacterData.prototype);
export const { name: doctypeName, publicId, systemId } = getters(DocumentType.prototype);

export const TYPE = { element: 1, text: 3, section: 4, instruction: 7, comment: 8, document: 9, doctype: 10, fragment: 11 };

/** Removes a node from its parent. */
export const removeNode = (child) => removeChild(parentNode(child), child);

/** Inserts a node before the children of an element or fragment. */
export const prepend = (parent, child) => insertBefore(parent, child, firstChild(parent));

// ---- elements ----

const ofElement = getters(Element.prototype);
const methodsOfElement = methods(Element.prototype);
export const { localName, namespaceURI, firstElementChild, outerHTML, innerHTML, shadowRoot: openRoot, scrollHeight, clientHeight } = ofElement;
export const {
  getAttribute: attribute, getAttributeNames: attributeNames, hasAttribute, setAttribute, removeAttribute, getBoundingClientRect: boundingBox, checkVisibility: isShown,
  closest, matches, remove,
} = methodsOfElement;
export const { onclick, onload, innerText, nonce, style: inlineStyle } = getters(HTMLElement.prototype);
export const { content: templateContent } = getters(HTMLTemplateElement.prototype);
const { top, right, bottom, left } = getters(DOMRectReadOnly.prototype);
export const box = { top, right, bottom, left };

// Elements of SVG and MathML have no HTML getters.
export const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';
/** Returns true for an HTML element of a name. */
export const isHtml = (target, name) => localName(target) === name && namespaceURI(target) === HTML_NAMESPACE;

// ---- documents ----

const ofDocument = getters(Document.prototype);
const methodsOfDocument = methods(Document.prototype);
export const { documentElement, body, head, scrollingElement, title, contentType, readyState, doctype, timeline } = ofDocument;
export const { elementFromPoint, createElement, createTextNode, importNode } = methodsOfDocument;

const { implementation } = ofDocument;
const { createHTMLDocument } = methods(DOMImplementation.prototype);
/** Makes an empty document without a window, in which nothing runs, loads or reacts. */
export const createInertDocument = () => createHTMLDocument(implementation(document), '');

const { createTreeWalker } = methodsOfDocument;
const { nextNode } = methods(TreeWalker.prototype);
/** Calls `run` with the nodes of the kinds in a mask of a tree walker, until it returns true. Returns true when it did. */
export function walk(root, kinds, run) {
  const walker = createTreeWalker(document, root, kinds);
  for (let found = nextNode(walker); found; found = nextNode(walker)) if (run(found)) return true;
  return false;
}

// ---- members that elements, documents, fragments and shadow roots have of their own, by node type ----

const ofFragment = getters(DocumentFragment.prototype);
const ofRoot = getters(ShadowRoot.prototype);
const methodsOfFragment = methods(DocumentFragment.prototype);
const one = { 1: methodsOfElement.querySelector, 9: methodsOfDocument.querySelector, 11: methodsOfFragment.querySelector };
const all = { 1: methodsOfElement.querySelectorAll, 9: methodsOfDocument.querySelectorAll, 11: methodsOfFragment.querySelectorAll };
const childrenOf = { 1: ofElement.children, 11: ofFragment.children };
const sheetsOf = { 9: ofDocument.adoptedStyleSheets, 11: ofRoot.adoptedStyleSheets };

/** @type {(parent: any, selector: string) => Element | null} */
export const query = (parent, selector) => one[nodeType(parent)](parent, selector);
/** @type {(parent: any, selector: string) => ArrayLike<Element>} */
export const queryAll = (parent, selector) => all[nodeType(parent)](parent, selector);
/** @type {(parent: any) => HTMLCollection} */
export const children = (parent) => childrenOf[nodeType(parent)](parent);
/** @type {(tree: any) => ArrayLike<CSSStyleSheet>} */
export const adoptedStyleSheets = (tree) => sheetsOf[nodeType(tree)](tree);
export const { adoptedStyleSheets: setAdoptedStyleSheets } = setters(Document.prototype);
export const { host, mode: rootMode, delegatesFocus, clonable, serializable } = ofRoot;

/** Calls `run` with each element below a node, and with those in templates. */
export function eachElement(root, run) {
  each(queryAll(root, '*'), (found) => {
    run(found);
    if (isHtml(found, 'template')) eachElement(templateContent(found), run);
  });
}
