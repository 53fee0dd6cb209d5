// Names made from the time of the render: replaced by numbers that are equal in every render, wherever the name appears.
// Used by `serialize.js`. Must never change a time that stands alone.

import { attribute, attributeNames, eachElement } from './intrinsics/dom.js';
import { SafeMap, allMatches, asText, each, floor, replaceAll, test } from './intrinsics/language.js';

const TIMESTAMP = /(?<!\d)1\d{12}(?!\d)/g; // milliseconds since 1970
const NAME = /(?<![\w-])(?!\d+(?![\w-]))[\w-]{0,80}(?<!\d)1\d{12}(?!\d)[\w-]*/g; // not a time alone
const NAMING = /^(id|name|class|_.*|data-.*)$/; // attributes that define names
const LONGEST_RENDER_MS = 60_000;
const BEGAN = floor(performance.timeOrigin);

/** Returns the HTML of a tree with numbers in place of the times in names. */
export function renumberTimestamps(root, html) {
  if (allMatches(html, TIMESTAMP).length === 0) return html;
  /** @type {Map<string, string>} */
  const numbers = new SafeMap();
  /** @type {Map<string, string>} */
  const names = new SafeMap();
  const number = (stamp) => {
    if (+stamp < BEGAN || +stamp > BEGAN + LONGEST_RENDER_MS) return stamp;
    if (!numbers.has(stamp)) numbers.set(stamp, asText(1_000_000_000_000 + numbers.size));
    return numbers.get(stamp) ?? stamp;
  };
  const collect = ({ 0: name }) => {
    const renamed = replaceAll(name, TIMESTAMP, ({ 0: stamp }) => number(stamp));
    if (renamed !== name) names.set(name, renamed);
  };
  eachElement(root, (element) =>
    each(attributeNames(element), (name) => test(NAMING, name) && each(allMatches(attribute(element, name) ?? '', NAME), collect)),
  );
  return names.size === 0 ? html : replaceAll(html, NAME, ({ 0: name }) => names.get(name) ?? name);
}
