// The DOM as it was before page code ran, read through its prototypes: forms and documents show their named children in place
// of their own properties (`<input name="method">`, `<img name="body">`), and pages replace methods and getters.
// Must never look anything up on a node, a document or a global later than at its own start.

import { getter, method, setter } from './language.js';

// ---- nodes ----

const node = Node.prototype;
/** @type {(node: any) => number} */
export const nodeType = getter(node, 'nodeType');
/** @type {(node: any) => Element | null} */
export const parentElement = getter(node, 'parentElement');
/** @type {(node: any) => Node | null} */
export const parentNode = getter(node, 'parentNode');
/** @type {(node: any) => Document} */
export const ownerDocument = getter(node, 'ownerDocument');
/** @type {(node: any) => NodeListOf<ChildNode>} */
export const childNodes = getter(node, 'childNodes');
/** @type {(node: any) => ChildNode | null} */
export const firstChild = getter(node, 'firstChild');
/** @type {(node: any) => string} */
export const textContent = getter(node, 'textContent');
/** @type {(node: any, text: string) => void} */
export const setTextContent = setter(node, 'textContent');
/** @type {(node: any) => boolean} */
export const isConnected = getter(node, 'isConnected');
/** @type {(node: any) => Node} */
export const rootOf = method(node, 'getRootNode');
/** @type {(parent: any, child: Node) => void} */
export const append = method(node, 'appendChild');
/** @type {(parent: any, child: Node, before: Node | null) => void} */
export const insertBefore = method(node, 'insertBefore');
/** @type {(parent: any, child: Node, old: Node) => void} */
export const replaceChild = method(node, 'replaceChild');
/** @type {(parent: any, child: Node) => void} */
export const removeChild = method(node, 'removeChild');
/** @type {(data: any) => string} */
export const data = getter(CharacterData.prototype, 'data');
/** @type {(data: any, text: string) => void} */
export const setData = setter(CharacterData.prototype, 'data');
/** @type {(type: any) => string} */
export const doctypeName = getter(DocumentType.prototype, 'name');
/** @type {(type: any) => string} */
export const publicId = getter(DocumentType.prototype, 'publicId');
/** @type {(type: any) => string} */
export const systemId = getter(DocumentType.prototype, 'systemId');

export const TYPE = { element: 1, text: 3, section: 4, instruction: 7, comment: 8, document: 9, doctype: 10, fragment: 11 };

// ---- elements ----

const element = Element.prototype;
/** @type {(element: any) => string} */
export const localName = getter(element, 'localName');
/** @type {(element: any) => string} */
export const namespaceURI = getter(element, 'namespaceURI');
/** @type {(element: any, name: string) => string | null} */
export const attribute = method(element, 'getAttribute');
/** @type {(element: any, name: string) => boolean} */
export const hasAttribute = method(element, 'hasAttribute');
/** @type {(element: any, name: string, value: string) => void} */
export const setAttribute = method(element, 'setAttribute');
/** @type {(element: any, name: string) => void} */
export const removeAttribute = method(element, 'removeAttribute');
/** @type {(element: any) => string[]} */
export const attributeNames = method(element, 'getAttributeNames');
/** @type {(element: any) => Element | null} */
export const firstElementChild = getter(element, 'firstElementChild');
/** @type {(element: any) => string} */
export const outerHTML = getter(element, 'outerHTML');
/** @type {(element: any) => string} */
export const innerHTML = getter(element, 'innerHTML');
/** @type {(element: any, html: string) => void} */
export const setInnerHTML = setter(element, 'innerHTML');
/** @type {(element: any) => ShadowRoot | null} */
export const openRoot = getter(element, 'shadowRoot');
/** @type {(element: any) => DOMRect} */
export const boundingBox = method(element, 'getBoundingClientRect');
/** @type {(element: any, options: object) => boolean} */
export const isShown = method(element, 'checkVisibility');
/** @type {(element: any) => number} */
export const scrollHeight = getter(element, 'scrollHeight');
/** @type {(element: any) => number} */
export const clientHeight = getter(element, 'clientHeight');
/** @type {(element: any, selector: string) => Element | null} */
export const closest = method(element, 'closest');
/** @type {(element: any) => Function | null} */
export const onclick = getter(HTMLElement.prototype, 'onclick');
/** @type {(element: any, selector: string) => boolean} */
export const matches = method(element, 'matches');
const childrenOf = { 1: getter(element, 'children'), 11: getter(DocumentFragment.prototype, 'children') };
/** @type {(parent: any) => HTMLCollection} */
export const children = (parent) => childrenOf[nodeType(parent)](parent);
/** @type {(element: any) => string} */
export const innerText = getter(HTMLElement.prototype, 'innerText');
/** @type {(element: any) => string} */
export const nonce = getter(HTMLElement.prototype, 'nonce');
/** @type {(template: any) => DocumentFragment} */
export const templateContent = getter(HTMLTemplateElement.prototype, 'content');
const side = (name) => /** @type {(box: any) => number} */ (getter(DOMRectReadOnly.prototype, name));
export const box = { top: side('top'), right: side('right'), bottom: side('bottom'), left: side('left') };

