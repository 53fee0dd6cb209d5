// Chance that is the same every time: numbers from a text. Used by whatever makes up data of the demo. Pure.

/** Hash of a text, 32 bits (FNV-1a). */
function hash(text) {
  let sum = 0x811c9dc5;
  for (const letter of text) sum = Math.imul(sum ^ letter.codePointAt(0), 0x01000193);
  return sum >>> 0;
}

/** A function that returns numbers from 0 to 1, always the same ones for the same words (mulberry32). */
export function dice(...words) {
  let state = hash(words.join('|'));
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** One of a list. */
export const pick = (random, list) => list[Math.floor(random() * list.length)];

/** One of a list of [thing, weight]. */
export function pickWeighted(random, list) {
  let left = random() * list.reduce((sum, [, weight]) => sum + weight, 0);
  const found = list.find(([, weight]) => (left -= weight) < 0);
  return (found ?? list[list.length - 1])[0];
}

/** A whole number whose mean is `mean`. */
export const round = (random, mean) => Math.floor(mean + random());
