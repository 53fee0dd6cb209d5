// Titles of what needs attention, for the overview and for the list of domains.
import { counted } from '../lib/numbers';
import { limitName } from './limits';

/** Fields of an entry of what needs attention, or of what changed. */
export interface Facts {
  kind: string;
  count: number | null;
  subject: string | null;
  before: number | null;
  after: number | null;
}

/** Writes a kind that has no title here. */
export const plain = (kind: string) => {
  const words = String(kind).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
const attentionTitles: Record<string, (facts: Facts) => string> = {
  not_connected: () => 'The domain is not connected',
  crawl_errors: ({ count: visits }) =>
    `${counted(visits ?? 0, 'visit of a crawler was', 'visits of crawlers were')} answered with errors`,
  new_audit_errors: ({ count: found }) =>
    counted(found ?? 0, 'new error in the last audit', 'new errors in the last audit'),
  ai_crawlers_blocked: ({ count: blocked }) =>
    `${counted(blocked ?? 0, 'AI crawler', 'AI crawlers')} may not read the site`,
  snapshots_failing: ({ count: failing }) => `${counted(failing ?? 0, 'page', 'pages')} failed to render`,
  snapshots_stale: ({ count: stale }) =>
    counted(
      stale ?? 0,
      'snapshot is older than its refresh interval',
      'snapshots are older than their refresh interval',
    ),
  visibility_dropped: () => 'Assistants name you less often',
  limit_near: ({ subject }) => `${limitName(subject ?? '')}: near the limit`,
  limit_reached: ({ subject }) => `${limitName(subject ?? '')}: limit reached`,
};
export const attentionTitle = (facts: Facts) => attentionTitles[facts.kind]?.(facts) ?? plain(facts.kind);
