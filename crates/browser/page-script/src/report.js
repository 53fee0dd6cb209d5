// Messages to the tab. Each carries the nonce of the render.

import { plain, stringify } from './intrinsics/language.js';
import { options, send } from './options.js';

/**
 * Sends a message: one line of JSON, and behind it the text of the document as it is, which no JSON can spoil.
 * Without a prototype: a `toJSON` that the page gave to all objects is not asked. See docs/decisions/0100.
 */
export function report(message, html = '') {
  send?.(`${stringify(plain({ ...message, nonce: options.nonce }))}\n${html}`);
}
