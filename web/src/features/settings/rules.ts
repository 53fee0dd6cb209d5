// Redirect rules as the form has them: what can be said of a rule before it is sent, and rules from CSV. Pure.
import { parseCsv } from '../../lib/csv';
import type { FormErrors } from '../../lib/form.svelte';
import * as m from '../../messages/settings';

export interface Rule {
  source: string;
  destination: string;
  status: '301' | '307';
  preserveQuery: boolean;
}

/** Says what is wrong with rules, by the path of the field. The service knows more: loops, patterns. */
export function ruleErrors(rules: readonly Rule[]): FormErrors {
  const errors: FormErrors = {};
  rules.forEach(({ source, destination }, index) => {
    const [from, to] = [source.trim(), destination.trim()];
    if (!from.startsWith('/')) errors[`redirectRules.${index}.source`] = from === '' ? m.fromMissing() : m.fromStart();
    const isPath = /^\/(?!\/)/.test(to);
    if (!isPath && !/^https?:\/\/[^/\s]/i.test(to))
      errors[`redirectRules.${index}.destination`] = to === '' ? m.toMissing() : m.toStart();
  });
  return errors;
}

const HEADINGS = /^(from|source|old|path|redirect from)\b/i;

/** Reads rules from CSV: from, to, status, keep query. Lines without a from and a to are counted, not taken. */
export function rulesFromCsv(text: string): { rules: Rule[]; unused: number } {
  const lines = parseCsv(text);
  const body = HEADINGS.test(lines[0]?.[0] ?? '') ? lines.slice(1) : lines;
  const rules = body.flatMap(([from = '', to = '', status = '', keep = '']): Rule[] =>
    from === '' || to === ''
      ? []
      : [
          {
            source: pathOf(from),
            destination: to,
            status: /^(307|302|temporary)$/i.test(status) ? '307' : '301',
            preserveQuery: !/^(0|false|no|drop)$/i.test(keep),
          },
        ],
  );
  return { rules, unused: body.length - rules.length };
}

/** Returns path and query of an address: spreadsheets often hold whole ones. */
function pathOf(from: string): string {
  if (!/^https?:\/\//i.test(from) || !URL.canParse(from)) return from;
  const { pathname, search } = new URL(from);
  return pathname + search;
}

/** Returns the rules with one of them moved by one place. */
export function moved<Row>(rules: readonly Row[], index: number, by: 1 | -1): Row[] {
  const next = [...rules];
  const [rule] = next.splice(index, 1);
  if (rule !== undefined) next.splice(index + by, 0, rule);
  return next;
}
