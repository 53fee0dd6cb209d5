// Attributes of a copy of the document: handlers, script addresses, addresses in memory.
// Used by `serialize.js`, on copies only.

import { attribute, attributeNames, isHtml, queryAll, removeAttribute, setAttribute, templateContent } from './intrinsics/dom.js';
import { each, replaceAll, slice, test } from './intrinsics/language.js';

// Browsers drop line breaks and tabs wherever they stand in an address.
const SUSPECT = /\son[a-z]+\s*=|s[\t\n\r]*c[\t\n\r]*r[\t\n\r]*i[\t\n\r]*p[\t\n\r]*t[\t\n\r]*:|blob:/i;
const URL_ATTRIBUTE = /^([a-z]+:)?(href|action|formaction|src|data|poster|to|from|values|by)$/i;
const HARMLESS_SCRIPT = /^javascript:(void\(?0?\)?)?;?$/i; // a link that only looks like one, as written

/** Whether a text of HTML may hold attributes that have to be looked at. */
export const isSuspect = (html) => test(SUSPECT, html);

/** Removes event handlers, script addresses and addresses in this tab's memory. True when there was one. */
export function cleanAttributes(root) {
  let changed = false;
  each(queryAll(root, '*'), (element) => {
    each(attributeNames(element), (name) => {
      if (cleanAttribute(element, name)) changed = true;
    });
    if (isHtml(element, 'template') && cleanAttributes(templateContent(element))) changed = true;
  });
  return changed;
}

function cleanAttribute(element, name) {
  if (test(/^on[a-z]/i, name)) {
    removeAttribute(element, name);
    return true;
  }
  if (!test(URL_ATTRIBUTE, name)) return false;
  const address = withoutControls(attribute(element, name) || '');
  if (test(/^blob:/i, address)) removeAttribute(element, name);
  else if (test(/^(javascript|vbscript):/i, address) && !test(HARMLESS_SCRIPT, address)) setAttribute(element, name, 'javascript:void(0)');
  else return false;
  return true;
}

/** Browsers ignore white space and control characters in front of and inside a scheme. */
function withoutControls(value) {
  return replaceAll(slice(value, 0, 200), /[\0-\x20]+/g, '');
}
