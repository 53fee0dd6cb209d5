// Addresses that strangers wrote, before they become links. Pure.

/** Page that shows the use of the plan: the way out of its limits. */
export const USAGE = '/account/usage';

/** Returns the address when it is an absolute http or https address; else null, and the text is shown without a link. */
export function outwardLink(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null;
}

/** Returns the absolute address of a path of a site. Without its first slash a path would be a part of the host. */
export function siteAddress(domain: string, path: string): string {
  return `https://${domain}${path.startsWith('/') ? '' : '/'}${path}`;
}

/** Returns a path of the dashboard that an address bar named, or `/`: never another host, never the page of signing in. */
export function returnPath(value: string | null): string {
  const isPath = value !== null && /^\/(?![/\\])/.test(value) && !/\p{Cc}/u.test(value);
  return isPath && !value.startsWith('/sign-in') ? value : '/';
}
