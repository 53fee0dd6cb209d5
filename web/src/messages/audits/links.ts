// Words of links.
import { count, counted } from '../../lib/numbers';

export * from './shared';

export const linksWhat = () => 'links';
export const rel = () => 'Rel';
export const fromIs = (path: string) => `From: ${path}`;
export const toIs = (path: string) => `To: ${path}`;
export const linksLede = (links: number) => `${counted(links, 'link', 'links')} match, by the page they are on.`;
export const graphLede = () => 'Pages with the most links to them, on rings by clicks from the start page.';
export const viewGroup = () => 'View';
export const table = () => 'Table';
export const graph = () => 'Graph';
export const linkGraph = () => 'Link graph';
export const graphName = (pages: number, links: number) =>
  `Link graph: ${counted(pages, 'page', 'pages')}, ${counted(links, 'link', 'links')} between them`;
export const graphShows = (shown: number, all: number, links: number) =>
  `${count(shown)} of ${counted(all, 'page', 'pages')}, ${counted(links, 'link', 'links')}`;
export const graphHint = () => 'Point at a page, or use the arrow keys; Enter opens it.';
export const graphPages = () => 'Pages of the graph';
export const nodeTold = (path: string, inlinks: number, depth: number | null, code: number) =>
  `${path}: linked from ${counted(inlinks, 'page', 'pages')}, ${depth === null ? 'no way from the start' : counted(depth, 'click', 'clicks')}, ${code === 0 ? 'no answer' : String(code)}`;
export const legendGood = () => 'Health above 70';
export const legendWeak = () => 'Health to 70';
export const legendBad = () => 'Answers with an error';
