// The answer to the question of the screen: does a crawler get what people see? Pure.
import type { PageView } from '../../api/answers';
import { diffLines, type LinePair, type Segment } from '../../lib/word-diff';
import * as m from '../../messages/rendering';

/** Texts of person and crawler compared: words of the person's text, and those that the crawler gets as well. */
export interface Comparison {
  lines: LinePair[];
  words: number;
  same: number;
}

/** A page that shows people fewer words has failed, where a request or a script of it has. */
const FEW_WORDS = 20;

/** Compares the text that people see with the one that crawlers get, or would get without Glasshouse; null when one is missing. */
export function compareTexts(view: PageView, against: 'crawler' | 'raw' = 'crawler'): Comparison | null {
  const other = view[against];
  if (view.person === null || other === null) return null;
  const lines = diffLines(view.person.text, other.text);
  const segments = lines.flatMap((line) => line.left ?? []);
  const same = wordsOf(segments.filter((segment) => segment.isSame));
  return { lines, words: same + wordsOf(segments.filter((segment) => !segment.isSame)), same };
}

function wordsOf(segments: Segment[]): number {
  return segments.reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0);
}

/** Returns the sentences that say what a crawler gets. */
export function verdictOf(view: PageView, comparison: Comparison | null): string {
  const { person, crawler, raw } = view;
  if (person === null) return m.personMissing();
  if (person.status >= 400 && (crawler === null || crawler.status === person.status))
    return m.verdictFailed(person.status);
  const hasFailed = person.words < FEW_WORDS && view.problems.length > 0;
  const why = hasFailed ? [m.verdictEmpty(person.words, view.problems.join('; '))] : [];
  if (person.words === 0 && hasFailed) return why.join(' ');
  const withoutUs = raw === null ? [] : [m.verdictRaw(raw.words)];
  if (crawler === null) return [m.verdictNothing(), ...withoutUs].join(' ');
  if (crawler.location !== null && crawler.location !== '') return m.crawlerRedirect(crawler.location);
  if (crawler.status !== person.status) return m.verdictStatus(person.status, crawler.status);
  if (comparison === null) return m.nothingToCompare();
  const missing = comparison.words - comparison.same;
  const gets = missing > 0 ? m.verdictMissing(missing, comparison.words) : m.verdictSame(comparison.words);
  return [gets, ...withoutUs, ...why].join(' ');
}
