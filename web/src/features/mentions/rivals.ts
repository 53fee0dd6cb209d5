// Competitors of the brand profile together with their figures in the newest report. Pure.
import type { Schemas } from '../../api/client';

export type Standing = 'tracked' | 'discovered' | 'ignored';

export interface Rival {
  name: string;
  status: Standing;
  domains: string[];
  /** Figures of the report's seven days; null when no answer of them names it. */
  figures: Schemas['CompetitorShare'] | null;
}

const same = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase();

/** Joins profile and report. What only the report names is discovered. */
export function rivalsOf(
  profile: readonly Schemas['CompetitorBody'][],
  landscape: readonly Schemas['CompetitorShare'][],
): Rival[] {
  const known = profile.map((one): Rival => ({
    name: one.name,
    status: (one.status as Standing | undefined) ?? 'tracked',
    domains: one.domains ?? [],
    figures: landscape.find((found) => same(found.name, one.name)) ?? null,
  }));
  const found = landscape
    .filter((one) => !profile.some((other) => same(other.name, one.name)))
    .map((figures): Rival => ({ name: figures.name, status: 'discovered', domains: [], figures }));
  return [...known, ...found];
}

/** Returns the competitors with another standing of one of them, which is added when the profile lacks it. */
export function withStanding(
  profile: readonly Schemas['CompetitorBody'][],
  name: string,
  status: Standing,
): Schemas['CompetitorBody'][] {
  const isKnown = profile.some((one) => same(one.name, name));
  if (!isKnown) return [...profile, { name, aliases: [], domains: [], status }];
  return profile.map((one) => (same(one.name, name) ? { ...one, status } : one));
}

/** Returns the competitors with one that is tracked from now on; what the profile knows of it stays. */
export function withTracked(
  profile: readonly Schemas['CompetitorBody'][],
  name: string,
  domains: readonly string[],
): Schemas['CompetitorBody'][] {
  return withStanding(profile, name, 'tracked').map((one) =>
    same(one.name, name) ? { ...one, domains: [...new Set([...(one.domains ?? []), ...domains])] } : one,
  );
}

/** Decides whether a name cannot be added: it is the brand's own, or tracked already. */
export function isTaken(
  profile: { name: string; competitors: readonly { name: string; status?: string }[] },
  name: string,
): boolean {
  const isTracked = (one: { status?: string }) => (one.status ?? 'tracked') === 'tracked';
  return same(profile.name, name) || profile.competitors.some((one) => isTracked(one) && same(one.name, name));
}
