// A loaded document that a script opens anew, to write another page into it: all listeners of the document and its window are
// taken away with what stood there, those of this script among them. A script can do so to the page with a frame's methods, too.

import { listenAgain, quietly, replaceMethod } from './hooks.js';
import { readyState } from './intrinsics/dom.js';
import { each, method } from './intrinsics/language.js';
import { shared } from './shared.js';

const write = method(Document.prototype, 'write');

// Kept: a frame is gone when the document around it is opened.
const pageOfFrame = shared && window.top?.document;

/** Listens again to a document, this one or that of the page; true when it is one of them. */
function isHeardAgain(opened) {
  if (opened === document) listenAgain();
  else if (shared && opened === pageOfFrame) shared.listenAgain();
  else return false;
  return true;
}

export function watchReopening() {
  replaceMethod(Document.prototype, 'open', (call, self) => {
    const opened = call();
    quietly(() => isHeardAgain(self));
    return opened;
  });
  each(['write', 'writeln'], (name) =>
    replaceMethod(Document.prototype, name, (call, self) => {
      if (quietly(() => readyState(self)) === 'loading' || !quietly(() => isHeardAgain(self))) return call();
      // Opens the document, before a script in what is written can listen to anything.
      quietly(() => write(self, ''));
      isHeardAgain(self);
      const result = call();
      isHeardAgain(self); // under trusted types the first was refused
      return result;
    }),
  );
}
