// Frames that a script has sent to an address by their own `location`, as lazysizes does: their `src` does not say where they are.
// Used by `serialize.js`.

import { quietly } from './hooks.js';
import { attribute, baseURI, hasAttribute, queryAll, setAttribute } from './intrinsics/dom.js';
import { each, getter, test } from './intrinsics/language.js';
import { parseUrl } from './native.js';

const documentOf = getter(HTMLIFrameElement.prototype, 'contentDocument');
const addressOf = getter(Document.prototype, 'documentURI');

/** Writes where they are into the copies of frames. */
export function writeFrameAddresses(original, copy) {
  const frames = queryAll(original, 'iframe');
  if (frames[0] === undefined) return;
  const copies = queryAll(copy, 'iframe');
  each(frames, (frame, place) => {
    if (hasAttribute(frame, 'src') || hasAttribute(frame, 'srcdoc') || hasAttribute(frame, 'sandbox')) return;
    const address = quietly(() => addressIn(frame));
    if (address) setAttribute(copies[place], 'src', address);
  });
}

/**
 * One of another site does not tell its address, but the script had it from somewhere. One that the page has written itself has the
 * page's own address.
 */
function addressIn(frame) {
  const written = attribute(frame, 'data-src') || '';
  const meant = written && parseUrl(written, baseURI(document))?.href;
  const inner = documentOf(frame);
  const address = inner ? addressOf(inner) : meant;
  if (!address || !test(/^https?:/, address) || address === addressOf(document)) return '';
  return address === meant ? written : address;
}
