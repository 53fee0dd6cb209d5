// Paths of files at the root: which may be one, what may stand there, and its usual type. The service decides.
import type { Schemas } from '../../api/client';

const NAMED = ['/sitemap.xml', '/BingSiteAuth.xml', '/.well-known/security.txt'];

/** Decides whether a path may be that of a file at the root. */
export function mayHold(path: string): boolean {
  return NAMED.includes(path) || /^\/[\w.~!$&'()*+,;=:@-]+\.(txt|html)$/.test(path);
}

/** Returns the sources that a file may have, the usual one first. */
export function sourcesFor(path: string): Schemas['RootFileSource'][] {
  if (path === '/robots.txt') return ['robots', 'text'];
  if (path === '/sitemap.xml') return ['sitemap', 'text'];
  return ['text'];
}

/** Returns the type that a file has by the ending of its path. */
export function typeFor(path: string): string {
  if (path.endsWith('.html')) return 'text/html; charset=utf-8';
  return path.endsWith('.xml') ? 'application/xml; charset=utf-8' : 'text/plain; charset=utf-8';
}
