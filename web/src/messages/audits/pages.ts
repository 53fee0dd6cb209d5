// Words of the table of audited pages.
import { counted } from '../../lib/numbers';

export * from './shared';

export const loadTime = () => 'Load time';
export const words = () => 'Words';
export const titleFact = () => 'Title';
export const indexable = () => 'Indexable';
export const lastCrawler = () => 'Last crawler';
export const yes = () => 'yes';
export const no = () => 'no';
export const never = () => 'never';
export const pagesLede = (pages: number, addresses: number) =>
  `${counted(pages, 'page', 'pages')} and ${counted(Math.max(0, addresses - pages), 'other address', 'other addresses')}: redirects, errors and forbidden addresses.`;
export const noPages = () => 'This audit read no page';
export const noPagesWithIssue = () => 'No page has this issue';
export const pathNotAudited = () => 'This audit did not read this address.';
