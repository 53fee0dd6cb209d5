// The page's own word on when it is ready: `window.prerenderReady`, and its second name.

import { quietly } from './hooks.js';
import { defineProperty, each, plain } from './intrinsics/language.js';

/** @type {{ prerenderReady?: unknown, htmlSnapshot?: unknown }} */
const flags = plain({});

/** What the page says of itself: ready, not ready, nothing. */
export function readFlag() {
  if (typeof flags.prerenderReady === 'boolean') return flags.prerenderReady;
  return typeof flags.htmlSnapshot === 'boolean' ? flags.htmlSnapshot : undefined;
}

/** Seen in the moment in which they are set: `onReady` is called when one of them becomes true. */
export function watchFlags(onReady) {
  each(['prerenderReady', 'htmlSnapshot'], (name) =>
    quietly(() =>
      defineProperty(window, name, {
        get: () => flags[name],
        set: (value) => {
          flags[name] = value;
          if (value === true) onReady();
        },
        configurable: true,
        enumerable: false,
      }),
    ),
  );
}
