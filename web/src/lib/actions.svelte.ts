// Actions of the screen that is shown, for the palette. A screen offers its actions while it is shown.
import { untrack } from 'svelte';

export interface Action {
  label: string;
  /** Key that does the same. */
  keys?: string;
  run(): void;
}

let offered = $state.raw<readonly Action[]>([]);

export const actions = {
  get all(): readonly Action[] {
    return offered;
  },
};

/** Offers actions and returns the function that takes them back: for `$effect`. */
export function offerActions(added: readonly Action[]): () => void {
  // The effect that offers actions must not run again when actions are offered.
  untrack(() => (offered = [...offered, ...added]));
  return () => {
    offered = offered.filter((action) => !added.includes(action));
  };
}
