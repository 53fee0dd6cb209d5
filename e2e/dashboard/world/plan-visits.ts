// Visits of the made world: two months of a site with documentation, and of a smaller one. The same for the same day.
import type { CrawlerName, Visits } from './visits.ts';

const WEIGHTS: readonly (readonly [CrawlerName, number])[] = [
  ['googlebot', 9],
  ['gptbot', 6],
  ['oaisearchbot', 5],
  ['claudebot', 4],
  ['perplexitybot', 4],
  ['bingbot', 4],
  ['chatgptuser', 3],
  ['applebot', 2],
  ['ahrefsbot', 2],
  ['metaexternal', 1],
];
const PAGES = ['/', '/pricing', '/docs', '/blog/markdown-vs-rich-text', '/blog/comparison', '/features', '/changelog'];

/** A number from 0 to 1 that depends on its arguments alone. */
function chance(...of: number[]): number {
  const sum = of.reduce(
    (total, value, index) => total + (value + 1) * [12.9898, 78.233, 37.719, 93.989][index % 4]!,
    0,
  );
  const value = Math.sin(sum) * 43758.5453;
  return value - Math.floor(value);
}

/** Visits of the documentation's site: growing, calmer at weekends, with a bad day, new pages and an impostor. */
export function docsVisits(days: number): Visits[] {
  const found: Visits[] = [];
  const today = Math.floor(Date.now() / 86_400_000);
  for (let daysAgo = 0; daysAgo < days; daysAgo += 1) {
    const isWeekend = [2, 3].includes((today - daysAgo) % 7);
    const level = (1 + (days - daysAgo) / days) * (isWeekend ? 0.6 : 1);
    for (const [order, [crawler, weight]] of WEIGHTS.entries()) {
      const guides = Array.from(
        { length: 9 },
        (_, index) => `/docs/${Math.floor(chance(daysAgo, order, index) * 900)}`,
      );
      for (const [index, page] of [...PAGES, ...guides].entries()) {
        const count = Math.round((weight * level * (0.6 + chance(daysAgo, order, index, 7))) / (1 + index / 3));
        if (count === 0) continue;
        const way = chance(index, daysAgo, order);
        found.push({
          daysAgo,
          crawler,
          path: page,
          count,
          servedBy: way < 0.08 ? 'render' : way < 0.11 ? 'origin' : 'cache',
        });
      }
    }
  }
  found.push({ daysAgo: 2, crawler: 'googlebot', path: '/old-offer', count: 17, status: 404 });
  found.push({ daysAgo: 1, crawler: 'oaisearchbot', path: '/docs/withdrawn', count: 9, status: 404 });
  found.push({ daysAgo: 1, crawler: 'gptbot', path: '/api/plans', count: 12, status: 503, servedBy: 'origin' });
  found.push({ daysAgo: 1, crawler: 'claudebot', path: '/reference', count: 4 });
  found.push({ daysAgo: 3, crawler: 'gptbot', path: '/pricing', count: 41, isSpoofed: true });
  found.push({ daysAgo: 9, crawler: 'gptbot', path: '/docs', count: 23, isSpoofed: true });
  return found;
}

/** Visits of a small site: few crawlers, few pages, and pages that fail since a week. */
export function smallVisits(days: number): Visits[] {
  const found: Visits[] = [];
  for (let daysAgo = 0; daysAgo < days; daysAgo += 1) {
    for (const [order, [crawler, weight]] of WEIGHTS.slice(0, 5).entries()) {
      found.push({ daysAgo, crawler, path: '/', count: 1 + Math.round(weight * chance(daysAgo, order)) });
    }
    if (daysAgo < 7)
      found.push({ daysAgo, crawler: 'googlebot', path: '/shop', count: 3, status: 500, servedBy: 'origin' });
  }
  return found;
}
