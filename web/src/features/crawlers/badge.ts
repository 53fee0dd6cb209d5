// HTML of the badge, which people paste into their own pages. Pure.

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Returns a link with the badge as its picture. */
export function badgeCode(page: string, picture: string, alt: string): string {
  return `<a href="${escaped(page)}"><img src="${escaped(picture)}" alt="${escaped(alt)}" height="20"></a>`;
}
