// What the tab says about this render, and the way back to it. Read by whoever needs a limit of the render.
// Must never be reachable from the page: the binding is gone from its globals before any of its scripts runs.

import { plain, stringify } from './intrinsics/language.js';

/**
 * Options of the render, as `mod.rs` writes them around the bundle.
 * @type {RenderOptions}
 */
export const options = renderOptions;

/** Sends a message to the tab; nothing in a document that is not to be captured. */
export const send = globalThis.__glasshouse;
delete globalThis.__glasshouse;

export const isTop = window === window.top;

/**
 * Sends a message: one line of JSON, and behind it the text of the document as it is, which no JSON can spoil.
 * Without a prototype: a `toJSON` that the page gave to all objects is not asked. See docs/decisions/0100.
 */
export function report(message, html = '') {
  send?.(`${stringify(plain({ ...message, nonce: options.nonce }))}\n${html}`);
}
