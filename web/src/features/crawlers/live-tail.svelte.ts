// The newest visits of a domain as they come: what is shown, and what waits while the reader has paused it.
import type { Schemas } from '../../api/client';
import { openStream } from '../../api/streams';

/** A visit with a number of its own: two visits may be alike in everything. */
export type Seen = Schemas['LiveVisit'] & { key: number };

export class LiveTail {
  #shown = $state.raw<readonly Seen[]>([]);
  #waiting = $state.raw<readonly Seen[]>([]);
  #behind = $state(0);
  #isOpen = $state(false);
  #isPaused = $state(false);
  #missed = $state(0);
  #count = 0;

  /** Makes a tail that keeps the newest `length` visits. */
  constructor(readonly length: number) {}

  get shown(): readonly Seen[] {
    return this.#shown;
  }
  /** Visits that came while paused. */
  get behind(): number {
    return this.#behind;
  }
  get isOpen(): boolean {
    return this.#isOpen;
  }
  get isPaused(): boolean {
    return this.#isPaused;
  }
  /** Visits that came faster than the service could send them. */
  get missed(): number {
    return this.#missed;
  }

  /** Follows a domain from now on and returns the function that stops: for `$effect`. */
  follow(domain: string): () => void {
    [this.#shown, this.#waiting, this.#behind, this.#missed, this.#isPaused] = [[], [], 0, 0, false];
    return openStream({
      address: `/api/analytics/live?${new URLSearchParams({ domain }).toString()}`,
      events: {
        visit: (data) => this.add(data as Schemas['LiveVisit']),
        missed: (data) => (this.#missed += Number(data) || 0),
      },
      onState: (isOpen) => (this.#isOpen = isOpen),
    });
  }

  add(visit: Schemas['LiveVisit']): void {
    this.#count += 1;
    const next = { ...visit, key: this.#count };
    if (this.#isPaused) {
      this.#behind += 1;
      this.#waiting = [next, ...this.#waiting].slice(0, this.length);
    } else this.#shown = [next, ...this.#shown].slice(0, this.length);
  }

  pause(): void {
    this.#isPaused = true;
  }

  /** Goes on, with what came meanwhile. */
  resume(): void {
    this.#shown = [...this.#waiting, ...this.#shown].slice(0, this.length);
    [this.#waiting, this.#behind, this.#isPaused] = [[], 0, false];
  }
}
