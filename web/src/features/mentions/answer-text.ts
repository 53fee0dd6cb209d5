// The text of an answer as blocks: paragraphs, headings, lists and tables of its Markdown, with brands marked and citations as
// numbers of sources. Pure. What it cannot read stays text; nothing of a stranger becomes markup.

export type MarkKind = 'own' | 'competitor';

/** Brand in a text, by code points. */
export interface Span {
  start: number;
  end: number;
  kind: string;
}

export interface Piece {
  text: string;
  mark: MarkKind | null;
  isStrong: boolean;
  /** Number of a source, from 1; the text is its mark. */
  source: number | null;
}

export type Block =
  | { kind: 'text' | 'heading'; pieces: Piece[] }
  | { kind: 'list'; isOrdered: boolean; items: Piece[][] }
  | { kind: 'table'; rows: Piece[][][] };

interface Char {
  text: string;
  mark: MarkKind | null;
}

/** Sources of an answer, and which of them a number in its text means. */
interface Cited {
  urls: readonly string[];
  numbers: ReadonlyMap<number, number>;
}

/** Reads an answer. `urls` are its sources in their order. */
export function blocksOf(text: string, spans: readonly Span[], urls: readonly string[]): Block[] {
  const cited = { urls, numbers: numbersIn(text, urls.length) };
  const chars: Char[] = Array.from(text, (one) => ({ text: one, mark: null }));
  for (const { start, end, kind } of spans) {
    for (const char of chars.slice(start, end)) char.mark = kind === 'own' ? 'own' : 'competitor';
  }
  const blocks: Block[] = [];
  for (const line of linesIn(chars)) addLine(blocks, line, cited);
  return blocks.filter((block) => block.kind !== 'text' || block.pieces.length > 0);
}

/**
 * Returns the source that each number in a text means. Sources are listed in the order of their first mark, so that the first
 * number is the first source, whatever it is; when there are more or fewer numbers than sources, numbers are taken as they are.
 */
function numbersIn(text: string, sources: number): Map<number, number> {
  const marks = [...text.matchAll(/\[(\d{1,3}(?:\s?,\s?\d{1,3})*)\](?!\]?\()/g)];
  const found = [...new Set(marks.flatMap((mark) => (mark[1] ?? '').split(',').map(Number)))];
  if (found.length === sources) return new Map(found.map((number, index) => [number, index + 1]));
  return new Map(found.filter((number) => number >= 1 && number <= sources).map((number) => [number, number]));
}

function linesIn(chars: readonly Char[]): Char[][] {
  const lines: Char[][] = [[]];
  for (const char of chars) {
    if (char.text === '\n') lines.push([]);
    else lines.at(-1)?.push(char);
  }
  return lines;
}

const textOf = (chars: readonly Char[]) => chars.map((char) => char.text).join('');

/** Returns the characters behind what a pattern matches at the beginning; null when it does not match. */
function behind(line: readonly Char[], pattern: RegExp): Char[] | null {
  const found = pattern.exec(textOf(line))?.[0];
  return found === undefined ? null : line.slice(Array.from(found).length);
}

function addLine(blocks: Block[], line: Char[], cited: Cited): void {
  const last = blocks.at(-1);
  const whole = textOf(line).trim();
  if (whole === '') {
    blocks.push({ kind: 'text', pieces: [] });
    return;
  }
  if (whole.startsWith('|')) return addRow(blocks, line, whole, cited);
  const heading = behind(line, /^\s{0,3}#{1,6}\s+/);
  if (heading !== null) {
    blocks.push({ kind: 'heading', pieces: piecesOf(heading, cited) });
    return;
  }
  const [bullet, number] = [behind(line, /^\s*[-*•]\s+/), behind(line, /^\s*\d{1,3}[.)]\s+/)];
  const item = bullet ?? number;
  if (item !== null) {
    const isOrdered = bullet === null;
    const pieces = piecesOf(item, cited);
    const list = blocks.findLast((block) => block.kind !== 'text' || block.pieces.length > 0);
    if (list?.kind === 'list' && list.isOrdered === isOrdered) list.items.push(pieces);
    else blocks.push({ kind: 'list', isOrdered, items: [pieces] });
    return;
  }
  const pieces = piecesOf(line, cited);
  if (last?.kind === 'text' && last.pieces.length > 0) last.pieces.push(plain(' '), ...pieces);
  else blocks.push({ kind: 'text', pieces });
}

