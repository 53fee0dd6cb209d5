// State of the render: progress of the decision, shadow roots, and the page's own ready flag (`window.prerenderReady`).

import { SafeSet, defineProperty, each, plain } from './intrinsics/language.js';
import { attempt } from './hooks.js';
import { options } from './options.js';

/** @type {Set<ShadowRoot>} */
export const shadowRoots = new SafeSet();

/** Calls `run` with the document and every shadow root. */
export function eachTree(run) {
  run(document);
  shadowRoots.forEach(run); // includes the roots that are found meanwhile
}

export const state = {
  done: false,
  leaving: false,
  ignoresRedirect: false, // the page is reported instead of its redirect
  contentLoaded: false,
  brokenOff: false, // nothing more of the document arrives
  abortedSitesAt: 0, // time of the last request to abort blocking requests of other sites
  timer: 0,
  due: Infinity,
  confirming: false,
  why: '', // reason of the last report
  quietMs: options.quietMs,
  lagMs: 0, // ms by which recent checks were late: the load of the machine
  flaggedAt: 0, // time at which the page called itself ready
};

/** @type {{ prerenderReady?: unknown, htmlSnapshot?: unknown }} */
const flags = plain({});

/** Returns the page's flag: true, false, or undefined when it is not set. */
export function readFlag() {
  if (typeof flags.prerenderReady === 'boolean') return flags.prerenderReady;
  return typeof flags.htmlSnapshot === 'boolean' ? flags.htmlSnapshot : undefined;
}

/** Watches the flags. Calls `onReady` synchronously when one becomes true. */
export function watchFlags(onReady) {
  each(['prerenderReady', 'htmlSnapshot'], (name) =>
    attempt(() =>
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
