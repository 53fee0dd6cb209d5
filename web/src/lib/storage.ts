// Settings that this browser remembers: small ones under one prefix. Storage may be off or full; then nothing is remembered.
// Must never hold anything secret, nor what a screen shows.

const PREFIX = 'glasshouse.';
/** Names that belong to the browser and not to the account. */
const KEPT_AFTER_SIGN_OUT = ['theme', 'keys'];

/** Returns what was remembered under a name. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Remembers a value; null forgets it. */
export function remember(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // Off or full: the setting lasts as long as the page.
  }
}

/** Forgets all that belongs to the account. */
export function forgetAccount(): void {
  try {
    const names = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
    const kept = KEPT_AFTER_SIGN_OUT.map((name) => PREFIX + name);
    for (const name of names.filter((key) => !kept.includes(key))) localStorage.removeItem(name);
  } catch {
    // Off: nothing is there.
  }
}
