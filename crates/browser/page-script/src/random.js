// Random numbers that are the same on every render of a path, so that the same page gives the same bytes: libraries make
// element ids of them. Keys and digests of `crypto.subtle` stay what they are.

import { replaceMethod } from './hooks.js';
import { charCodeAt, floor, getPrototypeOf, getter, imul } from './intrinsics/language.js';

/** Puts a generator behind `Math.random` and `crypto`, seeded by the path: "a random quote" differs between pages. */
export function repeatRandomNumbers() {
  let state = 0x9e3779b9;
  const path = location.pathname;
  for (let place = 0; place < path.length; place += 1) state = imul(state ^ charCodeAt(path, place), 0x01000193);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  replaceMethod(window.Math, 'random', next);
  const crypto = window.Crypto?.prototype;
  const views = getPrototypeOf(Uint8Array.prototype);
  const bufferOf = getter(views, 'buffer');
  const offsetOf = getter(views, 'byteOffset');
  const lengthOf = getter(views, 'byteLength');
  const Bytes = Uint8Array;
  replaceMethod(crypto, 'getRandomValues', (call) => {
    const filled = call(); // says no to what is no array of integers
    const length = lengthOf(filled);
    const bytes = new Bytes(bufferOf(filled), offsetOf(filled), length);
    for (let place = 0; place < length; place += 1) bytes[place] = next() * 256;
    return filled;
  });
  const digits = (count) => {
    let text = '';
    for (let place = 0; place < count; place += 1) text += '0123456789abcdef'[floor(next() * 16)];
    return text;
  };
  replaceMethod(crypto, 'randomUUID', () => `${digits(8)}-${digits(4)}-4${digits(3)}-a${digits(3)}-${digits(12)}`);
}
