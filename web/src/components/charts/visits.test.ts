// Rules of charts of visits.
import { expect, test } from 'vitest';
import { visitSeries, visitsModel } from './visits';

const series = (id: string, ...counts: number[]) => ({ id, name: id, counts });

test('two series of one company are one, and companies without a colour are Other, last', () => {
  const drawn = visitSeries(
    [
      series('ahrefs', 9, 9),
      series('bing', 1, 2),
      series('google', 3, 4),
      series('microsoft', 5, 6),
      series('meta', 1, 0),
    ],
    'Other',
  );

  expect(drawn.map(({ id, name, values }) => [id, name, values])).toEqual([
    ['bing', 'bing', [6, 8]],
    ['google', 'google', [3, 4]],
    ['other', 'Other', [10, 9]],
  ]);
});

test('a single company without a colour keeps its name', () => {
  expect(visitSeries([series('ahrefs', 9)], 'Other').map(({ name }) => name)).toEqual(['ahrefs']);
});

test('the sentence has the sum and the largest series; days are UTC days', () => {
  const words = { other: 'Other', sentence: (all: number, most: string) => `${all} ${most}` };
  const model = visitsModel(
    ['2025-12-31', '2026-01-01'],
    [series('google', 1, 2), series('openai', 4, 0)],
    words,
    new Date('2026-01-01T23:30:00Z'),
  );

  expect([model.sentence, model.labels, model.names]).toEqual([
    '7 openai',
    ['31 Dec 2025', '1 Jan'],
    ['Wed 31 Dec', 'Thu 1 Jan'],
  ]);
});
