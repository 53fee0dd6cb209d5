// Rules of the difference between texts.
import { expect, test } from 'vitest';
import { diffLines } from './word-diff';

test('equal texts have no difference', () => {
  expect(diffLines('a\nb', ' a \n\nb\n').every((line) => line.isSame)).toBe(true);
});

test('a changed line is compared by word', () => {
  const [line] = diffLines('from 9 euros a month', 'from 12 euros a month');

  expect(line?.left).toEqual([
    { text: 'from ', isSame: true },
    { text: '9', isSame: false },
    { text: ' euros a month', isSame: true },
  ]);
  expect(line?.right?.[1]).toEqual({ text: '12', isSame: false });
});

test('a line of one text alone has no counterpart', () => {
  const pairs = diffLines('a\nb\nc', 'a\nc');

  expect(pairs.map((pair) => pair.isSame)).toEqual([true, false, true]);
  expect(pairs[1]).toEqual({ isSame: false, left: [{ text: 'b', isSame: false }], right: null });
});

test('texts of 256 KiB that have nothing in common end in time', () => {
  const text = (seed: number) =>
    Array.from({ length: 8000 }, (_, line) => `line ${line * seed} of ${seed * 7919}`).join('\n');

  const pairs = diffLines(text(3), text(5));

  expect(pairs.length).toBeGreaterThan(0);
  expect(pairs.flatMap((pair) => pair.left ?? []).length).toBeGreaterThan(0);
});
