// A loaded document that a script opens anew, to write another page into it: all listeners of the document and its window are
// taken away with what stood there, those of this script among them.

import { listenAgain, quietly, replaceMethod } from './hooks.js';
import { readyState } from './intrinsics/dom.js';
import { each, method } from './intrinsics/language.js';

const write = method(Document.prototype, 'write');

export function watchReopening() {
  replaceMethod(Document.prototype, 'open', (call, self) => {
    const opened = call();
    if (self === document) listenAgain();
    return opened;
  });
  each(['write', 'writeln'], (name) =>
    replaceMethod(Document.prototype, name, (call, self) => {
      if (self !== document || readyState(document) === 'loading') return call();
      // Opens the document, before a script in what is written can listen to anything.
      quietly(() => write(document, ''));
      listenAgain();
      const result = call();
      listenAgain(); // under trusted types the first was refused
      return result;
    }),
  );
}
