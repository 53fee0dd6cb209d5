// Measurements for audits that need a browser: the largest picture in the first viewport, text that appears by scrolling, and elements that
// navigate by click handlers. `ready.js` measures before it scrolls and at the end, for audits only.
// Must never change the page before it is serialised, nor call the page's functions. See docs/decisions/0161.

import {
  attribute, baseURI, body, boundingBox, box, childNodes, closest, data, host, isShown, matches, nodeType, onclick, parentElement, query, queryAll, removeAttribute,
  setAttribute, TYPE,
} from './intrinsics/dom.js';
import { SafeMap, allMatches, asText, each, exec, filter, keys, map, max, min, parseFloat, plain, push, some, startsWith, test, trim, words } from './intrinsics/language.js';
import { attempt } from './hooks.js';
import { listened } from './listeners.js';
import { parseUrl } from './native.js';
import { options } from './options.js';
import { eachTree, shadowRoots } from './state.js';

const FIRST_WINDOW = 823; // px of height, as for search engines
const LEAST_PICTURE = 10_000; // px²
const MAX_TARGETS = 20;
const MAIN_WORDS = 50; // above which a main element counts as the whole text

const state = { words: -1, hasScrolled: false };

/** Measures the text until the page is scrolled. */
export function measureUnscrolled() {
  if (options.inspects && !state.hasScrolled) state.words = mainWords();
  return false;
}

/** Wraps a step that scrolls. */
export const scrolling = (step) => () => {
  const hasScrolled = step();
  state.hasScrolled ||= hasScrolled;
  return hasScrolled;
};

/** Returns the measurements for an audit; null without one. */
export function inspect() {
  if (!options.inspects) return null;
  const links = clickLinks();
  return plain({
    lazyPicture: attempt(lazyPicture) ?? null,
    words: attempt(mainWords) ?? 0,
    unscrolledWords: state.hasScrolled && state.words >= 0 ? state.words : null,
    clickLinks: links.count,
    clickTargets: plain(links.targets), // still an array
  });
}

// ---- pictures ----

const PAINTED = plain({ visibilityProperty: true });

/** Returns the address of the largest picture in the first viewport if it loads lazily, else null. */
function lazyPicture() {
  /** @type {Element[]} */
  const images = [];
  eachTree((tree) => each(queryAll(tree, 'img'), (image) => push(images, image)));
  /** @type {Element | null} */
  let largest = null;
  withoutTexts(images, () => {
    let size = LEAST_PICTURE - 1;
    each(images, (image) => {
      const area = shownArea(image);
      if (area <= size) return;
      largest = image;
      size = area;
    });
  });
  if (!largest || !test(/^\s*lazy\s*$/i, attribute(largest, 'loading') || '')) return null;
  const address = attribute(largest, 'src') || words(attribute(largest, 'srcset') || '')[0] || '';
  return parseUrl(address, baseURI(document))?.href ?? address;
}

function shownArea(image) {
  const bounds = boundingBox(image);
  const { width, height } = sizeOf(image, bounds);
  const shownWidth = min(box.left(bounds) + width, window.innerWidth) - max(box.left(bounds), 0);
  const shownHeight = min(box.top(bounds) + height, FIRST_WINDOW) - max(box.top(bounds), 0);
  return shownWidth > 0 && shownHeight > 0 && isShown(image, PAINTED) ? shownWidth * shownHeight : 0;
}

/** Returns the size of a picture once loaded, by its box and its declared aspect ratio. */
function sizeOf(image, bounds) {
  const parent = boundingBox(parentElement(image) ?? image);
  const written = (name) => parseFloat(attribute(image, name) || '') || 0;
  const width = max(box.right(bounds) - box.left(bounds), min(written('width'), box.right(parent) - box.left(parent)));
  const byShape = written('width') > 0 ? (width * written('height')) / written('width') : 0;
  return { width, height: max(box.bottom(bounds) - box.top(bounds), byShape) };
}

/** Runs a function while alternative texts are removed: pictures are not loaded, and the text has another size. */
function withoutTexts(images, run) {
  const texts = map(images, (image) => attribute(image, 'alt'));
  each(images, (image) => removeAttribute(image, 'alt'));
  const result = attempt(run);
  each(images, (image, index) => texts[index] !== null && setAttribute(image, 'alt', texts[index]));
  return result;
}

// ---- text ----

const NO_TEXT = 'script,style,noscript,template,svg,iframe,object,canvas,audio,video,select,textarea,[hidden],[aria-hidden="true" i]';
const NOT_MAIN = 'nav,footer,aside,body>header,[role=navigation],[role=banner],[role=contentinfo],[role=complementary]';
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;

/** Counts the words of the main text, without navigation, header, footer and asides. */
function mainWords() {
  const roots = new SafeMap();
  shadowRoots.forEach((root) => roots.set(host(root), root));
  const main = queryAll(document, 'main,[role=main]');
  const inMain = main.length === 1 ? wordsIn(main[0], roots) : 0;
  const whole = body(document);
  return inMain >= MAIN_WORDS || !whole ? inMain : wordsIn(whole, roots);
}

function wordsIn(root, roots) {
  let count = 0;
  const visit = (parent) =>
    each(childNodes(parent), (node) => {
      if (nodeType(node) === TYPE.text) count += allMatches(data(node), WORD).length;
      if (nodeType(node) !== TYPE.element || matches(node, `${NO_TEXT},${NOT_MAIN}`)) return;
      if (roots.has(node)) visit(roots.get(node));
      visit(node);
    });
  visit(root);
  return count;
}

// ---- links that only a click follows ----

const CONTROL = 'a[href],area[href],button,input,select,textarea,option,label,summary';
const NAVIGATES = /\blocation(\.href)?\s*=[^=]|\blocation\.(assign|replace)\(|\bwindow\.open\(|\bhistory\.pushState\(|\brouter\.push\(|\bnavigate\(/;
const TARGET = /(?:=|\()\s*["'`]([^"'`]+)["'`]/;
const NAMES = ['data-href', 'data-url', 'data-link', 'href'];

/** Counts the elements that navigate on a click without a link, and returns the targets of the first of them. */
function clickLinks() {
  const found = { count: 0, targets: /** @type {string[]} */ ([]) };
  const examine = (element) => {
    const handlers = handlersOf(element);
    if (handlers.length === 0) return;
    const named = first(map(NAMES, (name) => attribute(element, name)), (value) => value);
    const script = first(handlers, (text) => test(NAVIGATES, text));
    if (!script && !named && !test(/^\s*link\s*$/i, attribute(element, 'role') || '')) return;
    if (closest(element, CONTROL) || query(element, 'a[href]')) return;
    found.count += 1;
    const target = trim(named || exec(TARGET, script)?.[1] || '');
    if (found.targets.length < MAX_TARGETS) push(found.targets, target && (parseUrl(target, baseURI(document))?.href ?? target));
  };
  eachTree((tree) => each(queryAll(tree, tree === document ? 'body *' : '*'), (element) => attempt(() => examine(element))));
  return found;
}

const first = (list, holds) => filter(list, holds)[0] || '';

/** Returns the source texts of an element's own click handlers. */
function handlersOf(element) {
  /** @type {string[]} */
  const texts = [];
  const add = (handler) => handler && push(texts, asText(handler));
  add(listened.clicks.get(element));
  add(attempt(() => onclick(element)));
  // Frameworks listen at the root and keep the handler on the element.
  some(keys(element), (key) => {
    if (startsWith(key, '__reactProps$')) add(element[key]?.onClick);
    else if (key === '$$click' || key === '__click') add(element[key]);
    return false;
  });
  return texts;
}
