// Options of the render and the binding to the tab. Used by all modules that need a limit of the render.
// Must never be reachable from the page: the binding is removed from the globals before page code runs.

import { plain, stringify } from './intrinsics/language.js';

/**
 * Options of the render, as `mod.rs` writes them around the bundle.
 * @type {RenderOptions}
 */
export const options = renderOptions;

/** Binding that sends a message to the tab; undefined in documents that are not captured. */
export const send = globalThis.__glasshouse;
delete globalThis.__glasshouse;

export const isTop = window === window.top;

/**
 * Sends a message: one line of JSON, followed by the text of the document. The message has no prototype, so that a `toJSON` that the page adds to
 * all objects is not called. See docs/decisions/0100.
 */
export function report(message, html = '') {
  send?.(`${stringify(plain({ ...message, nonce: options.nonce }))}\n${html}`);
}
