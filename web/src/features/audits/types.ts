// Answers of audits as the screens read them: what the service's document leaves open is said here. Types only.
import type { Schemas } from '../../api/client';
import type { SeverityKind } from '../../components/severity.svelte';

export type FindingSeverity = Exclude<SeverityKind, 'success'>;
export type RunState = 'queued' | 'running' | 'success' | 'limit_reached' | 'partial' | 'error';
export type AuditMode = 'follow' | 'sitemap' | 'selected';

/** A crawler, with what robots.txt and the server say to it. */
export interface Bot {
  name: string;
  vendor: string;
  class: string;
  verdict: 'allow' | 'partial' | 'block';
  decidingLine: number | null;
  blockedPages: number;
  /** Status of the probe; null: not asked. */
  httpStatus: number | null;
  challenged: boolean;
}

export interface RobotsProblem {
  issueId: string;
  severity: FindingSeverity;
  line: number | null;
  text: string;
  suggestion: string | null;
}

export interface RobotsAnalysis {
  url: string;
  status: number;
  bytes: number;
  truncated: boolean;
  redirectHops: number;
  crawlDelaySec: number | null;
  groups: { agents: string[]; rules: { line: number; type: 'allow' | 'disallow'; path: string }[] }[];
  truncatedRules: number;
  sitemaps: SitemapFile[];
  problems: RobotsProblem[];
  bots: Bot[];
  blockedCrawledUrls: number;
  contentSignals: Record<string, string>;
  llmsTxt: { status: number; bytes: number; valid: boolean };
}

export interface SitemapFile {
  line: number;
  url: string;
  status: number;
  kind: 'index' | 'urlset' | 'text' | 'none';
  urls: number;
}

export interface SiteIssue {
  issueId: string;
  severity: FindingSeverity;
  detail: string;
  examples: string[];
}

export interface CrawlStats {
  mode: AuditMode;
  discovered: number;
  htmlPages: number;
  renderedPages: number;
  skipped: Record<'robots' | 'sampling' | 'limit' | 'offHost' | 'filtered' | 'trap' | 'notHtml', number>;
  statusCounts: Record<'2xx' | '3xx' | '4xx' | '5xx' | 'none', number>;
  depth: number[];
  durationMs: number;
  pagesPerSec: number;
  timing: { ttfbP50: number; ttfbP90: number };
  siteIssues: SiteIssue[];
  issuesBySeverity: Record<FindingSeverity, number>;
  orphans: number;
  sitemap: { files: number; urls: number; inCrawl: number; notInCrawl: number };
  sampling: { enabled: boolean; healthStdErr: number | null };
  /** Pages on which a snapshot solves each issue; null where crawlers get none. */
  solvedBySnapshots?: { pages: number; originHealth: number; issues: Record<string, number> } | null;
  /** Null without pages, missing until the run is over. */
  healthParts?: { pages: number; withoutErrors: number; site: number; factor: number } | null;
}

export interface SitemapIssue {
  issueId: string;
  severity: FindingSeverity;
  sitemap: string | null;
  count: number;
  examples: { url: string; detail: string }[];
}

type RunRest = Omit<
  Schemas['RunView'],
  'status' | 'robotsAnalysis' | 'crawlStats' | 'sitemapIssues' | 'trigger' | 'frequency'
>;

export interface Run extends RunRest {
  status: RunState;
  trigger: 'api' | 'manual' | 'scheduled';
  robotsAnalysis: RobotsAnalysis;
  crawlStats: CrawlStats;
  sitemapIssues: SitemapIssue[];
}

/** A run with the pages that carry each issue. */
export interface RunSummary {
  run: Run;
  issueBreakdown: Record<string, number>;
  pageTotal: number;
}

export type AuditedRow = Schemas['PageRow'];

/** Progress of a run, as the stream of events tells it. */
export interface RunProgress {
  status: RunState;
  pagesCrawled: number;
  waiting: number;
  probesWaiting: number;
  completedAt: number | null;
  closeReason: string;
}

export interface Finding {
  issueId: string;
  severity: FindingSeverity;
  count: number;
  /** Points off the page's health, before the cap of its category. */
  points: number;
  examples: { url: string; text: string; detail: string }[];
}

export interface Penalty {
  category: string;
  points: number;
  cap: number;
}

export interface AuditedPage {
  page: AuditedRow;
  findings: Finding[];
  /** Findings that crawlers do not meet, since the snapshot lacks them. */
  solved: Finding[];
  /** Health of the server's own answer; null where crawlers get that answer. */
  originHealthScore: number | null;
  /** Health that the page lost, by category. */
  penalties: Penalty[];
  raw: Record<string, string | null>;
  rendered: Record<string, string | null> | null;
  hops: { url: string; status: number }[];
  inlinks: LinkRow[];
  outlinks: LinkRow[];
  lastCrawlerVisit: { date: string; crawler: string; provider: string } | null;
}

export type LinkRow = Schemas['LinkRow'];
export interface ComparedFinding {
  issueId: string;
  path: string;
}

/** Findings of one issue in two runs. */
export interface IssueChange {
  issueId: string;
  new: number;
  fixed: number;
  remaining: number;
}

export type RunComparison = Schemas['Comparison'] & {
  byIssue?: IssueChange[];
  /** Pages that the later run did not look for: after limits, and when only new pages were wanted. */
  notVisitedPages?: { total: number; items: string[] };
};

type IssueRest = Omit<Schemas['CatalogueEntry'], 'severity' | 'scope'>;

export interface Issue extends IssueRest {
  severity: FindingSeverity;
  scope: 'page' | 'site' | 'robots' | 'sitemap';
}

/** Pages with the most links to them, and the links between these as positions in `nodes`. */
export interface LinkGraph {
  nodes: GraphNode[];
  edges: [number, number][];
  /** Pages of the run. */
  pageTotal: number;
}

export interface GraphNode {
  id: string;
  path: string;
  statusCode: number;
  healthScore: number;
  /** Clicks from the start page; null: nothing leads to it. */
  depth: number | null;
  inlinkCount: number;
}
