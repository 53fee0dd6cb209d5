// Reads of the screens of audits, each as a query with the types of types.ts. Used by every screen of this folder.
import { get } from '../../api/client';
import { read } from '../../api/queries';
import type { AuditedPage, AuditedRow, Issue, LinkGraph, LinkRow, Run, RunComparison, RunSummary } from './types';

const RUN = '/api/seo-spider/runs/{runId}';

/** Reads the 50 newest runs of a domain. */
export function readRuns(domain: string) {
  return {
    ...read('/api/seo-spider/runs', { params: { query: { domain } } }),
    select: (answer: unknown): Run[] => (answer as { runs: Run[] }).runs,
  };
}

/** Reads a run without its pages. */
export function readRun(runId: string) {
  return {
    ...read(RUN, { params: { path: { runId }, query: { limit: 1, fields: 'path' } } }),
    select: (answer: unknown): RunSummary => {
      const { run, issueBreakdown, pageTotal } = answer as RunSummary;
      return { run, issueBreakdown: issueBreakdown ?? {}, pageTotal };
    },
  };
}

export interface PageList {
  search?: string;
  issueId?: string;
  sort?: string;
  order?: string;
  fields?: string;
}

/** Reads a window of a run's pages. Empty parameters are left out: a search for nothing is none. */
export function readPages(runId: string, list: PageList, range: { limit: number; offset: number }) {
  const set = Object.fromEntries(Object.entries(list).filter(([, value]) => value !== undefined && value !== ''));
  return {
    ...read(RUN, { params: { path: { runId }, query: { ...set, ...range } } }),
    select: (answer: unknown) => {
      const { pages, pageTotal } = answer as { pages: AuditedRow[]; pageTotal: number };
      return { rows: pages, total: pageTotal };
    },
  };
}

/** Reads one page of a run, with the evidence of its findings. */
export function readPage(runId: string, pageId: string) {
  return {
    ...read('/api/seo-spider/runs/{runId}/pages/{pageId}', { params: { path: { runId, pageId } } }),
    select: (answer: unknown) => answer as AuditedPage,
  };
}

export interface LinkQuery {
  from?: string;
  to?: string;
  status?: number;
}

/** Reads a window of a run's links. */
export function readLinks(runId: string, query: LinkQuery, range: { limit: number; offset: number }) {
  const set = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
  return {
    ...read('/api/seo-spider/runs/{runId}/links', { params: { path: { runId }, query: { ...set, ...range } } }),
    select: (answer: unknown) => {
      const { links, total } = answer as { links: LinkRow[]; total: number };
      return { rows: links, total };
    },
  };
}

/** Reads the pages with the most links to them, and the links between them. */
export function readGraph(runId: string) {
  return {
    ...read('/api/seo-spider/runs/{runId}/graph', { params: { path: { runId }, query: { limit: 500 } } }),
    select: (answer: unknown) => answer as LinkGraph,
  };
}

/** Reads the changes between two runs, in either order. */
export function readComparison(runId: string, other: string) {
  return {
    ...read(
      '/api/seo-spider/runs/{runId}/compare',
      { params: { path: { runId }, query: { with: other } } },
      'settings',
    ),
    select: (answer: unknown) => answer as RunComparison,
  };
}

/** Reads the catalogue of issues, by id. */
export function readCatalogue() {
  return {
    ...read('/api/seo-spider/issues', {}, 'settings'),
    select: (answer: unknown) => new Map((answer as { issues: Issue[] }).issues.map((issue) => [issue.id, issue])),
  };
}

/** Visits of crawlers to a page in the last 30 days. */
export function readVisits(domain: string, url: string) {
  return read('/api/analytics/page-insights', { params: { query: { domain, url, days: 30 } } });
}

/** Returns the id of the page with this path, if the run has it. */
export async function findPage(runId: string, path: string): Promise<string | null> {
  const query = { search: path, fields: 'id,path', limit: 500, offset: 0 };
  const answer = await get(RUN, { params: { path: { runId }, query } });
  return answer.pages.find((page) => page.path === path)?.id ?? null;
}

/** Lists the paths of all pages of a run that match. */
export async function listPaths(runId: string, list: PageList): Promise<string[]> {
  const paths: string[] = [];
  const set = Object.fromEntries(Object.entries(list).filter(([, value]) => value !== ''));
  for (;;) {
    const query = { ...set, fields: 'path', limit: 500, offset: paths.length };
    const { pages } = await get(RUN, { params: { path: { runId }, query } });
    paths.push(...pages.map(({ path }) => path));
    if (pages.length < query.limit) return paths;
  }
}

/** Returns the address of an exported file of a run. */
export function exportHref(runId: string, what: string, format: string, list: PageList = {}): string {
  const query = new URLSearchParams({ what, format });
  for (const [name, value] of Object.entries(list)) if (value) query.set(name, value);
  return `/api/seo-spider/runs/${encodeURIComponent(runId)}/export?${query}`;
}

/** Returns the address of the picture that a page's social tags name, as the service fetched it. */
export function previewImage(domain: string, url: string): string {
  return `/api/dashboard/preview-image?${new URLSearchParams({ domain, url })}`;
}
