// Rules of fixes that are made where a fault is shown.
import { expect, test } from 'vitest';
import { withBlock, withRedirect } from './fixes';

const rule = (source: string, destination: string) => ({
  source,
  destination,
  status: 301 as const,
  preserveQuery: true,
});

test('a new redirect comes first, and in place of an earlier one of its source', () => {
  expect(withRedirect([rule('/a', '/x'), rule('/b', '/y')], '/b', '/z')).toEqual([rule('/b', '/z'), rule('/a', '/x')]);
});

test('a rule that blocks a crawler comes before those that would let it in', () => {
  const allow = { match: {}, action: 'allow' as const };

  const { mode, rules } = withBlock({ mode: 'enforce', obeyRobotsTxt: false, rules: [allow] }, 'gptbot', '/a');

  expect(mode).toBe('enforce');
  expect(rules?.map(({ match, paths }) => [match, paths])).toEqual([
    [{ crawler: 'gptbot' }, ['/a']],
    [{}, undefined],
  ]);
});

test('a policy that was off logs first, and refuses nobody by surprise', () => {
  expect(withBlock({ mode: 'off', obeyRobotsTxt: false, rules: [] }, 'gptbot', '/a').mode).toBe('log');
  expect(withBlock({ mode: 'log', obeyRobotsTxt: false, rules: [] }, 'gptbot', '/a').mode).toBe('log');
});
