// Rules of repetition.
import { QueryObserver } from '@tanstack/svelte-query';
import { expect, test, vi } from 'vitest';
import { pauseBefore, queryClient, read } from './queries';

test('repetitions are spread, so that clients do not come back together', () => {
  expect([pauseBefore(0, () => 0), pauseBefore(0, () => 1), pauseBefore(1, () => 0.5)]).toEqual([300, 900, 1200]);
});

test('writes are never repeated', () => {
  expect(queryClient.getDefaultOptions().mutations?.retry).toBe(false);
});

test('a key is the path and its parameters', () => {
  const one = read('/api/prerender/snapshots', { params: { query: { domain: 'lumadocs.io', limit: 200 } } });

  expect(one.queryKey).toEqual(['/api/prerender/snapshots', { query: { domain: 'lumadocs.io', limit: 200 } }]);
});

test('data that nobody has read yet is told when it comes', async () => {
  const told: unknown[] = [];
  const options = queryClient.defaultQueryOptions({ queryKey: ['late reader'], queryFn: () => Promise.resolve(1) });
  const observer = new QueryObserver(queryClient, options);
  const stop = observer.subscribe(({ data }) => told.push(data));
  // The only field that is read before the answer comes.
  expect(observer.trackResult(observer.getCurrentResult()).error).toBeNull();

  await queryClient.ensureQueryData(options);

  await vi.waitFor(() => expect(told).toContain(1));
  stop();
});
