// Level of the headings within a part of a screen: below the heading of a panel, else below that of the screen.
import { getContext, setContext } from 'svelte';

const KEY = Symbol('panel');

/** Says that what follows stands in a panel, which has a heading of the second level. */
export function enterPanel(): void {
  setContext(KEY, true);
}

/** Returns the element of a heading here. */
export function headingBelow(): 'h2' | 'h3' {
  return getContext(KEY) === true ? 'h3' : 'h2';
}
