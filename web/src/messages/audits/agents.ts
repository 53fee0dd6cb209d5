// Words of the answers to AI agents: a sentence for the start page, and an answer with its reason for each agent.
import { count, counted } from '../../lib/numbers';

export const agentsTitle = () => 'What agents get';
export const agent = () => 'Agent';
export const gets = () => 'Gets at the start page';
export const allAgents = (agents: number) => `All ${counted(agents, 'agent', 'agents')}`;
export const otherAgent = () => 'Any other that asks for Markdown';
export const toPolicy = () => 'Crawler policy';
export const toMarkdown = () => 'Markdown';
export const seeMarkdown = () => 'See the Markdown';

export const getsMarkdown = () => 'Markdown';
export const getsHtml = () => 'Finished HTML';
export const getsRedirect = () => 'A redirect';
export const getsOrigin = () => 'What your server sends';
export const getsRefused = (status: number) => `A refusal, ${String(status)}`;

export const asksForMarkdown = () => 'It asks for Markdown.';
export const asksForHtml = () => 'It does not ask for Markdown.';
export const markdownIsOff = () => 'It asks for Markdown, which is switched off.';
export const refusedByRule = (rule: number) => `Rule ${count(rule + 1)} of the crawler policy refuses it.`;
export const limitedByRule = (rule: number, limit: number) =>
  `Rule ${count(rule + 1)} of the crawler policy lets ${counted(limit, 'request', 'requests')} a minute in.`;
export const wouldBeRefused = (rule: number) =>
  `Rule ${count(rule + 1)} of the crawler policy would refuse it, and only logs.`;
const line = (number: number | null) => (number === null ? '' : `, line ${count(number)}`);
export const refusedByRobots = (number: number | null) =>
  `robots.txt forbids it${line(number)}, and the crawler policy enforces that.`;
export const askedToStayAway = (number: number | null) =>
  `robots.txt asks it to stay away${line(number)}. It decides by itself.`;
export const notConnected = () => 'The domain is not connected.';
export const reasons: Record<string, () => string> = {
  preferred_host: () => 'The site prefers its other host.',
  redirect_rule: () => 'A redirect rule matches.',
  ignored_path: () => 'The path is ignored.',
};
export const otherReason = () => 'The address is no page.';

export const someGetMarkdown = (markdown: number, all: number) =>
  `Markdown goes to ${count(markdown)} of ${counted(all, 'agent', 'agents')}, by their own wish`;
export const withTokens = (markdown: number, html: number) =>
  `: about ${counted(markdown, 'token', 'tokens')} in place of ${count(html)} of HTML`;
export const othersGetHtml = (html: number) => `Finished HTML goes to ${count(html)}.`;
export const allGetHtml = () => 'All agents get finished HTML.';
export const markdownOffFor = (agents: number) =>
  `Markdown is switched off, though ${counted(agents, 'agent asks', 'agents ask')} for it.`;
export const refusedAgents = (refused: number) => `${counted(refused, 'is', 'are')} refused.`;
export const allFromOrigin = (isConnected: boolean) =>
  isConnected
    ? 'Agents get what your server sends.'
    : 'The domain is not connected, so that agents get what your server sends.';
export const wordsOfPage = (raw: number, rendered: number) =>
  `Without JavaScript the page has ${counted(raw, 'word', 'words')}, with it ${count(rendered)}.`;
