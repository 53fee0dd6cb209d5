// Rules of what is said of AI agents: the answer of the domain, the crawler policy, robots.txt.
import { expect, test } from 'vitest';
import type { Bot } from '../types';
import { agentRows, agentsSentence, type AgentAnswers } from './agents';

type Agent = AgentAnswers['agents'][number];

const agent = (crawler: string, changes: Partial<Agent> = {}): Agent => ({
  crawler,
  provider: 'other',
  robots: [crawler],
  asksForMarkdown: false,
  answer: 'html',
  policy: null,
  ...changes,
});

const answers = (agents: Agent[], changes: Partial<AgentAnswers> = {}): AgentAnswers => ({
  connected: true,
  markdown: 'accept',
  policyMode: 'off',
  obeyRobotsTxt: false,
  reason: 'page',
  tokens: null,
  agents,
  ...changes,
});

const policy = { rule: 1, action: 'pay', enforced: true, status: 402, text: null, perMinute: null } as const;
const blocked = { name: 'Felt-User', verdict: 'block', decidingLine: 6 } as Bot;
const unknown = { raw: null, rendered: null };

function rowOf(one: Agent, changes: Partial<AgentAnswers> = {}, bots: Bot[] = []) {
  const [row] = agentRows(answers([one], changes), bots);
  return [row?.kind, row?.gets, row?.why];
}

test('an agent gets the form that it asks for, and is told when that is switched off', () => {
  const coder = agent('coder', { asksForMarkdown: true, answer: 'markdown' });

  expect(rowOf(coder)).toEqual(['success', 'Markdown', 'It asks for Markdown.']);
  expect(rowOf(agent('reader'))).toEqual(['success', 'Finished HTML', 'It does not ask for Markdown.']);
  expect(rowOf({ ...coder, answer: 'html' }, { markdown: 'off' })).toEqual([
    'warning',
    'Finished HTML',
    'It asks for Markdown, which is switched off.',
  ]);
});

test('a refusal names the rule, and a policy that only logs says what it would do', () => {
  const refused = agent('coder', { answer: 'refused', policy });
  const logged = agent('coder', { policy: { ...policy, enforced: false } });
  const limited = agent('coder', { policy: { ...policy, action: 'limit', perMinute: 5 } });
  const allowed = agent('coder', { policy: { ...policy, action: 'allow', status: null } });

  expect(rowOf(refused)).toEqual(['error', 'A refusal, 402', 'Rule 2 of the crawler policy refuses it.']);
  expect(rowOf(logged)[2]).toBe('Rule 2 of the crawler policy would refuse it, and only logs.');
  expect(rowOf(limited)[2]).toBe('Rule 2 of the crawler policy lets 5 requests a minute in.');
  expect(rowOf(allowed)[0]).toBe('success');
});

test('what robots.txt forbids is a wish, until the policy enforces it', () => {
  const felt = agent('felt', { robots: ['felt-user'] });

  expect(rowOf(felt, {}, [blocked])).toEqual([
    'warning',
    'Finished HTML',
    'robots.txt asks it to stay away, line 6. It decides by itself.',
  ]);
  expect(rowOf(felt, { obeyRobotsTxt: true, policyMode: 'log' }, [blocked])[0]).toBe('warning');
  expect(rowOf(felt, { obeyRobotsTxt: true, policyMode: 'enforce' }, [blocked])).toEqual([
    'error',
    'A refusal, 403',
    'robots.txt forbids it, line 6, and the crawler policy enforces that.',
  ]);
});

test('a domain that is not connected, and a path that is ignored, are answered by the own server', () => {
  const origin = agent('coder', { answer: 'origin' });

  expect(rowOf(origin, { connected: false })).toEqual([
    'plain',
    'What your server sends',
    'The domain is not connected.',
  ]);
  expect(rowOf(origin, { reason: 'ignored_path' })[2]).toBe('The path is ignored.');
});

test('the sentence counts the forms, compares their sizes, and says what scripts change', () => {
  const agents = [
    agent('coder', { asksForMarkdown: true, answer: 'markdown' }),
    agent('reader'),
    agent('other'),
    agent('payer', { answer: 'refused', policy }),
  ];
  const shown = answers(agents, { tokens: { html: 5400, markdown: 620 } });
  const off = answers([agent('coder', { asksForMarkdown: true })], { markdown: 'off' });
  const away = answers([agent('coder', { answer: 'origin' })], { connected: false });

  expect(agentsSentence(shown, agentRows(shown, []), { raw: 4, rendered: 512 })).toBe(
    'Markdown goes to 1 of 4 agents, by their own wish: about 620 tokens in place of 5,400 of HTML. Finished HTML goes to 2. 1 is refused. Without JavaScript the page has 4 words, with it 512.',
  );
  expect(agentsSentence(off, agentRows(off, []), unknown)).toBe(
    'All agents get finished HTML. Markdown is switched off, though 1 agent asks for it.',
  );
  expect(agentsSentence(away, agentRows(away, []), unknown)).toBe(
    'The domain is not connected, so that agents get what your server sends.',
  );
});
