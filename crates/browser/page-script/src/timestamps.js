// Names made from the time of the render: replaced by numbers that are equal in every render, in all references.
// Used by `serialize.js`, on copies only. Must never change visible text, nor addresses except for their fragment.

import { attribute, attributeNames, eachElement, localName, setAttribute, setTextContent, textContent } from './intrinsics/dom.js';
import { SafeMap, asText, each, floor, replaceAll, test } from './intrinsics/language.js';

const TIMESTAMP = /(?<!\d)1\d{12}(?!\d)/; // milliseconds since 1970
const EVERY_TIMESTAMP = /(?<!\d)1\d{12}(?!\d)/g;
const LONGEST_RENDER_MS = 60_000;
const BEGAN = floor(performance.timeOrigin);

// Attributes with names for scripts and style sheets only.
const NAMING = /^(id|for|name|class|list|form|headers|slot|part|aria-(controls|describedby|details|errormessage|flowto|labelledby|owns|activedescendant)|_.*|data-.*)$/;
// Attributes whose value is shown to people or crawlers.
const SHOWN = /^(alt|title|value|placeholder|content|datetime|label|summary|abbr|srcdoc|srcset|imagesrcset|aria-.*|nonce|integrity)$/;
const ADDRESS = /^([a-z]+:)?(href|src|action|formaction|data|poster|cite|ping|longdesc|background|profile|manifest|codebase|item(id|type|prop))$/i;

// Parts of a value that may be names: all of it, fragments of addresses, style rules without addresses.
const ALL = /[^]+/g;
const FRAGMENTS = /#[^\s"'<>()]*/g;
const OUTSIDE_ADDRESSES = /url\(\s*["']?#[^)]*\)|(?:(?!url\()[^])+|url\([^)]*\)?/gi;

/** Returns the pattern of the parts of an attribute that may be names. */
function partsOf(name) {
  if (test(NAMING, name)) return ALL;
  if (test(ADDRESS, name)) return FRAGMENTS;
  return test(SHOWN, name) ? null : OUTSIDE_ADDRESSES;
}

/** Patterns of the parts of an element's text that may be names, by element name. */
const partsOfText = { __proto__: null, style: OUTSIDE_ADDRESSES, script: FRAGMENTS };

const isAddress = (part) => test(/^url\(\s*["']?[^#"'\s]/i, part);

/** Replaces names made from the time of the render by numbers. Returns true when there was one. */
export function renumberTimestamps(root, html) {
  if (!test(TIMESTAMP, html)) return false;
  /** @type {Map<string, string>} */
  const numbers = new SafeMap();
  const collect = (value) =>
    replaceAll(value, EVERY_TIMESTAMP, ({ 0: stamp }) => {
      const isOfRender = +stamp >= BEGAN && +stamp <= BEGAN + LONGEST_RENDER_MS;
      if (isOfRender && !numbers.has(stamp)) numbers.set(stamp, asText(1_000_000_000_000 + numbers.size));
      return stamp;
    });
  const rename = (value, parts) =>
    replaceAll(value, parts, ({ 0: part }) => (isAddress(part) ? part : replaceAll(part, EVERY_TIMESTAMP, ({ 0: stamp }) => numbers.get(stamp) ?? stamp)));

  eachElement(root, (element) => {
    each(attributeNames(element), (name) => test(NAMING, name) && collect(attribute(element, name) ?? ''));
    if (localName(element) === 'style') replaceAll(textContent(element), OUTSIDE_ADDRESSES, ({ 0: part }) => (isAddress(part) ? part : collect(part)));
  });
  if (numbers.size === 0) return false;
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
