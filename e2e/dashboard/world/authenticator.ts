// An authenticator: the codes of RFC 6238 for a secret in base32.
import { createHmac } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns the code that is shown now, or some steps of 30 seconds later. */
export function codeOf(secret: string, stepsLater = 0): string {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + stepsLater));
  const tag = createHmac('sha1', key).update(counter).digest();
  const offset = (tag.at(-1) ?? 0) & 0xf;
  return String((tag.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
