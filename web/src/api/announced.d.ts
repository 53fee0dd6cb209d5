// Operations that the service is going to have and does not describe yet, in the form of its document.
// An entry is deleted as soon as schema.d.ts has it; an operation that is not there answers 404, which a screen shows as an error.
import type { RenderingPaths } from './announced-rendering';
import type { components } from './schema';

/** A row of the account's domains, as `GET /api/dashboard/sites` answers it. */
export interface SiteRow {
  domain: string;
  status: components['schemas']['DomainStatus'];
  demo: boolean;
  visits: number;
  previousVisits: number;
  daily: number[];
  healthScore: number | null;
  deltaHealth: number | null;
  visibilityRate: number | null;
  errors: number | null;
  attention: number;
}

/** A rate in percent with its sample and its 95% interval; null without answers. */
interface SampledRate {
  answers: number;
  mentions: number;
  rate: number | null;
  low: number | null;
  high: number | null;
}

/** The answer of `GET /api/dashboard/overview`. A part that could not be read is null and named in `unavailable`. */
export interface OverviewReport {
  domain: string;
  status: components['schemas']['DomainStatus'];
  demo: boolean;
  days: number;
  visits: {
    total: number;
    previous: number;
    dates: string[];
    ai: number[];
    search: number[];
    other: number[];
  } | null;
  people: { total: number; previous: number } | null;
  served: { cachePercent: number | null; cacheHits: number; minutesSaved: number } | null;
  health: {
    runId: string;
    completedAt: string;
    score: number;
    delta: number | null;
    errors: number;
    warnings: number;
    notices: number;
    points: { runId: string; completedAt: string; score: number }[];
  } | null;
  visibility:
    | (SampledRate & {
        previousRate: number | null;
        isSignificant: boolean;
        providers: (SampledRate & { provider: string })[];
        points: { date: string; rate: number | null }[];
      })
    | null;
  snapshots: { total: number; fresh: number; stale: number; failing: number } | null;
  citedPages:
    | {
        path: string;
        citations: number;
        providers: string[];
        lastCrawlerVisit: string | null;
        snapshotAgeSeconds: number | null;
        issueCount: number | null;
      }[]
    | null;
  attention:
    | {
        id: string;
        kind: string;
        severity: 'error' | 'warning' | 'notice';
        count: number | null;
        subject: string | null;
        before: number | null;
        after: number | null;
        since: string | null;
        href: string;
      }[]
    | null;
  changes:
    | {
        date: string;
        kind: string;
        count: number | null;
        subject: string | null;
        before: number | null;
        after: number | null;
        href: string;
      }[]
    | null;
  unavailable: string[];
}

/** What stands in the DNS beside what should, as `GET /api/domains/:domain/records` answers it after a check. */
export interface RecordFindings {
  checkedAt: string | null;
  probe: 'edge' | 'api' | null;
  problems: string[];
  records: {
    found: string[] | null;
    state: 'unchecked' | 'found' | 'missing' | 'conflict' | 'proxied' | 'unknown';
  }[];
}

export interface AnnouncedPaths extends RenderingPaths {
  '/api/dashboard/overview': {
    get: {
      parameters: { query: { domain: string; days?: number } };
      responses: { 200: { content: { 'application/json': OverviewReport } } };
    };
  };
  '/api/dashboard/dismissed': {
    post: {
      parameters: Record<string, never>;
      requestBody: { content: { 'application/json': { domain: string; id: string } } };
      responses: { 204: { content?: never } };
    };
    delete: {
      parameters: { query: { domain: string; id: string } };
      responses: { 204: { content?: never } };
    };
  };
  '/api/dashboard/first-run': {
    get: {
      parameters: Record<string, never>;
      responses: {
        200: {
          content: {
            'application/json': {
              installation: { id: string; state: 'ok' | 'note' | 'broken' }[];
              providers: { id: string; state: 'ready' | 'stand_in' | 'no_key' }[];
              demoDomain: string | null;
              account: { domains: number; connected: number; snapshots: number; runs: number; prompts: number };
            };
          };
        };
      };
    };
  };
  '/api/dashboard/sites': {
    get: {
      parameters: {
        query?: {
          days?: number;
          search?: string;
          sort?: 'attention' | 'domain' | 'visits' | 'healthScore' | 'visibilityRate' | 'createdAt';
          order?: 'asc' | 'desc';
          limit?: number;
          offset?: number;
        };
      };
      responses: { 200: { content: { 'application/json': { sites: SiteRow[]; total: number } } } };
    };
  };
}

// ---- audits: links of a run as a graph

export interface AnnouncedPaths {
  '/api/seo-spider/runs/{runId}/graph': {
    get: {
      parameters: { path: { runId: string }; query?: { limit?: number } };
      responses: {
        200: {
          content: {
            'application/json': {
              nodes: {
                id: string;
                path: string;
                statusCode: number;
                healthScore: number;
                depth: number | null;
                inlinkCount: number;
              }[];
              edges: [number, number][];
              pageTotal: number;
              edgeTotal: number;
            };
          };
        };
      };
    };
  };
}
