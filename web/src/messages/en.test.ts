// Rules of wording, over every text.
import { expect, test } from 'vitest';
import * as en from './en';

/** Lists every text with its name; functions are called with figures as texts, which pass for both. */
function texts(value: unknown, name: string): [string, string][] {
  if (typeof value === 'string') return [[name, value]];
  if (typeof value === 'function') return [[name, String(value(...['2', '3', '4', '5', '6']))]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => texts(inner, `${name}.${key}`));
}

const all = Object.entries(en).flatMap(([file, messages]) => texts({ ...messages }, file));

test('every file of texts is collected', () => {
  const files = Object.keys(import.meta.glob(['./*.ts', '!./*.test.ts', '!./en.ts'])).map((file) => file.slice(2, -3));

  expect(files.toSorted()).toEqual(Object.keys(en).toSorted());
});

test('texts are calm: no please, no oops, no exclamation mark', () => {
  expect(all.filter(([, text]) => /\b(please|oops|sorry)\b|!/i.test(text))).toEqual([]);
});

test('texts are whole: no blanks at their ends, no straight quotation marks', () => {
  const isPart = (name: string) => /shell\.rendersOf/.test(name);
  expect(all.filter(([name, text]) => !isPart(name) && (text !== text.trim() || /["']/.test(text)))).toEqual([]);
});

/** Lists every text with 1 for each of its figures; functions with other arguments are left out. */
function textsOfOne(value: unknown, name: string): [string, string][] {
  if (typeof value === 'string') return [[name, value]];
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => textsOfOne(inner, `${name}.${key}`));
  try {
    return typeof value === 'function' ? textsOfOne(value(1, 1, 1, 1, 1), name) : [];
  } catch {
    return [];
  }
}

test('one thing is named in the singular', () => {
  const isNoPlural = /ss$|^(as|is|was|has|needs|waits|answers|answered|does|matches)$/;
  const plurals = Object.entries(en)
    .flatMap(([file, messages]) => textsOfOne({ ...messages }, file))
    .filter(([, text]) => [...text.matchAll(/\b1 ([a-z]+s)\b/g)].some(([, word = '']) => !isNoPlural.test(word)));

  expect(plurals).toEqual([]);
});
