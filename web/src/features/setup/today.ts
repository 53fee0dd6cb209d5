// Answer to the question with which a new domain begins: does a crawler read what people see today? Pure.
import type { PageView } from '../../api/answers';
import * as m from '../../messages/setup';

/** Sentence about a page today, and how bad that is. */
export interface Today {
  kind: 'success' | 'warning' | 'error';
  text: string;
}

/** Share of the words from which on a crawler reads the page. */
const ENOUGH = 0.9;

/** Returns what crawlers get of a page without scripts, beside what people see; null when one of both is missing. */
export function todayOf({ person, raw }: PageView): Today | null {
  if (person === null || raw === null) return null;
  if (person.status >= 400) return { kind: 'warning', text: m.todayStatus(person.status) };
  if (person.words === 0) return { kind: 'warning', text: m.todayEmpty() };
  if (raw.words >= person.words * ENOUGH) return { kind: 'success', text: m.todayWhole(raw.words, person.words) };
  return { kind: 'error', text: m.todayMissing(raw.words, person.words) };
}

/** Returns the path with query that somebody typed: a path, or an address of the domain; null for anything else. */
export function addressPath(text: string, domain: string): string | null {
  const typed = text.trim();
  const address = typed.startsWith('/')
    ? `https://${domain}${typed}`
    : /^https?:\/\//i.test(typed)
      ? typed
      : `https://${typed}`;
  if (!URL.canParse(address)) return null;
  const { hostname, pathname, search } = new URL(address);
  const withoutWww = (name: string) => name.replace(/^www\./, '');
  return withoutWww(hostname) === withoutWww(domain) ? `${pathname}${search}` : null;
}
