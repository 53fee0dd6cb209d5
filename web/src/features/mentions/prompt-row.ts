// A row of the list of prompts: the prompt with its figures, and what the list is sorted by. Pure.
import type { Schemas } from '../../api/client';
import { difficultyOf, positionOf, toneOf, visibilityOf } from './model';

export interface PromptRow {
  prompt: Schemas['PromptView'];
  /** Null while the figures are not there. */
  stats: Schemas['PromptStats'] | null;
}

type Value = string | number | null;

const OF_STATS: Record<string, (stats: Schemas['PromptStats']) => Value> = {
  visibility: visibilityOf,
  position: positionOf,
  tone: toneOf,
  difficulty: difficultyOf,
  responses: (stats) => stats.responses,
  rival: (stats) => stats.topCompetitors[0]?.name ?? null,
  lastAsked: (stats) => stats.lastRunAt ?? null,
};

/** Returns the value that a row is sorted by; null, which stands last, when it has none. */
export function valueOf({ prompt, stats }: PromptRow, sort: string): Value {
  const ofStats = OF_STATS[sort];
  if (ofStats !== undefined) return stats === null ? null : ofStats(stats);
  if (sort === 'promptText') return prompt.promptText;
  if (sort === 'state') return prompt.active === 1 ? 0 : 1;
  if (sort === 'intent') return String(prompt.intent);
  if (sort === 'interval') return String(prompt.monitorInterval);
  return prompt.createdAt;
}
