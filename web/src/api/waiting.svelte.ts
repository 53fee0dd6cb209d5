// Time for which the service has kept this tab waiting: nothing is said of quick answers, a line shows after 300 ms, words after 5 s.
// Used by client.ts, which tells of each request, and by the application, which shows it.

/** Time after which a wait shows, and after which it is said in words, in milliseconds. */
const SHOWN_AFTER = 300;
const SAID_AFTER = 5_000;

type Wait = 'none' | 'shown' | 'said';

const begun = new Map<symbol, number>();
let wait = $state<Wait>('none');
let timer: ReturnType<typeof setTimeout> | undefined;

export const waiting = {
  get wait(): Wait {
    return wait;
  },
};

/** Counts a wait for as long as a promise is open. */
export async function waitFor<T>(promise: Promise<T>): Promise<T> {
  const key = Symbol();
  begun.set(key, Date.now());
  look();
  try {
    return await promise;
  } finally {
    begun.delete(key);
    look();
  }
}

function look(): void {
  clearTimeout(timer);
  const oldest = Math.min(...begun.values());
  const waited = Date.now() - oldest;
  // Never read here: an effect that makes a request would run again whenever the state changes.
  const now = begun.size === 0 || waited < SHOWN_AFTER ? 'none' : waited < SAID_AFTER ? 'shown' : 'said';
  wait = now;
  if (begun.size === 0 || now === 'said') return;
  timer = setTimeout(look, (now === 'none' ? SHOWN_AFTER : SAID_AFTER) - waited);
}
