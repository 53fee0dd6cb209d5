// Rules of the check of a site: findings first, what could not be judged is told apart, remedies show their code.
import { expect, test } from 'vitest';
import { seenBy, splitChecks, textParts, type SiteReport } from './verification';

const report: SiteReport = {
  ok: false,
  url: 'https://shop.test/',
  crawler: 'Googlebot',
  platform: 'Cloudflare',
  checks: [
    { id: 'crawler_snapshot', ok: true, detail: 'Crawlers get the snapshot (memory), 240 words.', remedy: null },
    { id: 'shared_cache', ok: false, detail: 'A cache keeps the snapshot: age: 4.', remedy: 'Set a `Cache Rule`.' },
    { id: 'asset', ok: true, detail: 'Not judged: the file got no answer (timeout).', remedy: null },
    { id: 'head', ok: false, detail: 'HEAD is answered with 405, GET with 200.', remedy: 'Answer HEAD.' },
  ],
};

test('findings stand before what passed, each in the order of the answer', () => {
  const { found, rest } = splitChecks(report);

  expect(found.map(({ id }) => id)).toEqual(['shared_cache', 'head']);
  expect(rest.map(({ id, state }) => `${id} ${state}`)).toEqual(['crawler_snapshot passed', 'asset notJudged']);
});

test('what could not be judged is told once, by its state', () => {
  expect(seenBy({ id: 'asset', ok: true, detail: 'Not judged: the file got no answer.', remedy: null })).toBe(
    'The file got no answer.',
  );
});

test('words between backticks of a remedy are code', () => {
  expect(textParts('Pass `Host` on, see `shared_cache`.')).toEqual([
    { text: 'Pass ', isCode: false },
    { text: 'Host', isCode: true },
    { text: ' on, see ', isCode: false },
    { text: 'shared_cache', isCode: true },
    { text: '.', isCode: false },
  ]);
});
