// Actions of the screen that is shown, for the palette. A screen offers its actions while it is shown.
import { untrack } from 'svelte';
import { standing } from './standing.svelte';

export interface Action {
  label: string;
  /** Key that does the same. */
  keys?: string;
  /** Changes something: refused while the domain is suspended, and to viewers. */
  isWrite?: boolean;
  run(): void;
}

let offered = $state.raw<readonly Action[]>([]);

export const actions = {
  get all(): readonly Action[] {
    return standing.block !== null ? offered.filter((action) => !action.isWrite) : offered;
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
