// Rules of links that others wrote.
import { expect, test } from 'vitest';
import { outwardLink, returnPath, siteAddress } from './links';

test('only http and https become links', () => {
  expect(outwardLink('https://lumadocs.io/a?b#c')).toBe('https://lumadocs.io/a?b#c');
  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    '/a',
    'lumadocs.io',
    'JAVASCRIPT:1',
    'file:///etc/passwd',
  ]) {
    expect(outwardLink(address), address).toBeNull();
  }
});

test('signing in returns to a path of the dashboard and nowhere else', () => {
  expect(returnPath('/d/lumadocs.io/audits?q=a')).toBe('/d/lumadocs.io/audits?q=a');
  for (const value of [
    null,
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/sign-in?next=/',
  ]) {
    expect(returnPath(value), String(value)).toBe('/');
  }
});

test('a path that an address bar named stays on its site', () => {
  expect(siteAddress('lumadocs.io', '/a?b=1')).toBe('https://lumadocs.io/a?b=1');
  for (const path of [
    '@evil.example/',
    '.evil.example/',
    ':81@evil.example/',
    '//evil.example/',
    '\\\\evil.example/',
    '',
  ]) {
    expect(new URL(siteAddress('lumadocs.io', path)).host, path).toBe('lumadocs.io');
  }
});
