// The shadow roots of the page, closed ones too, and whether it defines elements. Found by `document.js`, written by
// `serialize.js`.

import { KeptSet } from './intrinsics/language.js';

/** @type {Set<ShadowRoot>} */
export const shadowRoots = new KeptSet();
export const registry = { isUsed: false };
