// Shares of voice of the brand and its rivals: of the figures of a window, and of a report. Pure.
import type { Schemas } from '../../api/client';
import * as m from '../../messages/mentions';

/** A brand with its share of all mentions. */
export interface Voice {
  id: string;
  name: string;
  colour: string;
  /** Share in percent. */
  share: number;
  /** Answers that name it; null for all others together. */
  answers: number | null;
  /** Against the time before; null when that is not known. */
  change: number | null;
}

const SHOWN = 5;
const COLOURS = ['r1', 'r2', 'r3', 'r3', 'r3'];
const shareOf = (answers: number, all: number) => (all === 0 ? 0 : (100 * answers) / all);

function voices(brandName: string, own: Omit<Voice, 'id' | 'name' | 'colour'>, rivals: Omit<Voice, 'id' | 'colour'>[]) {
  const shown = rivals.slice(0, SHOWN);
  const rest = 100 - own.share - shown.reduce((sum, one) => sum + one.share, 0);
  const others = { id: 'rest', name: m.otherBrands(), colour: 'other', share: rest, answers: null, change: null };
  return [
    { id: 'own', name: brandName, colour: 'own', ...own },
    ...shown.map((one, index) => ({ id: `r ${one.name}`, colour: COLOURS[index] ?? 'r3', ...one })),
    // Shares are rounded: less than their error is nobody's.
    ...(rest >= 0.5 && rest < 100 ? [others] : []),
  ];
}

/** Returns the shares of a window; `before` is the window before, null when it has too little to compare with. */
export function voicesOf(
  now: Schemas['StatsSummary'] | undefined,
  before: Schemas['StatsSummary'] | null,
  brandName: string,
): Voice[] {
  if (now === undefined) return [];
  const rivals = now.topCompetitors.map(({ name, count }) => {
    const share = shareOf(count, now.totalVoices);
    const earlier = before?.topCompetitors.find((one) => one.name === name);
    const change = before === null || earlier === undefined ? null : share - shareOf(earlier.count, before.totalVoices);
    return { name, share, answers: count, change };
  });
  const change = before === null ? null : now.shareOfVoice - before.shareOfVoice;
  return voices(brandName, { share: now.shareOfVoice, answers: now.totalMentions, change }, rivals);
}

/** Returns the shares of a report. */
export function voicesIn({ brand, competitorLandscape, stats }: Schemas['VisibilityReport']): Voice[] {
  const rivals = competitorLandscape.competitors.map((one) => ({
    name: one.name,
    share: one.sharePct,
    answers: one.responses,
    change: one.deltaSharePct ?? null,
  }));
  const own = {
    share: competitorLandscape.ownSharePct ?? 0,
    answers: competitorLandscape.ownResponses,
    change: stats.shareOfVoice.delta ?? null,
  };
  return voices(brand.name, own, rivals);
}
