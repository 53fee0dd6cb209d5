// The state for each code that a session can meet.
import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from './client';
import { isPassing, reasonOf, refusalOf } from './refusals';

const kind = (status: number, code: string, body = {}) => refusalOf(new ApiError(status, code, body)).kind;

afterEach(() => vi.unstubAllGlobals());

test('each refusal has its state', () => {
  expect(
    [
      [401, 'invalid_api_key', 'signed_out'],
      [402, 'subscription_required', 'inactive'],
      [403, 'domain_suspended', 'suspended'],
      [403, 'plan_required', 'plan'],
      [403, 'upgrade_required_for_custom_headers', 'plan'],
      [403, 'no_seo_spider_access', 'plan'],
      [403, 'domain_limit_reached', 'limit'],
      [403, 'on_demand_limit_reached', 'limit'],
      [403, 'max_pages_per_month_limit_reached', 'limit'],
      [400, 'redirect_limit_reached', 'limit'],
      [403, 'domain_not_owned', 'not_found'],
      [403, 'domain_access_forbidden', 'not_found'],
      [404, 'not_found', 'not_found'],
      [403, 'wrong_password', 'conflict'],
      [409, 'run_already_active', 'conflict'],
      [422, 'no_new_pages', 'nothing_new'],
      [429, 'rate_limited', 'wait'],
      [400, 'validation_error', 'invalid'],
      [503, 'service_unavailable', 'unavailable'],
      [500, 'internal_error', 'unavailable'],
      [413, 'payload_too_large', 'failed'],
    ].filter(([status, code, state]) => kind(Number(status), String(code)) !== state),
  ).toEqual([]);
});

test('a limit says how much of it is used', () => {
  const refusal = refusalOf(new ApiError(403, 'key_limit_reached', { limit: 100, current: 100 }));

  expect(refusal).toEqual({ kind: 'limit', code: 'key_limit_reached', limit: 100, current: 100 });
});

test('a wait has the length that the service names', () => {
  expect(refusalOf(new ApiError(429, 'rate_limited', {}, 17))).toEqual({ kind: 'wait', seconds: 17 });
  expect(refusalOf(new ApiError(429, 'rate_limited'))).toEqual({ kind: 'wait', seconds: 60 });
});

test('issues name their fields, and what is none is left out', () => {
  const issues = [{ path: 'name', message: 'is too long' }, { path: 3 }, null];

  expect(refusalOf(new ApiError(400, 'invalid_request', { issues }))).toEqual({
    kind: 'invalid',
    code: 'invalid_request',
    issues: [{ path: 'name', message: 'is too long' }],
  });
});

test('a reason is a text beside the code', () => {
  const reasons = [{ reason: 'it took too long' }, { reason: 3 }, {}].map((body) =>
    reasonOf(new ApiError(400, 'fetch_failed', body)),
  );

  expect([...reasons, reasonOf(new Error('no answer of the service'))]).toEqual(['it took too long', null, null, null]);
});

test('no answer is being offline only when the browser says so', () => {
  vi.stubGlobal('navigator', { onLine: false });
  expect(kind(0, '')).toBe('offline');

  vi.stubGlobal('navigator', { onLine: true });
  expect(kind(0, '')).toBe('unavailable');
});

test('only what may pass is asked for again', () => {
  expect([503, 500].map((status) => isPassing(new ApiError(status, '')))).toEqual([true, true]);
  expect([401, 403, 404, 429, 400].map((status) => isPassing(new ApiError(status, '')))).not.toContain(true);
  expect(isPassing(new TypeError('a mistake of ours'))).toBe(false);
});
