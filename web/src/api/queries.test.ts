// Rules of repetition.
import { QueryObserver } from '@tanstack/svelte-query';
import { expect, test, vi } from 'vitest';
import { loadOf, pauseBefore, queryClient, read } from './queries';

test('repetitions are spread, so that clients do not come back together', () => {
  expect([pauseBefore(0, () => 0), pauseBefore(0, () => 1), pauseBefore(1, () => 0.5)]).toEqual([300, 900, 1200]);
});

test('an answer is seen whatever part of its query was read before it came', () => {
  const observer = new QueryObserver(queryClient, { queryKey: ['early'], queryFn: () => 'answer', retry: false });
  const seen: unknown[] = [];
  const end = observer.subscribe((result) => seen.push(result.data));
  // A component that reads the error only.
  void observer.trackResult(observer.getCurrentResult()).error;

  queryClient.setQueryData(['early'], 'answer');

  end();
  return vi.waitFor(() => expect(seen).toContain('answer'));
});

test('writes are never repeated', () => {
  expect(queryClient.getDefaultOptions().mutations?.retry).toBe(false);
});

test('a key is the path and its parameters', () => {
  const one = read('/api/prerender/snapshots', { params: { query: { domain: 'lumadocs.io', limit: 200 } } });

  expect(one.queryKey).toEqual(['/api/prerender/snapshots', { query: { domain: 'lumadocs.io', limit: 200 } }]);
});

test('rows of another filter are shown while new ones load, and not when these cannot be had', () => {
  const query = { data: ['old'], isPlaceholderData: true, error: null, fetchStatus: 'fetching' };

  expect(loadOf(query as never).data).toEqual(['old']);
  expect(loadOf({ ...query, fetchStatus: 'paused' } as never)).toMatchObject({
    data: undefined,
    refusal: { kind: 'offline' },
  });
  expect(loadOf({ ...query, isPlaceholderData: false, fetchStatus: 'paused' } as never).data).toEqual(['old']);
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
