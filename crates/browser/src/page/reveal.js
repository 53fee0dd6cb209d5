// What a page shows only when it is scrolled into view, when its layout is known, or when its pictures have loaded.
// `ready.js` calls `drawForObservers`, `loadPictures` and `reveal` once the page is quiet.
// Must never change the size or the scroll position of the window: layouts depend on both.

const REVEAL_MARGIN = 20000; // px below the window that count as visible once
const REVEAL_PASSES = 3;
const SCROLL_MS = 60; // for handlers that are throttled
const SCROLL_END_MS = 400; // for those that set a timer to wait for the end of the scrolling

// ---- observers ----

const intersections = new Set(); // { callback, init, targets, seen, helper }
let resizeTargets = 0;

function watchObservers() {
  watchClass(
    'IntersectionObserver',
    (observer, args, record) => {
      if (!record.callback) return;
      record.observer = observer;
      byObserver.set(observer, record);
    },
    (args, record) => {
      const [callback, init] = args;
      if (typeof callback !== 'function') return args;
      record.callback = callback;
      record.init = init || {};
      record.targets = new Set();
      record.seen = new Set();
      const note = function (entries, observer) {
        for (const entry of entries) {
          if (entry.isIntersecting) record.seen.add(entry.target);
          else record.seen.delete(entry.target);
        }
        touch();
        return native.apply(callback, this, [entries, observer]);
      };
      return [note, ...Array.prototype.slice.call(args, 1)];
    },
  );
  const byObserver = new WeakMap();
  const prototype = window.IntersectionObserver?.prototype;
  watchMethod(prototype, 'observe', (_, observer, [target]) => {
    const record = byObserver.get(observer);
    if (record) {
      record.targets.add(target);
      intersections.add(record);
    }
    frames.changesWhenDrawn = -1;
    askFrame();
  });
  watchMethod(prototype, 'unobserve', (_, observer, [target]) => {
    byObserver.get(observer)?.targets.delete(target);
  });
  watchMethod(prototype, 'disconnect', (_, observer) => {
    const record = byObserver.get(observer);
    record?.targets.clear();
    intersections.delete(record);
  });

  watchMethod(window.ResizeObserver?.prototype, 'observe', () => {
    resizeTargets += 1;
    frames.changesWhenDrawn = -1;
    askFrame();
  });
}

/** Waits for one frame when the page changed since the last one and something of it depends on layout. */
function drawForObservers() {
  if (!options.frames || !send || (resizeTargets === 0 && intersections.size === 0)) return false;
  if (frames.changesWhenDrawn === work.changes || frames.drawn > 600) return false;
  const end = hold('frame', 300);
  native.requestAnimationFrame(() => end());
  askFrame();
  return true;
}

// ---- lazy sections ----

let revealed = 0;
const revealedTargets = new WeakSet();
const revealedKinds = new Set();
let scrollListeners = 0;

/**
 * Lets everything below the window become visible once, as it does for a person who scrolls down.
 *
 * A second observer with a large margin reports the page's own targets to the page's own callback, so that the window
 * keeps its size (an enlarged one would change every layout that depends on its height). Later passes take only what
 * the first one brought and what is not of the same kind, so that an endless feed grows by one step.
 */
function reveal() {
  if (revealed >= REVEAL_PASSES) return false;
  const first = revealed === 0;
  let shown = 0;
  for (const record of intersections) {
    if (isPositionMarker(record.init.rootMargin)) continue;
    const targets = [...record.targets].filter((target) => {
      if (!target.isConnected || record.seen.has(target) || revealedTargets.has(target)) return false;
      const kind = `${target.localName} ${target.getAttribute('class')} ${String(record.callback).slice(0, 500)}`;
      const known = revealedKinds.has(kind);
      if (!first && known && !/^(img|picture|video|iframe)$/.test(target.localName)) return false;
      return true;
    });
    if (targets.length === 0) continue;
    shown += targets.length;
    revealRecord(record, targets);
  }
  // Kinds are remembered after the pass: equal sections of one page are all revealed by the first.
  for (const record of intersections) {
    for (const target of record.targets) {
      if (revealedTargets.has(target)) revealedKinds.add(`${target.localName} ${target.getAttribute('class')} ${String(record.callback).slice(0, 500)}`);
    }
  }
  const scrolled = first && scrollListeners > 0 && pretendScroll();
  revealed = shown > 0 || scrolled ? revealed + 1 : REVEAL_PASSES;
  return shown > 0 || scrolled;
}

