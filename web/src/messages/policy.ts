// Words of a domain's crawler policy: its screen, what it refused, and the rule that a tried crawler meets.
import { count, counted } from '../lib/numbers';

export const crawlerPolicy = () => 'Crawler policy';
export const policyLede = () =>
  'Which crawlers read your pages, which are refused, charged or slowed down. The first rule that matches decides. People never meet a rule.';
export const policyEffect = () => 'Effect';
export const policyMode = () => 'Mode';
export const policyModes = {
  off: () => 'Off',
  log: () => 'Log only',
  enforce: () => 'Enforce',
};
export const policyModeHints = {
  off: () => 'No rule is asked.',
  log: () => 'Nobody is refused. The overview of crawlers shows what would be refused.',
  enforce: () => 'Crawlers are refused from now on.',
};
export const obeyRobots = () => 'Block what robots.txt forbids';
export const obeyRobotsHint = () =>
  'For crawlers that no rule matches. Search engines are left alone. A file that cannot be read forbids nothing.';
export const noPolicyRules = () => 'No rule yet: every crawler is let in.';
export const forCrawlers = () => 'Crawlers';
export const whichOne = () => 'Which one';
export const policyPaths = () => 'Paths';
export const policyPathsExample = () => 'every path';
export const policyAction = () => 'Answer';
export const refusalText = () => 'Text of the refusal';
export const refusalTextExample = () => 'standard sentence';
export const perMinute = () => 'Requests a minute';
export const aMinute = () => 'a minute';
export const policyKinds = {
  crawler: () => 'One crawler',
  provider: () => 'All of a company',
  purpose: () => 'All with a purpose',
  unverified: () => 'Impostors',
  every: () => 'Every crawler',
};
export const policyActions: Record<string, () => string> = {
  allow: () => 'Allow',
  block: () => 'Block (403)',
  pay: () => 'Ask for payment (402)',
  limit: () => 'Limit (429)',
};
export const policyActionName = (action: string) => policyActions[action]?.() ?? action;
export const searchByName = () => 'Search engines are refused one by one. Choose one crawler.';
export const perMinuteRange = () => 'Enter a number from 1 to 6,000.';
export const textTooLong = () => 'Use at most 500 characters.';
export const policyPathStart = (path: string) => `“${path}” does not begin with a slash.`;
export const impostors = () => 'Impostors';

export const testCrawler = () => 'As crawler';
export const policyDecision = (action: string, rule: number, status: number | null, limit: number | null) => {
  const name = `Rule ${count(rule + 1)}`;
  if (action === 'allow') return `${name} lets it in.`;
  if (action === 'limit')
    return `${name} lets ${counted(limit ?? 0, 'request', 'requests')} a minute in, then answers ${status ?? ''}.`;
  return `${name} answers ${status ?? ''}.`;
};
export const policyOnlyLogs = () => 'The policy does not enforce, so that the crawler gets the page all the same.';
export const policyMeetsNone = () => 'The crawler meets no rule of the policy.';

export const refusedTitle = () => 'Refused by the crawler policy';
export const refusedText = () => 'Requests that were refused, and those that would be if the policy enforced.';
export const refusedWhat = () => 'refusals';
export const refusedColumn = () => 'Refused';
export const wouldBeColumn = () => 'Would be refused';
export const toPolicy = () => 'Crawler policy';
export const endIt = () => 'Block';
export const endItFor = (crawler: string, path: string) => `Block ${crawler} at ${path}`;
