// The verdict of a view, and the words that it rests on.
import { expect, test } from 'vitest';
import type { PageView } from '../../api/answers';
import { compareTexts, verdictOf } from './verdict';

const person = { status: 200, finalUrl: '', partial: false, words: 4, text: 'Simple pricing\nTeam $9', picture: null };
const crawler = {
  source: 'stored' as const,
  snapshotKey: 'k',
  createdAt: '2026-11-20T12:00:00.000Z',
  status: 200,
  location: null,
  headers: [],
  htmlBytes: 1,
  html: '',
  htmlCut: false,
  markdown: null,
  markdownTokens: 0,
  words: 4,
  text: 'Simple pricing\nTeam $9',
  picture: null,
};
const raw = { status: 200, finalUrl: '', htmlBytes: 1, words: 0, text: '', picture: null };
const view = (parts: Partial<PageView>) => ({ person, crawler, raw, problems: [], ...parts }) as PageView;
const said = (parts: Partial<PageView>) => verdictOf(view(parts), compareTexts(view(parts)));

test('equal texts are said to be equal, beside what there would be without the service', () => {
  expect(said({})).toBe(
    'A crawler gets all 4 words that people see. Without Glasshouse it would get a page without any text.',
  );
});

test('words that only people see are counted', () => {
  expect(said({ crawler: { ...crawler, text: 'Simple pricing\nTeam' }, raw: null })).toBe(
    'A crawler misses 1 of the 4 words that people see.',
  );
});

test('words that only crawlers get are no loss', () => {
  expect(said({ crawler: { ...crawler, text: 'Simple pricing\nTeam $9\nFooter' }, raw: null })).toBe(
    'A crawler gets all 4 words that people see.',
  );
});

test('another status, a redirect and a failed page come before words', () => {
  expect(said({ crawler: { ...crawler, status: 404 } })).toBe('People get status 200, a crawler gets 404.');
  expect(said({ crawler: { ...crawler, location: '/new' } })).toBe('Crawlers are sent to /new.');
  expect(said({ person: { ...person, status: 500 }, crawler: null })).toBe('The page answers people with status 500.');
});

test('an empty page whose requests fail says which ones', () => {
  const empty = { person: { ...person, words: 0, text: '' }, crawler: { ...crawler, words: 0, text: '' } };
  const problems = ['GET /api/prices answered 401', 'a script failed: TypeError: a is undefined'];
  expect(said({ ...empty, problems })).toBe(
    'People see no words on this page, and a crawler gets no more: GET /api/prices answered 401; a script failed: TypeError: a is undefined.',
  );
  expect(said({ person: { ...person, words: 400 }, problems })).toMatch(/^A crawler gets all/);
});

test('nothing stored says so', () => {
  expect(said({ crawler: null })).toMatch(/^Nothing is stored for crawlers yet\. Without Glasshouse/);
});