function revealRecord(record, targets) {
  const end = hold('frame', 500);
  const waitingFor = new Set(targets);
  const [top = '0px', right = '0px', , left = right] = String(record.init.rootMargin || '0px').trim().split(/\s+/);
  const init = { root: record.init.root ?? null, threshold: record.init.threshold ?? 0 };
  const helper = new native.IntersectionObserver(
    (entries) => {
      // The first report names every target once; what it shows is all that this pass shows.
      for (const entry of entries) {
        helper.unobserve(entry.target);
        waitingFor.delete(entry.target);
      }
      const visible = entries.filter((entry) => entry.isIntersecting && record.targets.has(entry.target));
      if (visible.length > 0) {
        touch();
        try {
          native.apply(record.callback, record.observer, [visible, record.observer]);
        } catch (error) {
          reportError(error);
        }
        remindOfVisible(record);
      }
      if (waitingFor.size === 0) {
        helper.disconnect();
        end();
      }
    },
    { ...init, rootMargin: `${top} ${right} ${REVEAL_MARGIN}px ${left}`, scrollMargin: `0px 0px ${REVEAL_MARGIN}px 0px` },
  );
  for (const target of targets) {
    revealedTargets.add(target);
    helper.observe(target);
  }
  askFrame();
}

/** Back at the top: an observer that marks the current section must end with the one that is really visible. */
function remindOfVisible(record) {
  const visible = [...record.targets].filter((target) => record.seen.has(target));
  for (const target of visible) {
    record.observer.unobserve(target);
    record.observer.observe(target);
  }
}

/** Whether an observer looks at a narrow band of the window: it follows the reading position, it does not load anything. */
function isPositionMarker(rootMargin) {
  const [top = '0', , bottom = top] = String(rootMargin || '0px').trim().split(/\s+/);
  const share = (text) => (text.endsWith('%') ? -parseFloat(text) / 100 : -parseFloat(text) / window.innerHeight) || 0;
  return share(top) + share(bottom) > 0.5;
}

/**
 * For pages that load by scroll position: a scroll event during which the window seems to be as high as the document and
 * scrolled to its end, and another one back at the top, so that headers that shrink or hide are as they were.
 */
function pretendScroll() {
  const height = Math.min(document.documentElement.scrollHeight, REVEAL_MARGIN);
  const bottom = height - window.innerHeight;
  if (bottom <= 50) return false;
  const restore = [];
  const pretend = (owner, name, value) =>
    quietly(() => {
      const found = Object.getOwnPropertyDescriptor(owner, name);
      Object.defineProperty(owner, name, { get: () => value, set: () => {}, configurable: true, enumerable: true });
      restore.push(() => (found ? Object.defineProperty(owner, name, found) : delete owner[name]));
    });
  const scrolled = () => {
    document.dispatchEvent(new Event('scroll', { bubbles: true }));
    askFrame(); // handlers are often throttled to frames
  };
  pretend(window, 'innerHeight', height);
  pretend(document.documentElement, 'clientHeight', height);
  for (const name of ['scrollY', 'pageYOffset']) pretend(window, name, bottom);
  pretend(document.documentElement, 'scrollTop', bottom);
  const before = new Set(work.holds);
  const latest = native.now() + SCROLL_END_MS;
  const end = hold('frame', SCROLL_END_MS + 300);
  const isAwaited = () => native.now() < latest && [...work.holds].some((entry) => entry.kind === 'timer' && !before.has(entry));
  const back = () => {
    if (isAwaited()) return native.setTimeout(back, 20);
    for (const undo of restore) quietly(undo);
    scrolled();
    return end();
  };
  scrolled();
  native.setTimeout(back, SCROLL_MS);
  return true;
}

// ---- pictures ----

// Pictures are not fetched, so they never load; pages that fade them in, or wait for them, would wait for ever.
const loadedPictures = new WeakSet();
const detachedPictures = new Set();

function watchPictures() {
  watchProperty(HTMLImageElement.prototype, 'src', {
    set: (image) => {
      loadedPictures.delete(image);
      if (!image.isConnected && detachedPictures.size < 1000) {
        detachedPictures.add(image);
        touch();
      }
    },
  });
  listen(document, 'load', (event) => event.target?.localName === 'img' && loadedPictures.add(event.target), true);
  replaceMethod(HTMLImageElement.prototype, 'decode', () => Promise.resolve());
  const size = (name, attribute, otherwise) => {
    const found = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, name);
    if (!found?.get) return;
    found.get = new Proxy(found.get, {
      apply: (read, image, args) => {
        const value = native.apply(read, image, args);
        return value === 0 && loadedPictures.has(image) ? Number(image.getAttribute(attribute)) || otherwise : value;
      },
    });
    quietly(() => Object.defineProperty(HTMLImageElement.prototype, name, found));
  };
  size('naturalWidth', 'width', 1200);
  size('naturalHeight', 'height', 800);
  const complete = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, 'complete');
  complete.get = new Proxy(complete.get, { apply: (read, image, args) => loadedPictures.has(image) || native.apply(read, image, args) });
  quietly(() => Object.defineProperty(HTMLImageElement.prototype, 'complete', complete));
}

/** Tells the page that its pictures have loaded. Each of them once. */
function loadPictures() {
  const pictures = [...detachedPictures, ...document.images];
  for (const root of shadowRoots) pictures.push(...root.querySelectorAll('img'));
  detachedPictures.clear();
  let told = false;
  for (const image of pictures) {
    if (loadedPictures.has(image) || !(image.getAttribute('src') || image.getAttribute('srcset'))) continue;
    loadedPictures.add(image);
    image.dispatchEvent(new Event('load'));
    told = true;
  }
  return told;
}
