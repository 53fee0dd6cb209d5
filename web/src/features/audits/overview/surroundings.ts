// Findings of a run about sitemaps and robots.txt, as lines with a severity. Pure.
import type { SeverityKind } from '../../../components/severity.svelte';
import { SEVERITIES } from '../model';
import * as m from '../../../messages/audits/overview';
import type { Run } from '../types';

export interface Line {
  kind: SeverityKind;
  text: string;
  note?: string;
}

/** Returns the lines of the panel: sitemap files, what is missing between sitemap and crawl, robots.txt. */
export function surroundings(run: Run): Line[] {
  const { sitemap, orphans } = run.crawlStats;
  const { robotsAnalysis: robots, sitemapIssues } = run;
  const lines: Line[] = [];
  if (sitemap.files === 0 || sitemap.urls === 0) lines.push({ kind: 'notice', text: m.noSitemapRead() });
  else lines.push({ kind: 'success', text: m.sitemapRead(sitemap.urls, sitemap.files) });
  const worst = SEVERITIES.find((severity) => sitemapIssues.some((issue) => issue.severity === severity));
  if (worst !== undefined) lines.push({ kind: worst, text: m.sitemapProblems(sitemapIssues.length) });
  if (sitemap.notInCrawl > 0) lines.push({ kind: 'notice', text: m.notInCrawl(sitemap.notInCrawl) });
  if (orphans > 0) lines.push({ kind: 'notice', text: m.orphanLine(orphans), note: m.orphanNote() });
  const worstRobots = SEVERITIES.find((severity) => robots.problems.some((problem) => problem.severity === severity));
  const shape = m.robotsShape(robots.groups.length, robots.sitemaps.length);
  if (robots.status === 0) lines.push({ kind: 'error', text: m.robotsUnreachable() });
  else if (robots.status >= 400) lines.push({ kind: 'notice', text: m.robotsMissing(robots.status) });
  else if (worstRobots === undefined) lines.push({ kind: 'success', text: m.robotsValid(), note: shape });
  else lines.push({ kind: worstRobots, text: m.robotsProblems(robots.problems.length), note: shape });
  return lines;
}
