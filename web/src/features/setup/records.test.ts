// Rules of the set-up: names of records, and a sentence for everything that stands in the way.
import { expect, test } from 'vitest';
import { hintsOf, hostOf, rowsOf, zoneText, type CheckResult, type Report } from './records';

function report(states: [Report['records'][number]['state'], string[]][], rest: Partial<Report> = {}): Report {
  const records = states.map(([state, found], index) => ({
    type: index < 2 ? 'A' : 'TXT',
    name: ['@', 'www', '_glasshouse'][index] ?? '@',
    value: index < 2 ? '192.0.2.1' : 'proof',
    ttl: 300,
    state,
    found,
  }));
  const check = { checkedAt: null, probe: null, problems: [] };
  return { records, contested: states.length > 2, reason: null, ...check, ...rest };
}

const result = (dns: Partial<CheckResult['dns']>, ok = false): CheckResult => ({
  dns: { match: false, cloudflareProxy: false, lookupFailed: false, ...dns },
  probe: { ok },
  status: 'pending',
  promoted: false,
});
const hints = (of: Report, checked: CheckResult | null = null) =>
  hintsOf(rowsOf(of, 'shop.test'), of, checked, 'shop.test').map(({ id }) => id);

test('names of records are completed', () => {
  expect(hostOf('@', 'shop.test')).toBe('shop.test');
  expect(hostOf('www', 'shop.test')).toBe('www.shop.test');
  expect(hostOf('blog', 'blog.shop.test')).toBe('blog.shop.test');
  expect(hostOf('_glasshouse', 'shop.test')).toBe('_glasshouse.shop.test');
  expect(hostOf('_glasshouse.blog', 'blog.shop.test')).toBe('_glasshouse.blog.shop.test');
});

test('records without a check are unchecked and need no explanation', () => {
  const plain: Report = {
    ...report([]),
    records: [{ type: 'A', name: '@', value: '192.0.2.1', ttl: 300, state: 'unchecked', found: null }],
  };

  expect(rowsOf(plain, 'shop.test')[0]).toMatchObject({ state: 'unchecked', found: [] });
  expect(hints(plain)).toEqual([]);
});

test('an address elsewhere, a CDN, silent DNS and a lost test crawl each have a sentence', () => {
  expect(hints(report([['conflict', ['198.51.100.7']]]))).toEqual(['conflict A @']);
  expect(hints(report([['proxied', ['104.16.1.1']]]))).toEqual(['proxy']);
  expect(hints(report([['missing', []]]), result({ cloudflareProxy: true }))).toEqual(['proxy']);
  expect(hints(report([['unknown', []]]))).toEqual(['silent']);
  expect(hints(report([['unchecked', []]]), result({ lookupFailed: true }))).toEqual(['silent']);
  expect(hints(report([['found', ['192.0.2.1']]]), result({}))).toEqual(['probe']);
});

test('a test crawl that arrives does not replace the proof of a contested domain', () => {
  const contested = report(
    [
      ['found', []],
      ['found', []],
      ['missing', []],
    ],
    { probe: 'edge' },
  );

  expect(hints(contested)).toEqual(['probe']);
});

test('all records are copied as lines of a zone', () => {
  const rows = rowsOf(
    report([
      ['found', []],
      ['found', []],
      ['missing', []],
    ]),
    'shop.test',
  );

  expect(zoneText(rows).split('\n')[2]).toBe('_glasshouse\t300\tIN\tTXT\t"proof"');
});
