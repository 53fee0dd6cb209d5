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

export interface AnnouncedPaths extends RenderingPaths {
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
