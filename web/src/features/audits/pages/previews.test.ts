// Previews and facts of a page: what crawlers find today against what its tags and scripts give.
import { expect, test } from 'vitest';
import type { AuditedPage } from '../types';
import { factRows } from './facts';
import { cutAt, sharedView } from './previews';

function page(socialTags: Record<string, string>, findings: string[] = []): AuditedPage {
  return {
    page: { path: '/blog/post?x=1', socialTags },
    findings: findings.map((issueId) => ({ issueId })),
    raw: { title: '', metaDesc: 'A description.' },
    rendered: { title: 'After scripts', metaDesc: 'A description.' },
  } as unknown as AuditedPage;
}

test('only Google sees today what scripts make', () => {
  const details = page({ 'og:title': 'Shared', 'og:image': '/a.png' }, ['OG_ONLY_AFTER_JS']);

  const [today, tags] = [sharedView(details, 'shop.test', 'today'), sharedView(details, 'shop.test', 'tags')];

  expect(today).toMatchObject({
    title: null,
    picture: null,
    searchTitle: 'After scripts',
    description: 'A description.',
  });
  expect(tags).toMatchObject({ title: 'Shared', picture: 'https://shop.test/a.png', searchTitle: 'After scripts' });
});

test('tags of the HTML are there today, and the title of a result is never one of them', () => {
  const view = sharedView(
    page({ 'twitter:title': 'Shared', 'twitter:card': 'summary_large_image' }),
    'shop.test',
    'today',
  );

  expect(view).toMatchObject({
    title: 'Shared',
    searchTitle: 'After scripts',
    isLarge: true,
    trail: 'https://shop.test › blog',
  });
});

test('with a snapshot everybody sees today what scripts make', () => {
  const details = { ...page({ 'og:image': '/a.png' }), originHealthScore: 41 };
  details.page = { ...details.page, title: 'In the snapshot', metaDesc: 'Whole.' };

  const view = sharedView(details, 'shop.test', 'today');

  expect(view).toMatchObject({ title: 'In the snapshot', description: 'Whole.', searchTitle: 'In the snapshot' });
  expect(view.picture).toBe('https://shop.test/a.png');
});

test('a picture that is no web address is none', () => {
  expect(sharedView(page({ 'og:image': 'javascript:alert(1)' }), 'shop.test', 'tags').picture).toBeNull();
  expect(sharedView(page({ 'og:image': 'data:image/png;base64,AA' }), 'shop.test', 'tags').picture).toBeNull();
});

test('facts stand side by side, the usual ones first, with those that differ marked', () => {
  const rows = factRows({ links: '0', title: 'One', h1: null }, { title: 'Two', links: '0', lang: 'en' });

  expect(rows.map(({ field }) => field)).toEqual(['title', 'h1', 'links', 'lang']);
  expect(rows.filter(({ isDifferent }) => isDifferent).map(({ field }) => field)).toEqual(['title', 'lang']);
});

test('nothing differs on a page that was not rendered', () => {
  expect(factRows({ title: 'One' }, null).map(({ isDifferent }) => isDifferent)).toEqual([false]);
});

test('texts are cut at a word, where the services cut them', () => {
  expect(cutAt('Short', 60)).toBe('Short');
  expect(cutAt('Hand-made stoneware mugs and bowls from the coast', 30)).toBe('Hand-made stoneware mugs and…');
  expect(cutAt('x'.repeat(80), 60)).toBe(`${'x'.repeat(59)}…`);
});
