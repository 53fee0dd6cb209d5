// Frames on demand. With begin-frame control the browser draws nothing unless asked: whatever waits for a frame asks here.
// Must never lose a request for a frame, and never keep the page waiting for callbacks that go on for ever.

const FRAME_MS = 16;

const frames = {
  asked: false,
  drawn: 0,
  lastDrawn: 0,
  changesWhenDrawn: -1,
  unproductive: 0, // frames in a row in which callbacks ran and nothing changed
  lastProductive: 0,
  chainBegan: 0,
  requestOfChain: 0,
};

/** From here on callbacks have their whole time again. */
function beginChain() {
  frames.chainBegan = native.now();
  frames.lastProductive = frames.chainBegan;
  frames.unproductive = 0;
}

/** Asks for one frame. Any number of calls before it is drawn are one request. */
function askFrame() {
  if (!options.frames || !send || frames.asked) return;
  frames.asked = true;
  // What runs first in a frame notes that it was drawn: whatever asks after that asks for the next one.
  native.requestAnimationFrame(() => {
    frames.asked = false;
    frames.drawn += 1;
    frames.lastDrawn = native.now();
    frames.changesWhenDrawn = work.changes;
  });
  if (document.readyState === 'loading') {
    // Nothing is drawn before the document has a body; asking earlier would be in vain.
    listen(document, 'readystatechange', () => requestFrame(frames.drawn), { once: true });
    return;
  }
  // The first frames at once (two nested callbacks are a common "after paint"), later ones at the pace of a screen,
  // slower while they lead to nothing.
  const pace = frames.drawn < 8 ? 0 : frames.unproductive > 30 ? 120 : FRAME_MS;
  const wait = pace - (native.now() - frames.lastDrawn);
  if (wait > 1) native.setTimeout(() => requestFrame(frames.drawn), wait);
  else requestFrame(frames.drawn);
}

/**
 * Sends the request, and again until it has reached the page: a frame may be drawn before there is anything to draw, and
 * while the compositor animates by itself it may leave the page out until a frame has gone all the way to the screen.
 */
function requestFrame(drawnBefore, code = 'F') {
  send(code);
  native.setTimeout(() => {
    if (frames.drawn === drawnBefore && !state.done) requestFrame(drawnBefore, frames.drawn === 0 ? 'F' : 'D');
  }, frames.drawn === 0 ? 25 : 50);
}

function watchFrames() {
  const waiting = new Map(); // id → end of its hold
  /** Callbacks that draw on a canvas or follow the pointer go on for ever: they count while they change the page, for a while. */
  const mayHold = () => {
    const now = native.now();
    if (frames.requestOfChain !== work.lastRequest || (waiting.size === 0 && now - frames.lastDrawn > 500)) {
      frames.requestOfChain = work.lastRequest;
      beginChain();
    }
    const isProductive = frames.unproductive < 10 || now - frames.lastProductive < 250;
    return isProductive && now - frames.chainBegan < 3000;
  };
  replaceMethod(window, 'requestAnimationFrame', (call, self, args) => {
    const [callback] = args;
    if (typeof callback !== 'function') return call();
    askFrame(); // before the callback is registered, see there
    let id = 0;
    id = call([
      function (time) {
        const end = waiting.get(id);
        waiting.delete(id);
        const before = work.changes;
        try {
          return native.apply(callback, this, [time]);
        } finally {
          // Mutation records arrive in the microtask after this callback.
          Promise.resolve().then(() => {
            frames.unproductive = work.changes === before ? frames.unproductive + 1 : 0;
            if (frames.unproductive === 0) frames.lastProductive = native.now();
          });
          end?.();
        }
      },
    ]);
    // Long enough for another tab's page to keep the one that draws waiting.
    if (mayHold()) waiting.set(id, hold('frame', 2500));
    return id;
  });
  watchMethod(window, 'cancelAnimationFrame', (_, self, [id]) => {
    waiting.get(id)?.();
    waiting.delete(id);
  });

  for (const name of ['scrollTo', 'scrollBy', 'scroll']) {
    watchMethod(window, name, askFrame);
    watchMethod(Element.prototype, name, askFrame);
  }
  watchMethod(Element.prototype, 'scrollIntoView', askFrame);
  watchFonts();
}

/** Fonts are not fetched: a page that waits for one is told that it is there. */
function watchFonts() {
  const isNamed = (face, font) => String(font).includes(face.family.replace(/["']/g, ''));
  const watchSet = (prototype) => {
    replaceMethod(prototype, 'load', (call, faces, [font]) => {
      const answer = call().catch((error) => {
        if (error.name === 'SyntaxError') throw error;
        return [...faces].filter((face) => isNamed(face, font));
      });
      holdPromise('request', LIMITS.font, answer);
      askFrame();
      return answer;
    });
    replaceMethod(prototype, 'check', (call, faces, [font]) => call() || [...faces].some((face) => isNamed(face, font)));
  };
  const { get } = Object.getOwnPropertyDescriptor(Document.prototype, 'fonts');
  let watched = false;
  watchProperty(Document.prototype, 'fonts', {
    get: (self) => {
      askFrame(); // promises of the set are settled after a layout
      if (!watched) watchSet(Object.getPrototypeOf(native.apply(get, self, []))); // no global name leads there
      watched = true;
    },
  });
  replaceMethod(window.FontFace?.prototype, 'load', (call, face) => {
    const answer = call().then(() => face, () => face);
    holdPromise('request', LIMITS.font, answer);
    return answer;
  });
}
