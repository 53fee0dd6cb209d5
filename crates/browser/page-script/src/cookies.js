// Cookies that end while time is skipped: the browser counts their seconds by its own clock, which does not go forward with the page's.
// Must never end one that the page did not set itself, nor one that a response has set anew since.

import { later } from './alarms.js';
import { watchSetter } from './hooks.js';
import { KeptMap, asText, dateNow, exec, getter, includes, parseDate, replaceAll, setter, trim } from './intrinsics/language.js';
import { time } from './shared.js';

const FAR_MS = 60_000; // no render lasts as long
const LIFE = /;\s*(max-age|expires)\s*=[^;]*/gi;

const setCookie = setter(Document.prototype, 'cookie');
const cookies = getter(Document.prototype, 'cookie');
let sets = 0;

/** How long a cookie lasts by the page's clock. */
function lifeOf(text) {
  const seconds = exec(/;\s*max-age\s*=\s*(\d{1,9})\s*(;|$)/i, text);
  if (seconds) return +seconds[1] * 1000;
  const date = exec(/;\s*expires\s*=([^;]*)/i, text);
  return date ? parseDate(date[1]) - dateNow() - time.skipped : Infinity;
}

export function watchCookies() {
  /** @type {Map<string, number>} */
  const last = new KeptMap();
  watchSetter(Document.prototype, 'cookie', (_, value) => {
    const text = asText(value);
    const name = trim(asText(exec(/^[^=;]*/, text)));
    const pair = trim(asText(exec(/^[^;]*/, text)));
    sets += 1;
    const set = sets;
    last.set(name, set);
    const life = lifeOf(text);
    if (!(life > 0 && life <= FAR_MS)) return;
    later(() => {
      const isStillThere = last.get(name) === set && includes(`; ${cookies(document)};`, `; ${pair};`);
      if (isStillThere) setCookie(document, `${replaceAll(text, LIFE, '')}; max-age=0`);
    }, life);
  });
}
