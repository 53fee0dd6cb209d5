// Data of the kit. Made up, the same on each start.
import type { ChartModel, Series } from '../components/charts/model';
import { count, percent } from '../lib/numbers';
import type { Load, Refusal } from '../lib/refusal';
import { changedSearch, type UrlState } from '../lib/url-state';

/** Returns numbers between 0 and 1 that are the same on each start. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

const DAYS = 30;
const dates = Array.from({ length: DAYS }, (_, index) => new Date(Date.UTC(2026, 9, 27 + index)));
const labels = dates.map((date) =>
  date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
);
const names = dates.map((date) =>
  date.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }),
);

function visits(id: string, name: string, colour: string, level: number, seed: number): Series {
  const next = numbersFrom(seed);
  return { id, name, colour, values: dates.map(() => Math.round(level * (0.6 + 0.8 * next()))) };
}

function rates(id: string, name: string, colour: string, level: number, seed: number, gap = false): Series {
  const next = numbersFrom(seed);
  const values = dates.map((_, index) => (gap && index > 11 && index < 16 ? null : level + 6 * (next() - 0.5)));
  return {
    id,
    name,
    colour,
    values,
    low: values.map((value) => (value === null ? null : value - 3)),
    high: values.map((value) => (value === null ? null : value + 3)),
  };
}

export const bars: ChartModel = {
  labels,
  names,
  series: [
    visits('ai', 'AI crawlers', 's1', 180, 7),
    visits('search', 'Search engines', 's2', 110, 11),
    visits('other', 'Other', 'other', 30, 13),
  ],
  sentence: '30 days of crawler visits: about 320 a day.',
  format: count,
  endsToday: true,
};

export const byProvider: ChartModel = {
  ...bars,
  series: [
    visits('google', 'Google', 'google', 90, 3),
    visits('openai', 'OpenAI', 'openai', 80, 5),
    visits('anthropic', 'Anthropic', 'anthropic', 50, 17),
    visits('perplexity', 'Perplexity', 'perplexity', 40, 19),
    visits('microsoft', 'Microsoft', 'microsoft', 30, 23),
    visits('other', 'Other', 'other', 20, 29),
  ],
};

export const lines: ChartModel = {
  labels,
  names,
  series: [
    rates('chatgpt', 'ChatGPT', 'openai', 48, 31),
    rates('perplexity', 'Perplexity', 'perplexity', 41, 37, true),
    rates('gemini', 'Gemini', 'gemini', 29, 41),
  ],
  sentence: '30 days of visibility by assistant. ChatGPT is highest.',
  format: (value) => percent(value),
};

/** Returns data that is there. */
export function loaded<T>(data: T): Load<T> {
  return { data, refusal: null, isFetching: false, updatedAt: Date.now() - 540_000, retry: () => undefined };
}

/** Returns data that is refused. */
export function refused<T>(refusal: Refusal): Load<T> {
  return { data: undefined, refusal, isFetching: false, updatedAt: 0, retry: () => undefined };
}

/** Data that never comes. */
export const loading: Load<never> = {
  data: undefined,
  refusal: null,
  isFetching: true,
  updatedAt: 0,
  retry: () => undefined,
};

export interface Page {
  path: string;
  state: 'Fresh' | 'Stale' | 'Failing';
  status: number;
  bytes: number;
}

/** 50,000 rows. */
export const pages: Page[] = Array.from({ length: 50_000 }, (_, index) => ({
  path: `/docs/api/${['authentication', 'pages', 'rate-limits', 'search', 'webhooks'][index % 5]}/${index}`,
  state: index % 7 === 3 ? 'Failing' : index % 3 === 1 ? 'Stale' : 'Fresh',
  status: index % 7 === 3 ? 504 : 200,
  bytes: 20_000 + ((index * 7919) % 40_000),
}));

let search = $state('');

/** A query that is in no address. */
export const url: UrlState = {
  get search() {
    return new URLSearchParams(search);
  },
  set(changes) {
    search = changedSearch(new URLSearchParams(search), changes);
  },
};
