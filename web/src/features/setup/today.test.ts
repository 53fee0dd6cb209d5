// Rules of what a new domain begins with.
import { expect, test } from 'vitest';
import type { PageView } from '../../api/answers';
import { addressPath, todayOf } from './today';

const page = (words: number, status = 200) => ({
  status,
  finalUrl: '',
  partial: false,
  words,
  text: '',
  picture: null,
});
const seen = (person: number, raw: number, status = 200) =>
  todayOf({ person: page(person, status), raw: { ...page(raw), htmlBytes: 1 } } as unknown as PageView);

test('words that crawlers do not get are counted', () => {
  expect(seen(412, 4)).toEqual({
    kind: 'error',
    text: 'Crawlers that run no JavaScript get 4 words; people see 412.',
  });
});

test('a page that is whole without scripts is said to be', () => {
  expect(seen(412, 400)?.kind).toBe('success');
});

test('an error page or an empty one is no proof of anything', () => {
  expect(seen(10, 10, 503)).toEqual({ kind: 'warning', text: 'The page answers people with status 503.' });
  expect(seen(0, 0)?.kind).toBe('warning');
  expect(todayOf({ person: null, raw: null } as unknown as PageView)).toBeNull();
});

test('an address is a path, or one of the domain with or without www', () => {
  expect(addressPath('/a?b=1', 'shop.test')).toBe('/a?b=1');
  expect(addressPath(' https://www.shop.test/a ', 'shop.test')).toBe('/a');
  expect(addressPath('shop.test', 'shop.test')).toBe('/');
  expect(addressPath('https://other.test/', 'shop.test')).toBeNull();
  expect(addressPath('//other.test/a', 'shop.test')).toBe('//other.test/a');
});
