// State of the render: progress of the decision about the document, its shadow roots, and the page's own word on when it is ready (`window.prerenderReady`).

import { KeptSet, defineProperty, each, plain } from './intrinsics/language.js';
import { quietly } from './hooks.js';
import { options } from './options.js';

/** @type {Set<ShadowRoot>} */
export const shadowRoots = new KeptSet();
export const registry = { isUsed: false };
/** @type {Set<ShadowRoot>} */
export const templateRoots = new KeptSet(); // in what templates hold: shown by nobody, copied by scripts
/** Returns whether there may be roots that nobody has been told of. */
export const unseen = { mayBe: false };

export const state = {
  done: false,
  leaving: false,
  stays: false, // what it says of another place does not count
  contentLoaded: false,
  brokenOff: false, // what stands of the document is all there will be
  wentPastAt: 0, // when the tab was asked to give up what other sites leave hanging
  timer: 0,
  due: Infinity,
  confirming: false,
  why: '', // why it was reported last
  quietMs: options.quietMs,
  late: 0, // ms that the last looks came late: how busy the machine is
  flaggedAt: 0, // when the page called itself ready
};

/** @type {{ prerenderReady?: unknown, htmlSnapshot?: unknown }} */
const flags = plain({});

/** Returns the page's own word: ready, not ready, nothing. */
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
