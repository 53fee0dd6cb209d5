// Names made from the time of this render: they get a number instead, the same on every render, wherever they stand.
// Used by `serialize.js`, on copies only. Must never change text that is shown, nor an address but for its fragment.

import { attribute, attributeNames, eachElement, localName, setAttribute, setTextContent, textContent } from './intrinsics/dom.js';
import { KeptMap, asText, each, floor, replaceAll, test } from './intrinsics/language.js';

const TIMESTAMP = /(?<!\d)1\d{12}(?!\d)/; // milliseconds since 1970
const EVERY_TIMESTAMP = /(?<!\d)1\d{12}(?!\d)/g;
const LONGEST_RENDER_MS = 60_000;
const BEGAN = floor(performance.timeOrigin);

// Attributes that only name something for a script or a style sheet.
const NAMING = /^(id|for|name|class|list|form|headers|slot|part|aria-(controls|describedby|details|errormessage|flowto|labelledby|owns|activedescendant)|_.*|data-.*)$/;
// Attributes of which a person or a crawler is told the value.
const TOLD = /^(alt|title|value|placeholder|content|datetime|label|summary|abbr|srcdoc|srcset|imagesrcset|aria-.*|nonce|integrity)$/;
const ADDRESS = /^([a-z]+:)?(href|src|action|formaction|data|poster|cite|ping|longdesc|background|profile|manifest|codebase|item(id|type|prop))$/i;

// Parts of a value that may hold names: all of it, what follows a number sign, style rules but for addresses.
const ALL = /[^]+/g;
const FRAGMENTS = /#[^\s"'<>()]*/g;
const OUTSIDE_ADDRESSES = /url\(\s*["']?#[^)]*\)|(?:(?!url\()[^])+|url\([^)]*\)?/gi;

/** The parts of the value of an attribute that may hold names. */
function partsOf(name) {
  if (test(NAMING, name)) return ALL;
  if (test(ADDRESS, name)) return FRAGMENTS;
  return test(TOLD, name) ? null : OUTSIDE_ADDRESSES;
}

/** The parts of the text of an element that may hold names: style rules, and data that points to parts of the page. */
const partsOfText = { __proto__: null, style: OUTSIDE_ADDRESSES, script: FRAGMENTS };

const isAddress = (part) => test(/^url\(\s*["']?[^#"'\s]/i, part);

/** Gives names that were made from the time of this render a number. True when there was one. */
export function renumberTimestamps(root, html) {
  if (!test(TIMESTAMP, html)) return false;
  /** @type {Map<string, string>} */
  const known = new KeptMap();
  const learn = (value) =>
    replaceAll(value, EVERY_TIMESTAMP, ({ 0: stamp }) => {
      const isOfRender = +stamp >= BEGAN && +stamp <= BEGAN + LONGEST_RENDER_MS;
      if (isOfRender && !known.has(stamp)) known.set(stamp, asText(1_000_000_000_000 + known.size));
      return stamp;
    });
  const rename = (value, parts) =>
    replaceAll(value, parts, ({ 0: part }) => (isAddress(part) ? part : replaceAll(part, EVERY_TIMESTAMP, ({ 0: stamp }) => known.get(stamp) ?? stamp)));

  eachElement(root, (element) => {
    each(attributeNames(element), (name) => test(NAMING, name) && learn(attribute(element, name) ?? ''));
    if (localName(element) === 'style') replaceAll(textContent(element), OUTSIDE_ADDRESSES, ({ 0: part }) => (isAddress(part) ? part : learn(part)));
  });
  if (known.size === 0) return false;
  eachElement(root, (element) => {
    each(attributeNames(element), (name) => {
      const value = attribute(element, name) ?? '';
      const parts = test(TIMESTAMP, value) && partsOf(name);
      if (parts) setAttribute(element, name, rename(value, parts));
    });
    const parts = partsOfText[localName(element)];
    if (parts && test(TIMESTAMP, textContent(element))) setTextContent(element, rename(textContent(element), parts));
  });
  return true;
}
