// Shows a page that hides itself: snippets of A/B tests and consent tools hide it until their script has loaded ("anti-flicker"), which is never
// here, and frameworks until they have started. See docs/decisions/0273.
// Must never show a part that the page hides: only the root and the body are examined.

import { endAnimationsOf } from './animations.js';
import { hidingProperty, isHidden, rootAndBody } from './completeness.js';
import { inlineStyle } from './intrinsics/dom.js';
import { each, plain } from './intrinsics/language.js';
import { css } from './native.js';

const SHOWN = plain({ opacity: '1', display: 'block', visibility: 'visible' });
let isDone = false;

/** Ends a fade-in of the page, and overrides the styles of a root or body that is still hidden. Returns true when it was hidden. */
export function showHiddenPage() {
  if (isDone || !isHidden()) return false;
  isDone = true; // a page that hides itself again stays hidden
  each(rootAndBody(), (part) => {
    endAnimationsOf(part);
    for (let name = hidingProperty(part), before = ''; name && name !== before; before = name, name = hidingProperty(part)) {
      css.setProperty(inlineStyle(part), name, SHOWN[name], 'important');
      endAnimationsOf(part);
    }
  });
  return true;
}