function addRow(blocks: Block[], line: Char[], whole: string, cited: Cited): void {
  if (/^\|[\s:|-]+$/.test(whole)) return;
  const cells: Char[][] = [[]];
  for (const char of line) {
    if (char.text === '|') cells.push([]);
    else cells.at(-1)?.push(char);
  }
  const row = cells.slice(1, whole.endsWith('|') ? -1 : undefined).map((cell) => piecesOf(cell, cited));
  const last = blocks.at(-1);
  if (last?.kind === 'table') last.rows.push(row);
  else blocks.push({ kind: 'table', rows: [row] });
}

function plain(text: string, isStrong = false): Piece {
  return { text, mark: null, isStrong, source: null };
}

// Addresses may have brackets of their own.
const LINK = /^\[([^[\]\n]{0,300})\]\(((?:[^\s()]|\([^\s()]*\)){1,2000})\)/;
/** A number that is a link, as Google's overviews have them. */
const LINKED_NUMBER = /^\[\[\d{1,3}\]\]\(((?:[^\s()]|\([^\s()]*\)){1,2000})\)/;
const NUMBERS = /^\[(\d{1,3}(?:\s?,\s?\d{1,3})*)\]/;

function piecesOf(line: readonly Char[], cited: Cited): Piece[] {
  const pieces: Piece[] = [];
  let isStrong = false;
  let index = 0;
  const add = (char: Char) => {
    const last = pieces.at(-1);
    if (last?.source === null && last.mark === char.mark && last.isStrong === isStrong) last.text += char.text;
    else pieces.push({ text: char.text, mark: char.mark, isStrong, source: null });
  };
  const cite = (number: number) => {
    if (number >= 1) pieces.push({ text: String(number), mark: null, isStrong: false, source: number });
  };
  while (index < line.length) {
    const char = line[index] as Char;
    const rest = char.text === '[' || char.text === '(' ? textOf(line.slice(index)) : '';
    const numbers = NUMBERS.exec(rest);
    const aside = aloneIn(rest, cited);
    const link = LINK.exec(rest);
    if (char.text === '*' && line[index + 1]?.text === '*') {
      isStrong = !isStrong;
      index += 2;
    } else if (aside !== null) {
      const last = pieces.at(-1);
      if (last?.source === null) last.text = last.text.trimEnd();
      cite(aside.number);
      index += aside.length;
    } else if (link !== null) {
      const [whole, label = '', address = ''] = link;
      for (const inner of line.slice(index + 1, index + 1 + Array.from(label).length)) add(inner);
      cite(sourceOf(address, cited.urls));
      index += Array.from(whole).length;
    } else if (numbers !== null) {
      for (const number of (numbers[1] ?? '').split(',')) cite(cited.numbers.get(Number(number)) ?? 0);
      index += numbers[0].length;
    } else {
      add(char);
      index += 1;
    }
  }
  return pieces;
}

/** Finds a link at the beginning that only names its source, in brackets or not: its mark takes its place. A linked number of none is 0. */
function aloneIn(rest: string, cited: Cited): { number: number; length: number } | null {
  const linked = LINKED_NUMBER.exec(rest);
  if (linked !== null) return { number: sourceOf(linked[1] ?? '', cited.urls), length: Array.from(linked[0]).length };
  const isInside = rest.startsWith('([');
  const [whole, label = '', address = ''] = LINK.exec(isInside ? rest.slice(1) : rest) ?? [];
  if (whole === undefined || !/^(?:[\w.-]+\.[a-z]{2,}|\d+)$/i.test(label)) return null;
  if (isInside && rest[whole.length + 1] !== ')') return null;
  const number = sourceOf(address, cited.urls);
  return number === 0 ? null : { number, length: Array.from(whole).length + (isInside ? 2 : 0) };
}

/** Returns the number of the source with an address, from 1; 0 when it is none. The service lists addresses in a plainer form. */
function sourceOf(address: string, urls: readonly string[]): number {
  const bare = (text: string) =>
    text
      .replace(/^https?:\/\/(?:www\.)?/i, '')
      .replace(/[?&]utm_[^#]*/, '')
      .replace(/\/$/, '');
  return urls.findIndex((url) => bare(url) === bare(address)) + 1;
}
