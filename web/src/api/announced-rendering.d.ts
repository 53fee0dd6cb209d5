// Operations of rendering and settings that the service is going to have and does not describe yet, in the form of its document.
// An entry is deleted as soon as schema.d.ts has it.
import type { components } from './schema';

type Schemas = components['schemas'];
type Json<T> = { content: { 'application/json': T } };

/** A refresh of many pages, as the list of refreshes has it. */
export type BatchRow = Schemas['BatchProgress'] & { batchGroupId: string; selection: 'every' | 'updated' };

/** A picture of a whole page; `cut`: there was more below. */
export interface ViewPicture {
  url: string;
  width: number;
  height: number;
  bytes: number;
  cut: boolean;
}

export interface ViewRequest {
  url: string;
  type: string;
  /** 0: no answer. */
  status: number;
  startMs: number;
  durationMs: number;
  bytes: number;
  outcome: 'ok' | 'failed' | 'blocked';
}

/** A page as a person sees it, as a crawler gets it, and as it is without Glasshouse. */
export interface PageView {
  id: string;
  domain: string;
  path: string;
  url: string;
  width: number;
  state: 'running' | 'done' | 'failed';
  error: string | null;
  createdAt: string;
  expiresAt: string;
  person: {
    status: number;
    finalUrl: string;
    partial: boolean;
    words: number;
    text: string;
    picture: ViewPicture | null;
  } | null;
  crawler: {
    source: 'stored' | 'rendered';
    snapshotKey: string | null;
    createdAt: string | null;
    status: number;
    location: string | null;
    htmlBytes: number;
    html: string;
    htmlCut: boolean;
    words: number;
    text: string;
    picture: ViewPicture | null;
  } | null;
  raw: {
    status: number;
    finalUrl: string;
    htmlBytes: number;
    words: number;
    text: string;
    picture: ViewPicture | null;
  } | null;
  requests: ViewRequest[];
  console: { level: string; text: string }[];
  blocked: { url: string; reason: string }[];
  timings: { queuedMs: number; prepareMs: number; loadMs: number; totalMs: number } | null;
}

/** The answer of testing an address against the rules of a domain. */
export interface RuleTest {
  decision: 'redirect' | 'origin' | 'snapshot';
  reason: 'preferred_host' | 'redirect_rule' | 'ignored_path' | 'static_asset' | 'person' | 'page';
  status: number | null;
  location: string | null;
  /** Position of the rule, from 0. */
  rule: number | null;
  pattern: string | null;
  stored: boolean | null;
  issues: { path: string; message: string }[] | null;
}

/** Stored paths that patterns match. */
export interface PatternMatches {
  total: number;
  matched: number;
  examples: { path: string; line: number }[];
  invalid: { line: number; message: string }[];
}

/** Fields of the service's newer settings, which older answers lack. */
export interface NewerRendering {
  verifiedCrawlersOnly?: boolean;
  queryParameters?: string[] | null;
}

type DomainPath = { path: { domain: string } };

export interface RenderingPaths {
  '/api/prerender/batches': {
    get: { parameters: { query: { domain: string } }; responses: { 200: Json<{ batches: BatchRow[] }> } };
  };
  '/api/prerender/batches/{batchGroupId}/cancel': {
    post: { parameters: { path: { batchGroupId: string } }; responses: { 200: Json<{ ok: boolean }> } };
  };
  '/api/dashboard/views': {
    get: {
      parameters: { query: { domain: string; path: string } };
      responses: { 200: Json<{ view: PageView | null }> };
    };
    post: {
      parameters: { query?: never };
      requestBody: Json<{ domain: string; path: string; width?: number }>;
      responses: { 202: Json<{ id: string; state: 'running' }> };
    };
  };
  '/api/dashboard/views/{id}': {
    get: { parameters: { path: { id: string } }; responses: { 200: Json<PageView> } };
  };
  '/api/dashboard/domains/{domain}/test-rules': {
    post: {
      parameters: DomainPath;
      requestBody: Json<{
        url: string;
        as: 'crawler' | 'person';
        redirectRules?: Schemas['SentRedirect'][];
        ignorePaths?: string;
        preferredHost?: Schemas['PreferredHost'] | null;
      }>;
      responses: { 200: Json<RuleTest> };
    };
  };
  '/api/dashboard/domains/{domain}/test-patterns': {
    post: {
      parameters: DomainPath;
      requestBody: Json<{ patterns: string }>;
      responses: { 200: Json<PatternMatches> };
    };
  };
}
