// Messages to the tab. Each carries the nonce of the render.

import { plain, stringify } from './intrinsics/language.js';
import { options, send } from './options.js';

/** Sends a message as JSON. Without a prototype: a `toJSON` that the page gave to all objects is not asked. */
export function report(message) {
  send?.(stringify(plain({ ...message, nonce: options.nonce })));
}
