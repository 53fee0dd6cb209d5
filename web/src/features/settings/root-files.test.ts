// Paths of files at the root, as the screen judges them before the service does.
import { expect, test } from 'vitest';
import { mayHold, sourcesFor, typeFor } from './root-files';

test('a file at the root is a known one, or one segment that ends in .html or .txt', () => {
  const known = ['/robots.txt', '/sitemap.xml', '/google1.html', '/.well-known/security.txt', '/BingSiteAuth.xml'];
  for (const path of known) {
    expect(mayHold(path), path).toBe(true);
  }
  for (const path of ['', '/', 'robots.txt', '/a/b.txt', '/other.xml', '/.txt', '/a.txt?b']) {
    expect(mayHold(path), path).toBe(false);
  }
});

test('robots and sitemap stand at their own path only', () => {
  expect(sourcesFor('/robots.txt')).toEqual(['robots', 'text']);
  expect(sourcesFor('/sitemap.xml')).toEqual(['sitemap', 'text']);
  expect(sourcesFor('/llms.txt')).toEqual(['text']);
});

test('the ending says the type', () => {
  expect([typeFor('/a.html'), typeFor('/sitemap.xml'), typeFor('/a.txt')].map((type) => type.split(';')[0])).toEqual([
    'text/html',
    'application/xml',
    'text/plain',
  ]);
});
