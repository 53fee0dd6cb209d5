// Rules of adding a domain: what is sent, and which refusal stands where.
import { expect, test } from 'vitest';
import { ApiError } from '../../api/client';
import { cleanName, troubleOf } from './adding';

const refused = (status: number, code: string, body = {}) =>
  troubleOf(new ApiError(status, code, body), 'a.test', false);

test('a pasted address becomes the name in it', () => {
  expect(cleanName(' HTTPS://Shop.Example.com/a?b#c ')).toBe('shop.example.com');
  expect(cleanName('example.com.')).toBe('example.com');
});

test('what is wrong with a field is said at the field', () => {
  expect(refused(400, 'invalid_domain')).toHaveProperty('domain');
  expect(refused(409, 'domain_already_connected')).toEqual({ domain: expect.stringContaining('another account') });
  expect(refused(403, 'domain_suspended')).toHaveProperty('domain');
  expect(refused(400, 'origin_host_is_editor_url')).toHaveProperty('originHost');
  const issues = [{ path: 'originHost', message: 'expected a string' }];
  expect(refused(400, 'validation_error', { issues })).toEqual({ originHost: 'expected a string' });
});

test('a domain that the account has can be opened', () => {
  expect(troubleOf(new ApiError(409, 'domain_already_connected'), 'a.test', true)).toMatchObject({ isOwn: true });
});

test('what belongs to no field is a state of the form', () => {
  expect(refused(403, 'domain_limit_reached', { limit: 1, current: 1 }).refusal).toMatchObject({
    kind: 'limit',
    limit: 1,
  });
  expect(refused(402, 'subscription_required').refusal).toEqual({ kind: 'inactive' });
  expect(refused(503, '').refusal).toMatchObject({ kind: 'unavailable' });
});
