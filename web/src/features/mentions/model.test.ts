// Rules of the figures of AI mentions: windows, sentinels, lists in texts.
import { expect, test } from 'vitest';
import {
  areTags,
  brandedChanges,
  difficultyOf,
  filterBefore,
  filterOf,
  isResponse,
  leavesOutBranded,
  listIn,
  positionOf,
  toneOf,
  visibilityOf,
  withDays,
} from './model';

const now = new Date('2026-11-25T23:30:00Z');
const none = { responses: 4, mentions: 0, visibilityPercent: 0, avgPosition: 0, avgSentiment: 0 };

test('a window ends today, UTC, and leaves prompts with the own name out unless the address counts them', () => {
  expect(filterOf('shop.test', new URLSearchParams(), now)).toEqual({
    domain: 'shop.test',
    from: '2026-10-27',
    to: '2026-11-25',
    branded: 'false',
  });
  expect(filterOf('shop.test', new URLSearchParams('range=7&branded=yes'), now)).toEqual({
    domain: 'shop.test',
    from: '2026-11-19',
    to: '2026-11-25',
  });
  expect(leavesOutBranded(new URLSearchParams(brandedChanges(false) as Record<string, string>))).toBe(false);
});

test('the window before has as many days and ends the day before', () => {
  const filter = filterOf('shop.test', new URLSearchParams('range=7'), now);

  expect(filterBefore(filter, 7)).toMatchObject({ from: '2026-11-12', to: '2026-11-18' });
});

test('0 and −1 that stand for "none" are no figures', () => {
  expect(positionOf(none)).toBeNull();
  expect(toneOf(none)).toBeNull();
  expect(visibilityOf(none)).toBe(0);
  expect(visibilityOf({ ...none, responses: 0 })).toBeNull();
  expect(difficultyOf({ difficulty: -1 })).toBeNull();
  expect(difficultyOf({ difficulty: 0 })).toBe(0);
  expect(toneOf({ ...none, mentions: 2 })).toBe(0);
});

test('an overview that Google did not show, and an answer that is not read yet, are no responses', () => {
  expect(isResponse({ status: 'ok', finish: 'complete' })).toBe(true);
  expect(isResponse({ status: 'ok', finish: 'absent_overview' })).toBe(false);
  expect(isResponse({ status: 'answered', finish: 'complete' })).toBe(false);
});

test('texts that hold no list are an empty list', () => {
  expect(listIn('[1]')).toEqual([1]);
  expect(listIn('{"a":1}')).toEqual([]);
  expect(listIn('')).toEqual([]);
});

test('tags are small letters, digits and hyphens, at most ten', () => {
  expect(areTags('docs, api-2')).toBe(true);
  expect(areTags('')).toBe(true);
  expect(areTags('Docs')).toBe(false);
  expect(areTags('a,b,c,d,e,f,g,h,i,j,k')).toBe(false);
});

test('days in sentences of the service are written like all others', () => {
  const now = new Date('2026-11-26T12:00:00Z');

  expect(withDays('Since 2026-11-24: place 4 before.', now)).toBe('Since 24 Nov: place 4 before.');
});
