// Answers of audits as the screens read them. Types only.
import type { Schemas } from '../../api/client';

export type FindingSeverity = Schemas['Severity'];
export type RunState = Schemas['RunStatus'];
export type AuditMode = Schemas['CrawlMode'];

/** A crawler, with what robots.txt and the server say to it. */
export type Bot = Schemas['BotAccess'];
export type RobotsAnalysis = Schemas['RobotsAnalysis'];
export type SitemapFile = Schemas['NamedSitemap'];
export type CrawlStats = Schemas['CrawlStats'];
export type Run = Schemas['RunView'] & { sitemapIssues: Schemas['SitemapIssue'][] };

/** A run with the pages that carry each issue. */
export interface RunSummary {
  run: Run;
  issueBreakdown: Record<string, number>;
  pageTotal: number;
}

export type AuditedRow = Schemas['PageRow'];

/** Progress of a run, as the stream of events tells it. */
export type RunProgress = Schemas['RunProgress'];

export type Finding = Schemas['Finding'];
export type Penalty = Schemas['Penalty'];
export type AuditedPage = Schemas['RunPage'];

export type LinkRow = Schemas['LinkRow'];
export type ComparedFinding = Schemas['ComparedFinding'];

/** Findings of one issue in two runs. */
export type IssueChange = Schemas['IssueComparison'];
export type RunComparison = Schemas['Comparison'];
export type Issue = Schemas['CatalogueEntry'];

/** Pages with the most links to them, and the links between these as positions in `nodes`. */
export type LinkGraph = Schemas['LinkGraph'];
export type GraphNode = Schemas['GraphNode'];
