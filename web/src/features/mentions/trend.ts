// Charts of AI mentions: visibility, position and tone over days, and rates by assistant. Pure.
import type { Schemas } from '../../api/client';
import type { ChartModel, Series } from '../../components/charts/model';
import { percent, position, tone } from '../../lib/numbers';
import { day, dayOf, weekday } from '../../lib/times';
import { wilson } from '../../lib/wilson';
import * as m from '../../messages/mentions';
import { ASSISTANTS, isResponse } from './model';

type Entry = Schemas['TrendEntry'];
export type Measure = 'visibility' | 'position' | 'tone';

/** Trend of one assistant alone. */
export interface AssistantTrend {
  id: string;
  entries: readonly Entry[];
}

/** Colour of an assistant in charts. */
export const COLOURS: Record<string, string> = {
  chatgpt: 'openai',
  perplexity: 'perplexity',
  gemini: 'gemini',
  claude: 'anthropic',
  google_ai_overview: 'google',
  google_ai_mode: 'google-mode',
};
export const colourOf = (id: string) => COLOURS[id] ?? 'other';

const FORMATS = { visibility: percent, position, tone };

function valueOf(entry: Entry, measure: Measure): number | null {
  if (measure === 'visibility') return entry.visibilityPercent ?? null;
  return (measure === 'position' ? entry.avgPosition : entry.avgSentiment) ?? null;
}

/** Returns the assistants that answered on some day, in the order of all assistants. */
export function answering(entries: readonly Entry[]): string[] {
  return ASSISTANTS.filter((id) => entries.some((entry) => (entry.byProvider[id]?.responses ?? 0) > 0));
}

/**
 * Makes the chart of a measure over days: all assistants together with their interval, and each assistant as a line. Visibility
 * by assistant is in `entries`; position and tone by assistant are trends of their own.
 */
export function trendChart(
  entries: readonly Entry[],
  measure: Measure,
  apart: readonly AssistantTrend[],
  now: Date,
): ChartModel {
  const all: Series = {
    id: 'all',
    name: m.allAssistants(),
    colour: 'own',
    values: entries.map((entry) => valueOf(entry, measure)),
    ...(measure === 'visibility' && {
      low: entries.map((entry) => entry.ci?.[0] ?? null),
      high: entries.map((entry) => entry.ci?.[1] ?? null),
    }),
  };
  const names = answering(entries);
  const each = names.map((id): Series => {
    const own = apart.find((trend) => trend.id === id)?.entries ?? [];
    const values =
      measure === 'visibility'
        ? entries.map((entry) => entry.byProvider[id]?.visibilityPercent ?? null)
        : entries.map((_, index) => (own[index] === undefined ? null : valueOf(own[index], measure)));
    return { id, name: m.assistant(id), colour: colourOf(id), values };
  });
  const days = entries.filter((entry) => entry.responses > 0).length;
  const what = { visibility: m.visibility(), position: m.position(), tone: m.tone() }[measure];
  return {
    labels: entries.map((entry) => day(entry.date, now)),
    names: entries.map((entry) => weekday(entry.date)),
    series: names.length === 1 ? [all] : [all, ...each],
    sentence: m.trendSentence(what, days, names.length),
    format: (value) => FORMATS[measure](value),
    endsToday: entries.at(-1)?.date === dayOf(now),
  };
}

/** A row of rates by assistant. */
export interface AssistantRate {
  id: string;
  name: string;
  colour: string;
  rate: number | null;
  low: number | null;
  high: number | null;
  sample: number;
}

function rateOf(id: string, mentions: number, responses: number): AssistantRate {
  const found = wilson(mentions, responses);
  return {
    id,
    name: m.assistant(id),
    colour: colourOf(id),
    rate: found?.rate ?? null,
    low: found?.low ?? null,
    high: found?.high ?? null,
    sample: responses,
  };
}

/** Computes the visibility of each assistant over a window, from its days. */
export function ratesOf(entries: readonly Entry[]): AssistantRate[] {
  return answering(entries).map((id) => {
    const points = entries.flatMap((entry) => entry.byProvider[id] ?? []);
    const sum = (pick: (point: Schemas['ProviderPoint']) => number) =>
      points.reduce((total, point) => total + pick(point), 0);
    return rateOf(
      id,
      sum((point) => point.mentions),
      sum((point) => point.responses),
    );
  });
}

/** Computes the visibility of each assistant from answers. */
export function ratesOfRuns(runs: readonly Schemas['PromptRunView'][], assistants: readonly string[]): AssistantRate[] {
  return assistants.map((id) => {
    const own = runs.filter((run) => run.provider === id && isResponse(run));
    return rateOf(id, own.filter((run) => run.mentionPosition > 0).length, own.length);
  });
}
