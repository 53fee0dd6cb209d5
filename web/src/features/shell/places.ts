// Pages of the sections and of the account that the palette leads to, by the words that somebody types for them.
import * as m from '../../messages/shell';
import { hasScreen } from '../../routes';

/** A page below a section. */
export interface Place {
  label: string;
  /** Section that the page is in. */
  note: string;
  /** Path below the domain. */
  path: string;
}

const PLACES: readonly Place[] = [
  { label: m.places.setup(), note: m.overview(), path: '/setup' },
  { label: m.places.prompts(), note: m.mentions(), path: '/mentions/prompts' },
  { label: m.places.answers(), note: m.mentions(), path: '/mentions/answers' },
  { label: m.places.sources(), note: m.mentions(), path: '/mentions/sources' },
  { label: m.places.competitors(), note: m.mentions(), path: '/mentions/competitors' },
  { label: m.places.reports(), note: m.mentions(), path: '/mentions/reports' },
  { label: m.places.readPages(), note: m.crawlers(), path: '/crawlers/pages' },
  { label: m.places.failures(), note: m.crawlers(), path: '/crawlers/errors' },
  { label: m.places.people(), note: m.crawlers(), path: '/crawlers/people' },
  { label: m.places.live(), note: m.crawlers(), path: '/crawlers/live' },
  { label: m.places.spoofed(), note: m.crawlers(), path: '/crawlers/spoofed' },
  { label: m.places.redirects(), note: m.settings(), path: '/settings/redirects' },
  { label: m.places.crawlerPolicy(), note: m.settings(), path: '/settings/crawler-policy' },
  { label: m.places.headers(), note: m.settings(), path: '/settings/headers' },
  { label: m.places.ignored(), note: m.settings(), path: '/settings/ignored' },
  { label: m.places.sitemap(), note: m.settings(), path: '/settings/sitemap' },
  { label: m.places.rootFiles(), note: m.settings(), path: '/settings/root-files' },
  { label: m.places.indexNow(), note: m.settings(), path: '/settings/indexnow' },
  { label: m.places.notFound(), note: m.settings(), path: '/settings/rendering' },
  { label: m.places.interval(), note: m.settings(), path: '/settings/rendering' },
  { label: m.places.schedule(), note: m.settings(), path: '/settings/audits' },
  { label: m.places.brand(), note: m.settings(), path: '/settings/brand' },
  { label: m.places.install(), note: m.settings(), path: '/settings/install' },
  { label: m.places.remove(), note: m.settings(), path: '/settings/remove' },
];

/** Returns the pages that match what was typed; none while nothing is, since the sections alone are a list to read. */
export function placesFor(typed: string): readonly Place[] {
  if (typed === '') return [];
  return PLACES.filter(({ label, path }) => label.toLowerCase().includes(typed) && hasScreen(`/d/:domain${path}`));
}
