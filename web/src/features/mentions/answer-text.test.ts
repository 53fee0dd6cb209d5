// Rules of the text of an answer: what is marked, which source a number is, and that nothing of a stranger becomes markup.
import { expect, test } from 'vitest';
import { blocksOf, type Block, type Piece } from './answer-text';

const pieces = (block: Block | undefined): Piece[] =>
  block?.kind === 'text' || block?.kind === 'heading' ? block.pieces : [];
const words = (list: readonly Piece[]) => list.map(({ text }) => text).join('');

test('brands are marked by code points, also behind characters of two units', () => {
  const text = '🚀 LumaDocs beats Notchly.';
  const [block] = blocksOf(
    text,
    [
      { start: 2, end: 10, kind: 'own' },
      { start: 17, end: 24, kind: 'competitor' },
    ],
    [],
  );

  expect(pieces(block).map(({ text: part, mark }) => [part, mark])).toEqual([
    ['🚀 ', null],
    ['LumaDocs', 'own'],
    [' beats ', null],
    ['Notchly', 'competitor'],
    ['.', null],
  ]);
});

test('headings, lists and tables of Markdown are blocks, and their signs are gone', () => {
  const blocks = blocksOf(
    '## Best\n\n1. **One**\n\n2. Two\n\n- x\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\nend',
    [],
    [],
  );

  expect(blocks.map(({ kind }) => kind)).toEqual(['heading', 'list', 'list', 'table', 'text']);
  const list = blocks[1];
  expect(list?.kind === 'list' && [list.isOrdered, list.items.map(words), list.items[0]?.[0]?.isStrong]).toEqual([
    true,
    ['One', 'Two'],
    true,
  ]);
  const table = blocks[3];
  expect(table?.kind === 'table' && table.rows.map((row) => row.map((cell) => words(cell).trim()))).toEqual([
    ['A', 'B'],
    ['1', '2'],
  ]);
});

test('numbers in brackets are sources in the order of their first mark', () => {
  const [block] = blocksOf('One.[4] Two.[2, 4]', [], ['https://a.test/', 'https://b.test/']);

  expect(pieces(block).flatMap(({ source }) => source ?? [])).toEqual([1, 2, 1]);
});

test('a link to a source is its number, whatever the assistant added to the address', () => {
  const [block] = blocksOf(
    'See it. ([a.test](https://www.a.test/x?utm_source=openai)) And [docs](https://b.test/y).',
    [],
    ['https://a.test/x'],
  );

  expect(words(pieces(block))).toBe('See it.1 And docs.');
  expect(pieces(block).flatMap(({ source }) => source ?? [])).toEqual([1]);
});

test('a linked number is the number of its source, and nothing when it is none', () => {
  const [block] = blocksOf(
    'One. [[7]](https://b.test/y_(z)) Two. [[2]](https://other.test/)',
    [],
    ['https://a.test/x', 'https://b.test/y_(z)'],
  );

  expect(words(pieces(block))).toBe('One.2 Two.');
  expect(pieces(block).flatMap(({ source }) => source ?? [])).toEqual([2]);
});

test('markup of strangers and signs without a meaning stay text', () => {
  const text = '<img src=x onerror=alert(1)> [x [y](javascript:alert(1)) a*b | c';

  expect(words(pieces(blocksOf(text, [], [])[0]))).toBe('<img src=x onerror=alert(1)> [x y a*b | c');
  expect(blocksOf('', [], [])).toEqual([]);
});
