// Rules of actions on many domains.
import { expect, test } from 'vitest';
import type { Refusal } from '../../lib/refusal';
import { changedTags, isTag, runForEach } from './bulk';

const names = ['a.test', 'b.test', 'c.test'];

test('a domain that fails does not keep the others from being done', async () => {
  const refusal: Refusal = { kind: 'suspended' } as Refusal;
  const progress: number[] = [];

  const outcome = await runForEach(
    names,
    (name) => Promise.resolve(name === 'b.test' ? refusal : null),
    (done) => progress.push(done),
  );

  expect(outcome).toEqual({ done: ['a.test', 'c.test'], failed: ['b.test'], refusal });
  expect(progress).toEqual([1, 2, 3]);
});

test('a limit ends it, and what was not tried counts as not done', async () => {
  const tried: string[] = [];

  const outcome = await runForEach(
    names,
    (name) => {
      tried.push(name);
      return Promise.resolve(
        name === 'b.test' ? ({ kind: 'limit', current: 1, limit: 1, code: '' } as unknown as Refusal) : null,
      );
    },
    () => undefined,
  );

  expect(tried).toEqual(['a.test', 'b.test']);
  expect([outcome.done, outcome.failed]).toEqual([['a.test'], ['b.test', 'c.test']]);
});

test('a tag is added once and in order, and removed', () => {
  expect(changedTags(['new', 'vip'], 'customers', 'tag')).toEqual(['customers', 'new', 'vip']);
  expect(changedTags(['new'], 'new', 'tag')).toEqual(['new']);
  expect(changedTags(['new', 'vip'], 'new', 'untag')).toEqual(['vip']);
  expect([isTag('a-1'), isTag(''), isTag('Not a tag')]).toEqual([true, false, false]);
});
