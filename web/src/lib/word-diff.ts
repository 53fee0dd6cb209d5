// The difference of two texts, by word within lines that differ. Pure; bounded in time, so that it needs no worker.
import { diffArrays, diffWordsWithSpace } from 'diff';

/** A piece of a line: in both texts, or in one of them. */
export interface Segment {
  text: string;
  isSame: boolean;
}

/** A line of either text beside its counterpart; null where there is none. */
export interface LinePair {
  isSame: boolean;
  left: Segment[] | null;
  right: Segment[] | null;
}

/** Time that finding the difference may take, in milliseconds. After it, whole lines are marked. */
const PATIENCE_MS = 300;

/** Compares two texts line by line. Blanks at the ends of lines and empty lines play no part. */
export function diffLines(left: string, right: string): LinePair[] {
  const started = performance.now();
  const [leftLines, rightLines] = [linesOf(left), linesOf(right)];
  const changes = diffArrays(leftLines, rightLines, { timeout: PATIENCE_MS });
  if (changes === undefined) return pair(leftLines, rightLines, false);
  const pairs: LinePair[] = [];
  for (let index = 0; index < changes.length; index += 1) {
    const change = changes[index];
    const next = changes[index + 1];
    if (change === undefined) continue;
    if (!change.added && !change.removed) {
      pairs.push(...change.value.map((line) => ({ isSame: true, left: [same(line)], right: [same(line)] })));
      continue;
    }
    const byWord = performance.now() - started < PATIENCE_MS;
    const isReplaced = change.removed && next?.added === true;
    const [gone, come] = isReplaced
      ? [change.value, next.value]
      : change.removed
        ? [change.value, []]
        : [[], change.value];
    pairs.push(...pair(gone, come, byWord));
    if (isReplaced) index += 1;
  }
  return pairs;
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function pair(left: string[], right: string[], byWord: boolean): LinePair[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const [one, other] = [left[index], right[index]];
    if (one !== undefined && other !== undefined && byWord) return compareWords(one, other);
    const whole = (line: string | undefined) => (line === undefined ? null : [{ text: line, isSame: false }]);
    return { isSame: false, left: whole(one), right: whole(other) };
  });
}

function compareWords(left: string, right: string): LinePair {
  const words = diffWordsWithSpace(left, right);
  const side = (isOther: 'added' | 'removed') =>
    words.filter((word) => !word[isOther]).map((word) => ({ text: word.value, isSame: !word.added && !word.removed }));
  return { isSame: false, left: side('added'), right: side('removed') };
}

function same(text: string): Segment {
  return { text, isSame: true };
}
