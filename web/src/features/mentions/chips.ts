// Chips of an answer: what somebody must know before reading it. Pure.
import type { Schemas } from '../../api/client';
import type { SeverityKind } from '../../components/severity.svelte';
import * as m from '../../messages/mentions';

export interface AnswerChip {
  text: string;
  kind: SeverityKind | undefined;
}

type Run = Pick<Schemas['PromptRunView'], 'status' | 'finish' | 'retrieval' | 'demo' | 'provider'>;

/** Returns the chips of an answer, the most important first. `providers` tell which assistants a local server stands in for. */
export function chipsOf(
  run: Run,
  providers: readonly Pick<Schemas['ProviderStatus'], 'provider' | 'style'>[],
): AnswerChip[] {
  const chips: AnswerChip[] = [];
  const add = (text: string, kind?: SeverityKind) => chips.push({ text, kind });
  if (run.status === 'error') add(m.statusName('error'), 'error');
  else if (run.status === 'answered') add(m.beingAnalysed(), 'notice');
  else if (run.status !== 'ok') add(m.statusName(run.status), 'notice');
  if (run.finish === 'absent_overview') add(m.absentOverview(run.provider));
  if (run.finish === 'truncated') add(m.cutShort(), 'warning');
  const isAnswer = run.status === 'ok' || run.status === 'answered';
  if (isAnswer && run.retrieval === 'not_used') add(m.noSearch(), 'warning');
  if (isAnswer && run.retrieval === 'off') add(m.searchOff(), 'warning');
  if (run.demo) add(m.demoAnswer(), 'notice');
  else if (providers.some((one) => one.provider === run.provider && one.style === 'chat')) add(m.localModel());
  return chips;
}
