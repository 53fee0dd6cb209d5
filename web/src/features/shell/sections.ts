// The sections of a domain, in the order of the navigation, and their badges. Used by its three shapes, the palette and the keys.
import Bot from 'lucide/dist/esm/icons/bot.mjs';
import ClipboardCheck from 'lucide/dist/esm/icons/clipboard-check.mjs';
import LayoutDashboard from 'lucide/dist/esm/icons/layout-dashboard.mjs';
import MessageSquareQuote from 'lucide/dist/esm/icons/message-square-quote.mjs';
import ScanEye from 'lucide/dist/esm/icons/scan-eye.mjs';
import Settings2 from 'lucide/dist/esm/icons/settings-2.mjs';
import type { Answer } from '../../api/client';
import type { IconKind } from '../../components/icon.svelte';
import { count } from '../../lib/numbers';
import * as m from '../../messages/shell';
import { sectionLink, type Section } from '../../routes';

export interface SectionItem {
  section: Section;
  label: string;
  /** Label where there is little room; part of the label. */
  short: string;
  icon: IconKind;
  /** Second key after g. */
  key: string;
}

export const SECTIONS: readonly SectionItem[] = [
  { section: 'overview', label: m.overview(), short: m.overview(), icon: LayoutDashboard, key: 'o' },
  { section: 'rendering', label: m.rendering(), short: m.rendering(), icon: ScanEye, key: 'r' },
  { section: 'audits', label: m.audits(), short: m.audits(), icon: ClipboardCheck, key: 'a' },
  { section: 'mentions', label: m.mentions(), short: m.mentionsShort(), icon: MessageSquareQuote, key: 'm' },
  { section: 'crawlers', label: m.crawlers(), short: m.crawlers(), icon: Bot, key: 'c' },
  { section: 'settings', label: m.settings(), short: m.settings(), icon: Settings2, key: 's' },
];

/** Returns the address of a section; the start while no domain is known. */
export function addressOf(domain: string | null, section: Section): string {
  return domain === null ? '/' : sectionLink(domain, section);
}

/** The row of the current domain in the list of the account's domains. */
export type Site = Answer<'/api/dashboard/sites', 'get'>['sites'][number];

/** A number beside a section, and what it is read as. */
export interface SectionBadge {
  text: string;
  label: string;
}

/** Returns the badge of a section: what needs attention, and errors of the last audit; null without any. */
export function badgeOf(item: SectionItem, site: Site | undefined): SectionBadge | null {
  const [number, label] =
    item.section === 'overview'
      ? [site?.attention ?? 0, m.attentionBadge]
      : item.section === 'audits'
        ? [site?.errors ?? 0, m.errorsBadge]
        : [0, m.errorsBadge];
  if (number === 0) return null;
  return { text: number > 999 ? m.manyBadge() : count(number), label: label(item.label, number) };
}
