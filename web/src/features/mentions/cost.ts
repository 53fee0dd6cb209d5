// Questions and money that prompts will take, before they are added or asked. Pure. The service reserves the price of a question
// before it asks; a month is the schedule's, without failures.

/** Questions a month of a prompt to one assistant, by its interval. Dynamic prompts begin daily. */
const PER_MONTH: Record<string, number> = { dynamic: 30, weekly: 30 / 7, monthly: 1 };

/** An assistant and the price of a question to it, in US dollars. */
export interface Priced {
  provider: string;
  usdPerRun: number;
}

export interface CostPlan {
  /** Questions at once, and their price at most. */
  now: number;
  usdNow: number;
  /** Questions a month, and their price at most. */
  month: number;
  usdMonth: number;
}

/** Estimates what a number of new prompts takes. Paused prompts take nothing. */
export function costOf(
  prompts: number,
  assistants: readonly string[],
  interval: string,
  isPaused: boolean,
  prices: readonly Priced[],
): CostPlan {
  if (isPaused) return { now: 0, usdNow: 0, month: 0, usdMonth: 0 };
  const usd = prices
    .filter(({ provider }) => assistants.includes(provider))
    .reduce((sum, { usdPerRun }) => sum + usdPerRun, 0);
  const often = PER_MONTH[interval] ?? 0;
  return {
    now: prompts * assistants.length,
    usdNow: prompts * usd,
    month: Math.round(prompts * assistants.length * often),
    usdMonth: prompts * usd * often,
  };
}

/** Returns the part of a UTC month that is left. */
export function restOfMonth(now: Date): number {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const [start, end] = [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)];
  return (end - now.getTime()) / (end - start);
}

/** Splits a field of prompts into its prompts: one a line, each once. */
export function linesOf(text: string): string[] {
  return [...new Set(text.split('\n').map((line) => line.trim()))].filter(Boolean);
}
