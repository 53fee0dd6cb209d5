// Checks of a domain while its set-up is shown: every 15 s while the page is in front, and on demand. The service allows six a
// minute; what it says about waiting is obeyed. Ends when the domain is connected, or a check cannot be had at all.
import { post, type Schemas } from '../../api/client';
import { refusalOf } from '../../api/refusals';
import type { Refusal } from '../../lib/refusal';

export const EVERY_MS = 15_000;

interface Options {
  domain: string;
  onresult: (result: Schemas['CheckResult']) => void;
}

export class Checker {
  result = $state.raw<Schemas['CheckResult'] | null>(null);
  refusal = $state.raw<Refusal | null>(null);
  isBusy = $state(false);
  /** Time of the next check, in milliseconds; null: none is planned. */
  dueAt = $state<number | null>(null);
  now = $state(Date.now());
  isHidden = $state(document.visibilityState === 'hidden');
  #domain: string;
  #onresult: Options['onresult'];
  #isOver = false;

  constructor({ domain, onresult }: Options) {
    this.#domain = domain;
    this.#onresult = onresult;
  }

  /** Seconds until the next check; null when none is planned. */
  left = $derived(this.dueAt === null ? null : Math.max(0, (this.dueAt - this.now) / 1000));

  /** Seconds that the service wants to be left alone. */
  wait = $derived(this.refusal?.kind === 'wait' && this.left !== null && this.left > 0 ? this.left : null);

  /** Begins to check and returns the function that ends it: for `$effect`. */
  start(): () => void {
    this.#isOver = false;
    this.dueAt = Date.now();
    const see = () => (this.isHidden = document.visibilityState === 'hidden');
    document.addEventListener('visibilitychange', see);
    const timer = setInterval(() => this.#tick(), 1000);
    this.#tick();
    return () => {
      this.#isOver = true;
      this.dueAt = null;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', see);
    };
  }

  #tick(): void {
    this.now = Date.now();
    if (!this.isHidden && this.dueAt !== null && this.dueAt <= this.now) void this.check();
  }

  /** Checks now; the next check by itself is 15 s later. */
  async check(): Promise<void> {
    if (this.isBusy || this.wait !== null) return;
    [this.isBusy, this.dueAt] = [true, null];
    let pause: number | null = EVERY_MS;
    try {
      this.result = await post('/api/dashboard/domains/{domain}/check', { params: { path: { domain: this.#domain } } });
      this.refusal = null;
      this.#onresult(this.result);
      if (this.result.status !== 'pending') pause = null;
    } catch (error) {
      this.refusal = refusalOf(error);
      pause = pauseAfter(this.refusal);
    } finally {
      this.isBusy = false;
      this.now = Date.now();
      this.dueAt = pause === null || this.#isOver ? null : this.now + pause;
    }
  }
}

/** Returns the pause after a check that was refused, in milliseconds; null when asking again does not help. */
export function pauseAfter(refusal: Refusal): number | null {
  if (refusal.kind === 'wait') return Math.max(1, refusal.seconds) * 1000;
  return refusal.kind === 'unavailable' || refusal.kind === 'offline' || refusal.kind === 'failed' ? EVERY_MS : null;
}
