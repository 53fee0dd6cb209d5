// Crawler policies: rules as the form has them, and what is refused before sending.
import { expect, test } from 'vitest';
import { policyErrors, rowOf, ruleFor, sentRule } from './policy';

test('a rule comes back from the form as it went in', () => {
  for (const rule of [
    { match: { crawler: 'gptbot' }, paths: ['/a/**', '/b'], action: 'block', perMinute: null, text: 'No.' },
    { match: { provider: 'openai' }, paths: [], action: 'limit', perMinute: 30, text: null },
    { match: { unverified: true }, paths: [], action: 'pay', perMinute: null, text: null },
    { match: {}, paths: [], action: 'allow', perMinute: null, text: null },
  ] as const)
    expect(sentRule(rowOf({ ...rule, paths: [...rule.paths] }))).toEqual(rule);
});

test('what the service would refuse is named by its field', () => {
  const errors = policyErrors([
    { ...ruleFor(''), kind: 'purpose', value: 'search' },
    { ...ruleFor('gptbot'), action: 'limit', perMinute: 6001 },
    { ...ruleFor('gptbot'), paths: '/ok\nbad', text: 'x'.repeat(501) },
    ruleFor('gptbot', '/a'),
  ]);

  expect(Object.keys(errors)).toEqual(['rules.0.match', 'rules.1.perMinute', 'rules.2.paths', 'rules.2.text']);
});
