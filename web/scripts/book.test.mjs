// Tests of the book: addresses, links, contents, and the book of this repository.
import path from 'node:path';
import { expect, test } from 'vitest';
import { addressOf, Book, readBook, readSummary } from './book.mjs';

const SUMMARY = `# Summary

[Contents](README.md)

# How-to

- [Deploying](deploying.md)
  - [Nodes](nodes.md)

# Reference

- [Settings](settings.md)
`;

/** A book of a few pages; every other file that a test names exists. */
function book(pages = {}, exists = () => true) {
  const all = {
    'docs/SUMMARY.md': SUMMARY,
    'docs/README.md': '# Contents\n\n- [Deploying](deploying.md)\n',
    'docs/deploying.md': '# Deploying\n',
    'docs/nodes.md': '# Nodes\n',
    'docs/settings.md': '# Settings\n\n## A `key` & more\n',
    ...pages,
  };
  return new Book(new Map(Object.entries(all)), exists);
}

test('the table of contents is read in the form of mdBook', () => {
  expect(readSummary(SUMMARY)).toEqual([
    { title: 'Contents', file: 'docs/README.md', part: '', depth: 0 },
    { title: 'Deploying', file: 'docs/deploying.md', part: 'How-to', depth: 0 },
    { title: 'Nodes', file: 'docs/nodes.md', part: 'How-to', depth: 1 },
    { title: 'Settings', file: 'docs/settings.md', part: 'Reference', depth: 0 },
  ]);
});

test('a page has an address without an ending', () => {
  expect(
    ['docs/README.md', 'docs/settings.md', 'docs/decisions/README.md', 'integrations/nginx/README.md'].map(addressOf),
  ).toEqual(['/docs', '/docs/settings', '/docs/decisions', '/docs/integrations/nginx']);
});

test('links lead to pages, their Markdown to Markdown, and code is left alone', () => {
  const one = book({
    'docs/deploying.md':
      '# Deploying\n\n[s](settings.md#a-key--more), `[s](settings.md)`, [n](../integrations/nginx/README.md)\n',
    'integrations/nginx/README.md': '# nginx\n\n[docs](../../docs/settings.md) [file](snippet.conf)\n',
  });

  expect(one.html('docs/deploying.md')).toContain(
    '<a href="/docs/settings#a-key--more">s</a>, <code>[s](settings.md)</code>',
  );
  expect(one.markdown('docs/deploying.md')).toContain(
    '[s](/docs/settings.md#a-key--more), `[s](settings.md)`, [n](/docs/integrations/nginx.md)',
  );
  expect(one.html('integrations/nginx/README.md')).toContain(
    '<a href="/docs/integrations/nginx/snippet.conf">file</a>',
  );
  expect([...one.files]).toEqual(['integrations/nginx/snippet.conf']);
  expect(one.problems).toEqual([]);
});

test('a link to a file that only developers read is its text', () => {
  const pages = { 'docs/deploying.md': '# Deploying\n\n[Architecture](../ARCHITECTURE.md) · [`s`](settings.md)\n' };

  expect(book(pages).markdown('docs/deploying.md')).toContain('Architecture · [`s`](/docs/settings.md)');
});

test('the document of the API is that of the service', () => {
  expect(book().resolve('docs/README.md', 'openapi.json')).toBe('/api/openapi.json');
});

test('a link to a file for developers is its text', () => {
  const one = book({ 'docs/deploying.md': '# Deploying\n\n[Architecture](../ARCHITECTURE.md)\n' });

  expect(one.html('docs/deploying.md')).toContain('<p>Architecture</p>');
});

test('a link, an anchor or a page that leads nowhere is a problem', () => {
  const one = book(
    {
      'docs/deploying.md': '# Deploying\n\n[a](none.md) [b](settings.md#none) [c](#none)\n',
      'docs/lost.md': '# Lost\n',
    },
    () => false,
  );

  one.build();

  expect(one.problems).toEqual([
    'docs/SUMMARY.md does not list docs/lost.md',
    'docs/deploying.md: there is no none.md',
    'docs/deploying.md: docs/settings.md has no heading #none',
    'docs/deploying.md: docs/deploying.md has no heading #none',
    ...Array(3).fill(expect.any(String)),
  ]);
});

test('an element in a sentence is a problem, and its name as code or escaped is text', () => {
  const one = book({
    'docs/deploying.md': '# Deploying\n\nAdd a <title>, no `<title>`, no \\<title>.\n\n<!-- A comment. -->\n',
  });

  const html = one.html('docs/deploying.md');

  expect(html).toContain('no <code>&lt;title&gt;</code>, no &lt;title&gt;.');
  expect(one.problems).toEqual(['docs/deploying.md: <title> is HTML, not text; mark it as code']);
});

test('every page leads on: to its neighbours, or to the list that it is in', () => {
  const one = book({ 'docs/decisions/README.md': '# Decisions\n', 'docs/decisions/a.md': '# A\n' });

  expect(one.html('docs/nodes.md')).toMatch(/rel="prev" href="\/docs\/deploying".*rel="next" href="\/docs\/settings"/);
  expect(one.html('docs/decisions/a.md')).toContain('<a rel="up" href="/docs/decisions">↑ Decisions</a>');
});

test('the contents are a list for each kind', () => {
  expect(book().html('docs/settings.md')).toContain(
    '</ul><h2>How-to</h2><ul><li class="depth-0"><a href="/docs/deploying">Deploying</a></li><li class="depth-1">',
  );
});

test('an empty cell is no heading of a table', () => {
  const one = book({
    'docs/nodes.md': '# Nodes\n\n| | |\n| --- | --- |\n| a | b |\n\n| | x |\n| --- | --- |\n| c | d |\n',
  });

  expect(one.html('docs/nodes.md').match(/<thead>/g)).toHaveLength(1);
  expect(one.html('docs/nodes.md')).not.toContain('<th></th>');
});

test('a page has no script of its own, no style, and marks where it is', () => {
  const html = book().html('docs/settings.md');

  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html).not.toMatch(/<style|style=/);
  expect(html).toContain('<li class="depth-0"><a href="/docs/settings" aria-current="page">Settings</a></li>');
});

test('the book of this repository has no problem, and its contents name every page of the table', () => {
  const one = readBook(path.resolve(import.meta.dirname, '../..'));

  const built = one.build();

  expect(one.problems).toEqual([]);
  const missing = one.summary.filter(
    ({ file }) => !built.get('llms.txt')?.includes(`(${addressOf(file)}.md)`) && file !== 'docs/README.md',
  );
  expect(missing).toEqual([]);
  expect([...new Set(one.summary.map(({ part }) => part))]).toEqual([
    '',
    'Tutorial',
    'How-to',
    'Reference',
    'Explanation',
  ]);
});
