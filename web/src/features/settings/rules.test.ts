// Redirect rules: what is refused before sending, rules from CSV, moving.
import { expect, test } from 'vitest';
import { moved, ruleErrors, rulesFromCsv, type Rule } from './rules';

const rule = (source: string, destination = '/new'): Rule => ({
  source,
  destination,
  status: '301',
  preserveQuery: false,
});

test('a source begins with a slash; a destination is a path or an absolute address', () => {
  const errors = ruleErrors([rule('/a'), rule('a', '//evil.test'), rule('/b', 'https://other.test/x'), rule('', '')]);

  expect(Object.keys(errors)).toEqual([
    'redirectRules.1.source',
    'redirectRules.1.destination',
    'redirectRules.3.source',
    'redirectRules.3.destination',
  ]);
});

test('CSV with a heading, a temporary status and whole addresses becomes rules', () => {
  const { rules, unused } = rulesFromCsv('from,to,status,keep query\n/a,/b,302,no\nhttps://x.test/c?d=1,/e\n/alone\n');

  expect(rules).toEqual([
    { source: '/a', destination: '/b', status: '307', preserveQuery: false },
    { source: '/c?d=1', destination: '/e', status: '301', preserveQuery: true },
  ]);
  expect(unused).toBe(1);
});

test('moving a rule exchanges it with its neighbour', () => {
  const rules = [rule('/1'), rule('/2'), rule('/3')];

  expect(moved(rules, 1, -1).map(({ source }) => source)).toEqual(['/2', '/1', '/3']);
  expect(moved(rules, 1, 1).map(({ source }) => source)).toEqual(['/1', '/3', '/2']);
});
