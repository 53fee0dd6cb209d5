// The dialog that adds prompts, which every screen of the section can open: with texts that were suggested, or without.

let isOpen = $state(false);
let text = $state('');
let intent = $state<string | null>(null);

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
  open(texts: readonly string[] = [], withIntent: string | null = null): void {
    [text, intent, isOpen] = [texts.join('\n'), withIntent, true];
  },
};
