// Which state a screen shows for an error of the service. The only place that reads codes for that. Pure.
// An operation's own codes (`wrong_password`, `run_already_active`) arrive as `conflict` and are read by the feature.
import type { FieldIssue, Refusal } from '../lib/refusal';
import { ApiError } from './client';

const NOT_OURS = new Set(['domain_not_owned', 'domain_access_forbidden', 'not_found']);
const SIGNED_OUT = new Set(['invalid_api_key', 'invalid_credentials']);

/** Decides the state for an error; what is no answer of the service at all is a failure without a status. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ApiError)) return { kind: 'failed', status: 0, code: '', requestId: null };
  const { status, code, body, requestId } = error;
  if (status === 0) return navigator.onLine ? { kind: 'unavailable', status, requestId } : { kind: 'offline' };
  if (status === 401)
    return SIGNED_OUT.has(code) ? { kind: 'signed_out' } : { kind: 'failed', status, code, requestId };
  if (status === 402) return { kind: 'inactive' };
  if (status === 404 || NOT_OURS.has(code)) return { kind: 'not_found' };
  if (status === 403 || code.endsWith('_limit_reached')) return forbidden(error);
  if (status === 422 && code === 'no_new_pages') return { kind: 'nothing_new' };
  if (status === 429) return { kind: 'wait', seconds: error.retryAfter ?? 60 };
  if (status === 409) return { kind: 'conflict', code, details: body };
  if (status >= 500) return { kind: 'unavailable', status, requestId };
  if (status === 400) return { kind: 'invalid', code, issues: issuesOf(body) };
  return { kind: 'failed', status, code, requestId };
}

function forbidden({ status, code, body, requestId }: ApiError): Refusal {
  if (code === 'domain_suspended') return { kind: 'suspended' };
  if (code === 'plan_required' || code.startsWith('upgrade_required_') || code === 'no_seo_spider_access') {
    const plan = body.requiredPlan;
    return { kind: 'plan', code, requiredPlan: typeof plan === 'string' ? plan : null };
  }
  if (code.endsWith('_limit_reached')) {
    return { kind: 'limit', code, limit: numberIn(body.limit), current: numberIn(body.current) };
  }
  if (code === 'csrf_token_missing' || code === 'cross_site_request')
    return { kind: 'failed', status, code, requestId };
  return { kind: 'conflict', code, details: body };
}

/** Decides whether asking again may help: the service, or the way to it, was away. */
export function isPassing(error: unknown): boolean {
  const { kind } = refusalOf(error);
  return kind === 'unavailable' || kind === 'offline';
}

/** Returns the code of an error; empty when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof ApiError ? error.code : '';
}

/** Returns the reason that an error names beside its code; null: none. */
export function reasonOf(error: unknown): string | null {
  const reason = error instanceof ApiError ? error.body.reason : null;
  return typeof reason === 'string' ? reason : null;
}

function issuesOf(body: Record<string, unknown>): FieldIssue[] {
  if (!Array.isArray(body.issues)) return [];
  return body.issues.filter(
    (issue): issue is FieldIssue => typeof issue?.path === 'string' && typeof issue?.message === 'string',
  );
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