// What is copied from namespaces of their own: an element of SVG or MathML has no HTML getters.
export const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';
export const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
/** Whether it is an HTML element of that name. */
export const isHtml = (target, name) => localName(target) === name && namespaceURI(target) === HTML_NAMESPACE;

/** Takes a node out of its parent. */
export const removeNode = (child) => removeChild(parentNode(child), child);
/** Takes an element out of wherever it is. */
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

// ---- documents ----

const documents = Document.prototype;
/** @type {(document: Document) => HTMLElement} */
export const documentElement = getter(documents, 'documentElement');
/** @type {(document: Document) => HTMLElement | null} */
export const body = getter(documents, 'body');
/** @type {(document: Document) => HTMLElement | null} */
export const head = getter(documents, 'head');
/** @type {(document: Document) => Element | null} */
export const scrollingElement = getter(documents, 'scrollingElement');
/** @type {(document: Document, x: number, y: number) => Element | null} */
export const elementFromPoint = method(documents, 'elementFromPoint');
/** @type {(document: Document) => string} */
export const title = getter(documents, 'title');
/** @type {(document: any) => string} */
export const contentType = getter(documents, 'contentType');
/** @type {(document: Document) => DocumentReadyState} */
export const readyState = getter(documents, 'readyState');
/** @type {(node: any) => string} */
export const baseURI = getter(node, 'baseURI');
/** @type {(document: Document) => DocumentType | null} */
export const doctype = getter(documents, 'doctype');
/** @type {(document: Document, name: string) => HTMLElement} */
export const createElement = method(documents, 'createElement');
/** @type {(document: Document, text: string) => Text} */
export const createTextNode = method(documents, 'createTextNode');
/** @type {(document: Document, node: Node, deep: boolean) => any} */
export const importNode = method(documents, 'importNode');
/** @type {(document: Document) => DocumentTimeline} */
export const timeline = getter(documents, 'timeline');
const implementation = getter(documents, 'implementation');
const createHTMLDocument = method(DOMImplementation.prototype, 'createHTMLDocument');
/** An empty document without a window: nothing in it runs, loads or reacts. */
export const createInertDocument = () => createHTMLDocument(implementation(document), '');

const createTreeWalker = method(documents, 'createTreeWalker');
const nextNode = method(TreeWalker.prototype, 'nextNode');
const SHOW_TEXT = 4;
/** Whether one of the text nodes in an element is as wanted. */
export function hasTextNode(root, isWanted) {
  const walker = createTreeWalker(document, root, SHOW_TEXT);
  for (let text = nextNode(walker); text; text = nextNode(walker)) if (isWanted(text)) return true;
  return false;
}

/** Calls `run` with each node of some kinds, a mask as for a tree walker. */
export function walk(root, kinds, run) {
  const walker = createTreeWalker(document, root, kinds);
  for (let found = nextNode(walker); found; found = nextNode(walker)) run(found);
}

// ---- shadow roots and style sheets ----

/** @type {(root: any) => Element} */
export const host = getter(ShadowRoot.prototype, 'host');
/** @type {(root: any) => string} */
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

/** Puts what it is given in front of the children of an element or fragment. */
export function prepend(parent, child) {
  insertBefore(parent, child, firstChild(parent));
}
