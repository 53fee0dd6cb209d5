// The columns of the table of audited pages. Pure.
import type { Column } from '../../../components/table/table';
import * as m from '../../../messages/audits/pages';
import { fix } from '../../../messages/fixing';

/** Order of the table unless the address says another. */
export const DEFAULTS = { sort: 'path', order: 'asc' } as const;

export const COLUMNS: readonly Column[] = [
  { id: 'path', label: m.page(), sort: 'path', isWide: true },
  { id: 'healthScore', label: m.health(), sort: 'healthScore', align: 'end', firstOrder: 'asc' },
  { id: 'statusCode', label: m.status(), sort: 'statusCode', align: 'end', priority: 2 },
  { id: 'issueCount', label: m.issues(), sort: 'issueCount', align: 'end' },
  { id: 'previewScore', label: m.preview(), sort: 'previewScore', align: 'end', priority: 3, firstOrder: 'asc' },
  { id: 'inlinkCount', label: m.linkedFrom(), sort: 'inlinkCount', align: 'end', priority: 3 },
  { id: 'linkScore', label: m.linkScore(), sort: 'linkScore', align: 'end', priority: 3 },
  { id: 'depth', label: m.clicksColumn(), sort: 'depth', align: 'end', priority: 3 },
  { id: 'loadTimeMs', label: m.loadTime(), sort: 'loadTimeMs', align: 'end', priority: 3 },
  { id: 'htmlBytes', label: m.size(), sort: 'htmlBytes', align: 'end', isOptional: true },
  { id: 'wordCount', label: m.words(), sort: 'wordCount', align: 'end', isOptional: true },
  { id: 'title', label: m.titleFact(), sort: 'title', isOptional: true },
  { id: 'indexable', label: m.indexable(), sort: 'indexable', isOptional: true },
  { id: 'lastCrawlerVisit', label: m.lastCrawler(), sort: 'lastCrawlerVisit', isOptional: true, firstOrder: 'desc' },
];

/** The columns where the pages of an issue are shown: the fixes of a page stand in its row. */
export const FIXABLE: readonly Column[] = [...COLUMNS, { id: 'fix', label: fix(), align: 'end' }];

/** Fields of a page that the columns read. */
export const FIELDS = [
  'id',
  'path',
  'statusCode',
  'loadTimeMs',
  'healthScore',
  'previewScore',
  'indexable',
  'issueCount',
  'issues',
  'title',
  'htmlBytes',
  'wordCount',
  'inlinkCount',
  'linkScore',
  'depth',
  'lastCrawlerVisit',
].join(',');
