// Rules of the live tail.
import { expect, test } from 'vitest';
import { LiveTail } from './live-tail.svelte';

const visit = (path: string) => ({
  at: '2026-11-25T10:00:00Z',
  path,
  crawler: 'gptbot',
  provider: 'openai',
  verified: 'yes' as const,
  servedBy: 'cache' as const,
  status: 200,
  durationMs: 1,
});

test('the newest visit is first, and no more than the length are kept', () => {
  const tail = new LiveTail(2);

  for (const path of ['/a', '/b', '/c']) tail.add(visit(path));

  expect(tail.shown.map(({ path }) => path)).toEqual(['/c', '/b']);
});

test('what comes while paused is counted, and shown when it goes on', () => {
  const tail = new LiveTail(3);
  tail.add(visit('/a'));

  tail.pause();
  for (const path of ['/b', '/c', '/d', '/e']) tail.add(visit(path));

  expect([tail.shown.map(({ path }) => path), tail.behind]).toEqual([['/a'], 4]);
  tail.resume();
  expect([tail.shown.map(({ path }) => path), tail.behind]).toEqual([['/e', '/d', '/c'], 0]);
});
