// Words of starting and stopping an audit.
import { count, counted } from '../../lib/numbers';

export * from './shared';

export const starting = () => 'Starting';
export const startText = (domain: string) =>
  `Reads pages of ${domain} from its own server, renders some, and scores them.`;
export const mode = () => 'Pages to audit';
export const follow = () => 'Follow links';
export const followHint = () => 'From the start page, or from the addresses below, to all pages that links lead to.';
export const sitemapMode = () => 'Sitemap';
export const sitemapHint = () => 'The pages that the sitemap lists.';
export const selected = () => 'Only these addresses';
export const selectedHint = () => 'No link is followed.';
export const addresses = () => 'Addresses';
export const followAddressesHint = (root: string) => `One per line. Leave empty for ${root}`;
export const selectedAddressesHint = () => 'One per line, each with https:// and on this domain.';
export const enterAddresses = () => 'Enter at least one address.';
export const lineProblem = (line: number, message: string, all: number) =>
  `Address ${count(line)} ${message}.${all > 1 ? ` ${count(all)} addresses cannot be used.` : ''}`;
export const fieldProblem = (message: string) => `This address ${message}.`;
export const sitemapAddress = () => 'Sitemap address';
export const sitemapAddressHint = () => 'Leave empty for the sitemap of the domain.';
export const noSitemap = () => 'The domain has no sitemap. Enter the address of one, or follow links.';
export const sample = () => 'Sample large groups of pages';
export const sampleHint = () => 'Of large groups of similar pages, some are read and stand for the rest.';
export const newOnly = () => 'Only new pages';
export const newOnlyHint = () => 'Pages that are new or changed since the last audit.';
export const newOnlyOff = () => 'Works with the sitemap, which says when pages changed.';
export const auditsUsed = (used: number, limit: number) =>
  limit < 0
    ? `${counted(used, 'audit', 'audits')} started this month.`
    : `Audits used this month: ${count(used)} of ${count(limit)}.`;
export const noAuditsInPlan = () => 'Your plan has no audits.';
export const inactive = () => 'The account is inactive, so no audit starts. What was audited can be read.';
export const suspended = () => 'The domain is suspended by the operator, so no audit starts.';
