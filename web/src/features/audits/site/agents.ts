// Answers to AI agents in words: the domain's answer to each, and what robots.txt said in the audit. Pure.
import type { Schemas } from '../../../api/client';
import * as m from '../../../messages/audits/agents';
import type { Bot } from '../types';

export type AgentAnswers = Schemas['AgentAnswers'];
type Answer = Schemas['AgentAnswer'];

/** An agent as a row: the kind of its answer, and its reason. */
export interface AgentRow {
  id: string;
  provider: string;
  kind: 'success' | 'warning' | 'error' | 'plain';
  gets: string;
  why: string;
  isRefused: boolean;
  isMarkdown: boolean;
  isHtml: boolean;
}

/** Agents that are shown before all of them are asked for. */
const BEST_KNOWN = [
  'claude-code',
  'cursor',
  'opencode',
  'markdown-client',
  'chatgpt-user',
  'claude-user',
  'perplexity-user',
  'google-agent-mariner',
];

/** Decides whether an agent is shown at first: a well-known one, or one with something to know. */
export function isShownFirst({ id, kind }: AgentRow): boolean {
  return BEST_KNOWN.includes(id) || kind === 'error' || kind === 'warning';
}

/** Words of the start page in the server's HTML, and once its scripts have run; null where the audit does not know. */
export interface PageWords {
  raw: number | null;
  rendered: number | null;
}

/** Makes the rows of all agents, in the order of the service. */
export function agentRows(answers: AgentAnswers, bots: readonly Bot[]): AgentRow[] {
  const byName = new Map(bots.map((bot) => [bot.name.toLowerCase(), bot]));
  return answers.agents.map((agent) => {
    const named = agent.robots.map((name) => byName.get(name.toLowerCase())).find((bot) => bot !== undefined);
    return rowOf(agent, answers, named?.verdict === 'block' ? named : undefined);
  });
}

/** Makes a row. `blocked`: the crawler's entry in robots.txt when that forbids it the start page. */
function rowOf(agent: Answer, answers: AgentAnswers, blocked: Bot | undefined): AgentRow {
  const { policy } = agent;
  const byRobots = answers.connected && answers.obeyRobotsTxt && policy === null ? blocked : undefined;
  const isPage = agent.answer === 'html' || agent.answer === 'markdown';
  const isRefused =
    agent.answer === 'refused' || (isPage && byRobots !== undefined && answers.policyMode === 'enforce');
  const row = {
    id: agent.crawler,
    provider: agent.provider,
    isRefused,
    isMarkdown: !isRefused && agent.answer === 'markdown',
    isHtml: !isRefused && agent.answer === 'html',
  };
  if (isRefused) {
    const why = policy === null ? m.refusedByRobots(blocked?.decidingLine ?? null) : m.refusedByRule(policy.rule);
    return { ...row, kind: 'error', gets: m.getsRefused(policy?.status ?? 403), why };
  }
  const gets = getsOf[agent.answer]();
  if (blocked !== undefined) return { ...row, kind: 'warning', gets, why: m.askedToStayAway(blocked.decidingLine) };
  if (policy !== null && policy.action !== 'allow' && isPage) {
    const why =
      policy.enforced && policy.action === 'limit'
        ? m.limitedByRule(policy.rule, policy.perMinute ?? 0)
        : m.wouldBeRefused(policy.rule);
    return { ...row, kind: 'warning', gets, why };
  }
  if (!isPage) {
    const why = answers.connected ? (m.reasons[answers.reason] ?? m.otherReason)() : m.notConnected();
    return { ...row, kind: 'plain', gets, why };
  }
  if (row.isMarkdown) return { ...row, kind: 'success', gets, why: m.asksForMarkdown() };
  if (agent.asksForMarkdown) return { ...row, kind: 'warning', gets, why: m.markdownIsOff() };
  return { ...row, kind: 'success', gets, why: m.asksForHtml() };
}

const getsOf: Record<Answer['answer'], () => string> = {
  markdown: m.getsMarkdown,
  html: m.getsHtml,
  redirect: m.getsRedirect,
  origin: m.getsOrigin,
  refused: m.getsRedirect,
};

/** Writes the sentence about the answers at the start page. */
export function agentsSentence(answers: AgentAnswers, rows: readonly AgentRow[], words: PageWords): string {
  const number = (is: (row: AgentRow) => boolean) => rows.filter(is).length;
  const [markdown, html] = [number(({ isMarkdown }) => isMarkdown), number(({ isHtml }) => isHtml)];
  const refused = number(({ isRefused }) => isRefused);
  const parts: string[] = [];
  if (markdown > 0) {
    const { tokens } = answers;
    parts.push(
      `${m.someGetMarkdown(markdown, rows.length)}${tokens === null ? '' : m.withTokens(tokens.markdown, tokens.html)}.`,
    );
    if (html > 0) parts.push(m.othersGetHtml(html));
  } else if (html > 0) {
    parts.push(html === rows.length ? m.allGetHtml() : m.othersGetHtml(html));
    const asking = answers.agents.filter((agent) => agent.asksForMarkdown).length;
    if (answers.markdown === 'off') parts.push(m.markdownOffFor(asking));
  } else if (refused === 0) {
    parts.push(m.allFromOrigin(answers.connected));
  }
  if (refused > 0) parts.push(m.refusedAgents(refused));
  if (words.raw !== null && words.rendered !== null && words.raw !== words.rendered)
    parts.push(m.wordsOfPage(words.raw, words.rendered));
  return parts.join(' ');
}
