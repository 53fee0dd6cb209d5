// Shows a page that is hidden as a whole: snippets of A/B tests and consent tools hide it until their script has come ("anti-flicker"), which
// here it never does, frameworks until they have begun. See docs/decisions/0273.
// Must never show a part that the page hides: only the document's root and its body are looked at.

import { endAnimationsOf } from './animations.js';
import { hidingProperty, isHidden, wholes } from './completeness.js';
import { each, getter, method, plain } from './intrinsics/language.js';

const SHOWN = plain({ opacity: '1', display: 'block', visibility: 'visible' });
const inlineStyle = getter(HTMLElement.prototype, 'style');
const setProperty = method(CSSStyleDeclaration.prototype, 'setProperty');

let isDone = false;

/** Ends the fading in of the page, and gives a root or body that is still hidden a style that shows it. True when it did. */
export function showHiddenPage() {
  if (isDone || !isHidden()) return false;
  isDone = true; // what a page hides again stays hidden
  each(wholes(), (part) => {
    endAnimationsOf(part);
    for (let name = hidingProperty(part), before = ''; name && name !== before; before = name, name = hidingProperty(part)) {
      setProperty(inlineStyle(part), name, SHOWN[name], 'important');
      endAnimationsOf(part);
    }
  });
  return true;
}
