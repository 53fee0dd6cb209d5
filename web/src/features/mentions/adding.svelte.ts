// The dialog that adds prompts, which every screen of the section can open: with texts that were suggested, or without.
import type { Asker } from './questions';

let isOpen = $state(false);
let text = $state('');
let intent = $state<string | null>(null);
let asker = $state.raw<Asker>({ country: '', language: '' });

export const adding = {
  get isOpen(): boolean {
    return isOpen;
  },
  set isOpen(value: boolean) {
    isOpen = value;
  },
  /** Texts that it opens with. */
  get text(): string {
    return text;
  },
  /** Intent that it opens with. */
  get intent(): string | null {
    return intent;
  },
  /** Place and language that it opens with. */
  get asker(): Asker {
    return asker;
  },
  open(
    texts: readonly string[] = [],
    withIntent: string | null = null,
    by: Asker = { country: '', language: '' },
  ): void {
    [text, intent, asker, isOpen] = [texts.join('\n'), withIntent, by, true];
  },
};
