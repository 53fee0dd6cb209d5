// Findings of the last check, as rows of the table of records and as sentences about what stands in the way. Pure.
import type { Answer, Schemas } from '../../api/client';
import type { SeverityKind } from '../../components/severity.svelte';
import * as m from '../../messages/setup';

/** The answer of `GET /api/domains/:domain/records`, with what the last check found. */
export type Report = Answer<'/api/domains/{domain}/records', 'get'>;
export type CheckResult = Schemas['CheckResult'];
type State = Report['records'][number]['state'];

export interface RecordRow {
  type: string;
  name: string;
  value: string;
  ttl: number;
  state: State;
  found: readonly string[];
  /** The name within DNS as a whole: www.shop.example. */
  host: string;
}

/** Returns the records with what was seen of each; unchecked before the first check. */
export function rowsOf(report: Report, domain: string): RecordRow[] {
  return report.records.map((record) => ({
    ...record,
    found: record.found ?? [],
    host: hostOf(record.name, domain),
  }));
}

/** Returns the whole name of a record. Names are given within the zone, which may be above the domain. */
export function hostOf(name: string, domain: string): string {
  const label = name.replace(/^_[^.]+\.?/, '');
  if (label === '@' || label === '' || domain === label || domain.startsWith(`${label}.`)) {
    return name.startsWith('_') ? `${name.split('.')[0]}.${domain}` : domain;
  }
  return `${name}.${domain}`;
}

/** Returns the records as lines of a zone file, for whoever manages DNS. */
export function zoneText(rows: readonly RecordRow[]): string {
  return rows
    .map(({ name, ttl, type, value }) => `${name}\t${ttl}\tIN\t${type}\t${type === 'TXT' ? `"${value}"` : value}`)
    .join('\n');
}

export interface Hint {
  id: string;
  kind: SeverityKind;
  title: string;
  text: string;
}

/** Explains what the last check found beside the records: another address, a CDN, silent DNS, a test crawl that got lost. */
export function hintsOf(
  rows: readonly RecordRow[],
  report: Report,
  result: CheckResult | null,
  domain: string,
): Hint[] {
  const hints: Hint[] = [];
  const isProxied = result?.dns.cloudflareProxy === true || rows.some(({ state }) => state === 'proxied');
  if (isProxied) hints.push({ id: 'proxy', kind: 'warning', title: m.proxyTitle(domain), text: m.proxyText() });
  for (const row of rows.filter(({ state, found }) => state === 'conflict' && found.length > 0)) {
    const title = m.conflictTitle(row.host, row.found);
    // A and AAAA of a name are two records with one fault.
    if (hints.some((hint) => hint.title === title)) continue;
    hints.push({ id: `conflict ${row.type} ${row.name}`, kind: 'error', title, text: m.conflictText(row.value) });
  }
  const isSilent = result?.dns.lookupFailed === true || rows.some(({ state }) => state === 'unknown');
  if (isSilent) hints.push({ id: 'silent', kind: 'warning', title: m.lookupTitle(), text: m.lookupText() });
  const probe = probeOf(report, result);
  if (probe === 'lost' && rows.length > 0 && rows.every(({ state }) => state === 'found')) {
    hints.push({ id: 'probe', kind: 'notice', title: m.probeTitle(), text: m.probeText() });
  }
  if (probe === 'arrived' && rows.some(({ type, state }) => type === 'TXT' && state === 'missing')) {
    hints.push({ id: 'probe', kind: 'notice', title: m.probeEdgeTitle(), text: m.probeEdgeText() });
  }
  return hints;
}

/** Decides what became of the last test crawl; null before a check. */
export function probeOf(report: Report, result: CheckResult | null): 'arrived' | 'lost' | null {
  if (result !== null) return result.probe.ok ? 'arrived' : 'lost';
  if (report.probe !== undefined && report.probe !== null) return 'arrived';
  return report.checkedAt === undefined || report.checkedAt === null ? null : 'lost';
}
