// Rules of the names of crawlers.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { crawlerName } from './bots';

test('every crawler of the service has the name that the service gives it', () => {
  const file = new URL('../../../crates/analytics/data/crawlers.json', import.meta.url);
  const { crawlers } = JSON.parse(readFileSync(file, 'utf8')) as { crawlers: { id: string; name: string }[] };

  const found = crawlers.map(({ id }) => ({ id, name: crawlerName(id) }));

  expect(found).toEqual(crawlers.map(({ id, name }) => ({ id, name })));
});

test('a crawler that is known by a pattern has the pattern as its name, without backslashes', () => {
  expect(crawlerName('list:^Mozilla\\.Bot\\/1')).toBe('Mozilla.Bot/1');
});

test('a crawler that nobody knows is shown by its id', () => {
  expect(crawlerName('newbot')).toBe('newbot');
});
