// The tabs of a run, each with the number of what is there. Pure but for the addresses.
import * as m from '../../messages/audits/shared';
import { link } from '../../routes';
import type { RunSummary } from './types';

const TABS = [
  { label: m.overview(), path: '/d/:domain/audits/:runId' },
  { label: m.issues(), path: '/d/:domain/audits/:runId/issues' },
  { label: m.pages(), path: '/d/:domain/audits/:runId/pages' },
  { label: m.links(), path: '/d/:domain/audits/:runId/links' },
  { label: m.robots(), path: '/d/:domain/audits/:runId/robots' },
  { label: m.aiAccess(), path: '/d/:domain/audits/:runId/ai-access' },
  { label: m.compare(), path: '/d/:domain/audits/:runId/compare' },
] as const;

/** Numbers that are not known yet: every run has those of its issues and pages. */
const COMING = [undefined, null, null];

/** Returns the tabs; the current one is the longest that the path begins with. */
export function runTabs(domain: string, runId: string, path: string, summary: RunSummary | undefined) {
  const hrefs = TABS.map((tab) => link(tab.path, { domain, runId }));
  const own = (href: string) => path === href || path.startsWith(`${href}/`);
  const current = hrefs.filter(own).toSorted((one, other) => other.length - one.length)[0];
  const counts = summary === undefined ? COMING : countsOf(summary);
  return TABS.map((tab, index) => ({
    label: tab.label,
    href: hrefs[index] ?? '',
    isCurrent: hrefs[index] === current,
    count: counts[index],
  }));
}

function countsOf({ run, issueBreakdown, pageTotal }: RunSummary): (number | undefined)[] {
  const { bots, problems } = run.robotsAnalysis;
  const shut = bots.filter(({ verdict, httpStatus }) => verdict !== 'allow' || (httpStatus ?? 200) >= 400).length;
  const notZero = (value: number) => (value > 0 ? value : undefined);
  return [
    undefined,
    Object.keys(issueBreakdown).length,
    pageTotal,
    undefined,
    notZero(problems.length + run.sitemapIssues.length),
    notZero(shut),
    undefined,
  ];
}
