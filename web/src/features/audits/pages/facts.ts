// Facts of a page before and after its scripts, put side by side. Pure.

/** One fact; null where a side does not have it. */
export interface FactRow {
  field: string;
  raw: string | null;
  rendered: string | null;
  isDifferent: boolean;
}

type Facts = Record<string, unknown>;
const ORDER = ['title', 'metaDesc', 'canonical', 'metaRobots', 'h1', 'wordCount', 'links'];

/** Returns the facts of both sides, the usual ones first. */
export function factRows(raw: Facts, rendered: Facts | null): FactRow[] {
  const fields = [...new Set([...Object.keys(raw), ...Object.keys(rendered ?? {})])];
  const place = (field: string) => (ORDER.includes(field) ? ORDER.indexOf(field) : ORDER.length);
  return fields
    .toSorted((one, other) => place(one) - place(other) || one.localeCompare(other))
    .map((field) => {
      const sides = { raw: textOf(raw[field]), rendered: textOf(rendered?.[field]) };
      return { field, ...sides, isDifferent: rendered !== null && sides.raw !== sides.rendered };
    });
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
