// Results of a site's verification in the panel's order: findings first, then the rest in the order of the response. Pure.
import type { Schemas } from '../../api/client';

export type SiteReport = Schemas['SiteReport'];
type Check = SiteReport['checks'][number];
export type CheckState = 'found' | 'passed' | 'notJudged';

export interface CheckRow extends Check {
  state: CheckState;
}

/** Decides the state of a check. One that could not judge counts as passed for the service, and says so in its detail. */
export function stateOf(check: Check): CheckState {
  if (!check.ok) return 'found';
  return check.detail.startsWith('Not judged') ? 'notJudged' : 'passed';
}

/** Returns what was found, and the rest. */
export function splitChecks(report: SiteReport): { found: CheckRow[]; rest: CheckRow[] } {
  const rows = report.checks.map((check) => ({ ...check, state: stateOf(check) }));
  return { found: rows.filter(({ state }) => state === 'found'), rest: rows.filter(({ state }) => state !== 'found') };
}

/** Returns what a check saw without the words that its state says already. */
export function seenBy(check: Check): string {
  const text = check.detail.replace(/^Not judged: /, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export interface TextPart {
  text: string;
  isCode: boolean;
}

/** Splits a sentence at its backticks: what stands between two of them is code. */
export function textParts(sentence: string): TextPart[] {
  return sentence
    .split('`')
    .map((text, index) => ({ text, isCode: index % 2 === 1 }))
    .filter(({ text }) => text !== '');
}
