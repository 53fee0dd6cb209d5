// Rules of wording, over every text.
import { expect, test } from 'vitest';
import * as en from './en';

/** Every text with its name; functions are called with figures as texts, which pass for both. */
function texts(value: unknown, name: string): [string, string][] {
  if (typeof value === 'string') return [[name, value]];
  if (typeof value === 'function') return [[name, String(value(...['2', '3', '4', '5', '6']))]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => texts(inner, `${name}.${key}`));
}

const all = Object.entries(en).flatMap(([file, messages]) => texts({ ...messages }, file));

test('every file of texts is collected', () => {
  const files = Object.keys(import.meta.glob('./*.ts')).map((file) => file.slice(2, -3));

  expect(files.filter((file) => !file.startsWith('en')).toSorted()).toEqual(Object.keys(en).toSorted());
});

test('texts are calm: no please, no oops, no exclamation mark', () => {
  expect(all.filter(([, text]) => /\b(please|oops|sorry)\b|!/i.test(text))).toEqual([]);
});

test('texts are whole: no blanks at their ends, no straight quotation marks', () => {
  const isPart = (name: string) => /shell\.rendersOf/.test(name);
  expect(all.filter(([name, text]) => !isPart(name) && (text !== text.trim() || /["']/.test(text)))).toEqual([]);
});
