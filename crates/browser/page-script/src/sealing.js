// Whether the document is sealed or could still write something. `seal.js` seals it; every hook that reaches out asks here.

import { native } from './native.js';

export const seal = { done: false, plain: true };

/** Notes that the document has begun something that could still write when it is sealed. */
export function leaveTrace() {
  seal.plain = false;
}

/** Throws what a document that is no longer shown gets to hear. */
export function refuseWhenSealed() {
  if (seal.done) throw new native.DOMException('The document is not fully active.', 'InvalidStateError');
}
