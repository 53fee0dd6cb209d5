// Fonts are not fetched: a page that waits for one is told that it is there.

import { askFrame } from './frames.js';
import { quietly, replaceGetter, replaceMethod } from './hooks.js';
import { asText, getPrototypeOf, getter, includes, method, push, replaceAll, then } from './intrinsics/language.js';
import { holdPromise } from './work.js';

const familyOf = getter(window.FontFace?.prototype, 'family');
const errorName = getter(DOMException.prototype, 'name');

/** Whether a font, as CSS names it, is of the family of a face. */
const isNamed = (face, font) => includes(asText(font), replaceAll(familyOf(face), /["']/g, ''));

export function watchFonts() {
  let watched = false;
  replaceGetter(Document.prototype, 'fonts', (read) => {
    const faces = read();
    quietly(() => {
      askFrame(); // promises of the set are settled after a layout
      if (!watched) watchSet(getPrototypeOf(faces)); // no global name leads there
      watched = true;
    });
    return faces;
  });
  replaceMethod(window.FontFace?.prototype, 'load', (call, face) => {
    const answer = then(call(), () => face, () => face);
    holdPromise('request', RULES.font.ms, answer);
    return answer;
  });
}

function watchSet(prototype) {
  const eachFace = method(prototype, 'forEach');
  const named = (faces, font) => {
    /** @type {FontFace[]} */
    const found = [];
    eachFace(faces, (face) => isNamed(face, font) && push(found, face));
    return found;
  };
  replaceMethod(prototype, 'load', (call, faces, args) => {
    const failed = (error) => {
      if (quietly(() => errorName(error)) === 'SyntaxError') throw error;
      return named(faces, args[0]);
    };
    const answer = then(call(), (found) => found, failed);
    holdPromise('request', RULES.font.ms, answer);
    askFrame();
    return answer;
  });
  replaceMethod(prototype, 'check', (call, faces, args) => call() || named(faces, args[0]).length > 0);
}
