// Keys of the dashboard: single keys, pairs such as `g o`, and Ctrl or ⌘ with a letter. A part binds its keys while it is shown.
// Single keys are silent in fields, in dialogs and in menus, and can be switched off (WCAG 2.1.4).
import { untrack } from 'svelte';
import { recall, remember } from './storage';

export interface KeyBinding {
  /** `t`, `g o`, `?`, `Escape`, or `mod k` for Ctrl or ⌘ with k. */
  keys: string;
  /** Text in the help. */
  label: string;
  run(event: KeyboardEvent): void;
  /** Returns true when this binding applies, of two parts with the same key. */
  applies?(): boolean;
}

/** Time in which the second key of a pair must follow. */
const PAIR_MS = 1500;
const FIELDS = 'input, textarea, select, [contenteditable="true"]';
const LAYERS = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

let bound = $state.raw<readonly KeyBinding[]>([]);
let areOn = $state(recall('keys') !== 'off');
let first: { key: string; at: number } | null = null;

export const keys = {
  /** The bindings of what is shown; one entry for each key, the newest. */
  get all(): readonly KeyBinding[] {
    return [...new Map(bound.map((binding) => [binding.keys, binding])).values()];
  },
  get areOn(): boolean {
    return areOn;
  },
  switch(on: boolean): void {
    areOn = on;
    remember('keys', on ? null : 'off');
  },
};

/** Binds keys and returns the function that releases them: for `$effect`. */
export function bindKeys(bindings: readonly KeyBinding[]): () => void {
  // The effect that binds keys must not run again when keys are bound.
  untrack(() => (bound = [...bound, ...bindings]));
  return () => {
    bound = bound.filter((binding) => !bindings.includes(binding));
  };
}

/** Handles a key that was pressed anywhere on the page. */
export function pressKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) return runBinding(`mod ${key}`, event);
  if (!areOn || event.repeat || isBusy(event.target)) return;
  const pair = first !== null && event.timeStamp - first.at < PAIR_MS ? `${first.key} ${key}` : null;
  const isFirst = bound.some((binding) => binding.keys.startsWith(`${key} `));
  first = pair === null && isFirst ? { key, at: event.timeStamp } : null;
  runBinding(pair ?? key, event);
}

function runBinding(pressed: string, event: KeyboardEvent): void {
  const found = bound.filter((binding) => binding.keys === pressed && binding.applies?.() !== false).at(-1);
  if (found === undefined) return;
  event.preventDefault();
  found.run(event);
}

function isBusy(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return target.closest(FIELDS) !== null || document.querySelector(LAYERS) !== null;
}
