// The text of a search field while it is typed: it is applied after a pause, and until then nothing takes it away.
// Used by the tools of tables.

/** Pause after the last letter before the text is applied, in milliseconds. */
const PAUSE_MS = 250;

export class TypedText {
  #text = $state('');
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** Calls `apply` with the trimmed text after a pause in typing. */
  constructor(readonly apply: (text: string) => void) {}

  get text(): string {
    return this.#text;
  }

  /** Text that the reader typed. */
  set text(text: string) {
    this.#text = text;
    this.stop();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.apply(text.trim());
    }, PAUSE_MS);
  }

  /** Takes the text that applies now. Ignored while the reader types: a text that is not applied yet would be lost. */
  follow(text: string): void {
    if (this.#timer === null) this.#text = text;
  }

  /** Applies nothing any more, because the field is gone. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
