// Shared by the screens of AI mentions: the window and the filter of their figures, figures without sentinels, lists in JSON texts. Pure.
import type { Schemas } from '../../api/client';
import { percent, position, tone } from '../../lib/numbers';
import { day, dayOf, lastDays } from '../../lib/times';
import { readRange, type Range } from '../../lib/url-state';
import * as m from '../../messages/mentions';

export const ASSISTANTS = [
  'chatgpt',
  'perplexity',
  'gemini',
  'claude',
  'google_ai_overview',
  'google_ai_mode',
] as const;
export const INTENTS = ['info', 'comm', 'trans'] as const;
export const INTERVALS = ['dynamic', 'weekly', 'monthly'] as const;

/** Answers below which a rate is an early signal. */
export const EARLY = 10;

/** Parameter of the address that counts prompts with the own name in. */
const BRANDED = 'branded';

/** Filter of figures, as the service takes it. */
export interface MentionFilter {
  domain: string;
  from: string;
  to: string;
  branded?: 'false';
}

/** Returns a sentence of the service with its days as the dashboard writes them. */
export function withDays(sentence: string, now: Date): string {
  return sentence.replace(/\b\d{4}-\d{2}-\d{2}\b/g, (date) => day(date, now));
}

/** Decides whether prompts that name the brand are left out: unless the address says otherwise. */
export function leavesOutBranded(search: URLSearchParams): boolean {
  return search.get(BRANDED) !== 'yes';
}

/** Returns the parameters that leave prompts with the own name out, or count them. */
export function brandedChanges(isLeftOut: boolean): Record<string, string | null> {
  return { [BRANDED]: isLeftOut ? null : 'yes' };
}

/** Returns the filter that an address asks for: the days of its range, today the last one. */
export function filterOf(domain: string, search: URLSearchParams, now: Date): MentionFilter {
  const days = lastDays(readRange(search), now);
  return {
    domain,
    from: days[0] ?? dayOf(now),
    to: days.at(-1) ?? dayOf(now),
    ...(leavesOutBranded(search) && { branded: 'false' as const }),
  };
}

/** Returns the filter of as many days before those of another filter. */
export function filterBefore(filter: MentionFilter, range: Range): MentionFilter {
  const back = (day: string) => dayOf(new Date(Date.parse(day) - range * 86_400_000));
  return { ...filter, from: back(filter.from), to: back(filter.to) };
}

/** Returns the parameters of the address that hold on every tab. */
export function keptSearch(search: URLSearchParams): Record<string, string> {
  const kept = ['range', BRANDED].map((name) => [name, search.get(name)] as const);
  return Object.fromEntries(kept.filter((pair): pair is readonly [string, string] => pair[1] !== null));
}

/** Returns the figures of the window before; null when it, or this one, has too few answers to compare. */
export function earlierOf(
  before: Schemas['StatsSummary'] | undefined,
  now: Schemas['StatsSummary'] | undefined,
): Schemas['StatsSummary'] | null {
  return before !== undefined && before.totalResponses >= 5 && (now?.totalResponses ?? 0) > 0 ? before : null;
}

// ---- figures: 0 and −1 stand for "none" in the specification's lists and are never shown

interface Rated {
  responses: number;
  mentions: number;
  visibilityPercent: number;
  avgPosition: number;
  avgSentiment: number;
}

export const visibilityOf = (row: Rated) => (row.responses === 0 ? null : row.visibilityPercent);
export const positionOf = (row: Rated) => (row.mentions === 0 || row.avgPosition === 0 ? null : row.avgPosition);
export const toneOf = (row: Rated) => (row.mentions === 0 ? null : row.avgSentiment);
export const difficultyOf = (row: { difficulty: number }) => (row.difficulty < 0 ? null : row.difficulty);

/** Returns the figures of a summary in the form of those of a prompt. */
export function ratedOf(summary: Schemas['StatsSummary']): Rated {
  return {
    responses: summary.totalResponses,
    mentions: summary.totalMentions,
    visibilityPercent: summary.visibilityRate,
    avgPosition: summary.avgPosition,
    avgSentiment: summary.avgSentiment,
  };
}

export const percentText = (value: number | null | undefined) =>
  typeof value === 'number' ? percent(value) : m.none();
export const positionText = (value: number | null | undefined) =>
  typeof value === 'number' ? position(value) : m.none();
export const toneText = (value: number | null | undefined) => (typeof value === 'number' ? tone(value) : m.none());

/** Returns the words of an interval; empty without one. */
export function intervalText(low: number | null | undefined, high: number | null | undefined): string {
  return typeof low === 'number' && typeof high === 'number' ? m.interval(low, high) : '';
}

// ---- lists that the specification writes as texts

/** Reads a list that a field holds as JSON; empty when it holds none. */
export function listIn<T>(text: string): T[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as T[]) : [];
  } catch {
    return [];
  }
}

/** Splits tags. */
export function tagsOf(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
}

/** Decides whether a text can be the tags of a prompt. */
export function areTags(text: string): boolean {
  const tags = tagsOf(text);
  return tags.length <= 10 && tags.every((tag) => /^[a-z0-9-]{1,64}$/.test(tag));
}

/** Returns the report that a row of the list holds. */
export function reportIn(item: { reportJson: string }): Schemas['VisibilityReport'] {
  return JSON.parse(item.reportJson) as Schemas['VisibilityReport'];
}

/** Decides whether an answer is still on its way. */
export function isUnderWay(run: { status: string }): boolean {
  return run.status === 'queued' || run.status === 'running' || run.status === 'answered';
}

/** Decides whether a run counts: an assistant answered, and its answer was read. */
export function isResponse(run: { status: string; finish: string }): boolean {
  return run.status === 'ok' && run.finish !== 'absent_overview';
}
