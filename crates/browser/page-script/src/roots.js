// The shadow roots of the page, closed ones too, and whether it defines elements. Found by `document.js`, written by
// `serialize.js`.

import { KeptSet } from './intrinsics/language.js';

/** @type {Set<ShadowRoot>} */
export const shadowRoots = new KeptSet();
export const registry = { isUsed: false };
/** @type {Set<ShadowRoot>} */
export const templateRoots = new KeptSet(); // in what templates hold: shown by nobody, copied by scripts
/** Whether there may be roots that nobody has been told of. */
export const unseen = { mayBe: false };
