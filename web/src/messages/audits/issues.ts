// Words of issues.
import { count, counted } from '../../lib/numbers';
import { newAndFixed, pageCount } from './shared';

export * from './shared';

export const issuesWhat = () => 'issues';
export const impact = () => 'Impact';
export const impactText = () =>
  'Impact is the weight of an issue times the number of its pages: the higher, the more there is to gain.';

export const issuesLede = (issues: number, findings: number) =>
  `${counted(issues, 'issue', 'issues')} with ${counted(findings, 'finding', 'findings')}, errors first.`;
export const issueLede = (pages: number | null, category: string, weight: number) =>
  `${pages === null ? 'About the site as a whole' : `On ${pageCount(pages)}`}. Category: ${category}. It takes ${counted(weight, 'point', 'points')} off a page’s health.`;
export const issueChange = (added: number, fixed: number) => `${newAndFixed(added, fixed)} since the previous audit.`;
export const whyItMatters = () => 'Why it matters';
export const source = () => 'Source';
export const unknownIssue = () => 'This version no longer knows this issue.';
export const whereFound = () => 'Where it was found';
export const where = () => 'Where';
export const evidence = () => 'Evidence';
export const notFoundHere = () => 'This audit did not find it.';
export const robotsLine = (line: number) => `robots.txt, line ${count(line)}`;
export const suggestion = (text: string, better: string) => `${text} (did you mean ${better}?)`;
export const addressCount = (addresses: number) => counted(addresses, 'address', 'addresses');
