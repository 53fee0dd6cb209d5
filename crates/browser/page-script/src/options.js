// Options of the render and the binding to the tab. Used by all modules that need a limit of the render.
// Must never be reachable from the page: the binding is removed from the globals before page code runs.

import { plain, stringify } from './intrinsics/language.js';

/** @type {RenderOptions} */
export const options = renderOptions;

/** Binding that sends a message to the tab; undefined in documents that are not captured. */
export const send = globalThis.__glasshouse;
delete globalThis.__glasshouse;

export const isTop = window === window.top;

/** Sends a message: a line of JSON, then the text of the document. Without a prototype no `toJSON` of the page is called. See docs/decisions/0100. */
export function report(message, html = '') {
  send?.(`${stringify(plain({ ...message, nonce: options.nonce }))}\n${html}`);
}
