// The files of a run that the menu of exports offers: what the screen shows first, then the rest.
import type { MenuItem } from '../../components/layers/menu.svelte';
import * as m from '../../messages/audits/shared';
import { exportHref, type PageList } from './reads';

const OTHERS = ['pages', 'findings', 'links', 'external', 'resources', 'redirects', 'images', 'hreflang'] as const;

/** Returns the entries of the menu. */
export function exportItems(runId: string, what: string, list: PageList = {}): MenuItem[] {
  const item = (label: string, part: string, format: string, note?: string): MenuItem => ({
    label,
    ...(note !== undefined && { note }),
    onselect: () => download(exportHref(runId, part, format, part === what ? list : {})),
  });
  const name = m.exportParts[what]?.() ?? what;
  return [
    item(m.csv(), what, 'csv', name),
    item(m.ndjson(), what, 'ndjson', name),
    ...OTHERS.filter((part) => part !== what).map((part) =>
      item(m.exportParts[part]?.() ?? part, part, 'csv', m.csv()),
    ),
    item(m.exportParts.sitemap?.() ?? '', 'sitemap', 'xml', m.xml()),
  ];
}

function download(href: string): void {
  const anchor = document.createElement('a');
  [anchor.href, anchor.download] = [href, ''];
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
}
