// First steps of a domain, which tick themselves by what the service says. Used by the overview and the set-up.
import { createQuery } from '@tanstack/svelte-query';
import { recall, remember } from '../lib/storage';
import * as m from '../messages/setup';
import type { OverviewReport } from './answers';
import { readDetail } from './detail';
import { read } from './queries';

/** Screen on which a step is done. */
export type StepTarget = 'sitemap' | 'rendering' | 'audits' | 'prompts' | 'crawlers';

export interface ChecklistStep {
  id: 'rendered' | 'audited' | 'prompted' | 'shared';
  label: string;
  text: string;
  isDone: boolean;
  button: string;
  to: StepTarget;
}

/** Facts that the overview does not say. */
export interface StepFacts {
  sitemapUrl: string;
  /** Pages of the sitemap when it was last read. */
  sitemapPages: number;
  /** Prompts of the domain; null: the plan has none, or they could not be read. */
  prompts: number | null;
  isShared: boolean;
}

/** Returns the four steps of a domain, without that of prompts where there are none to be had. What could not be read is not said to be missing. */
export function checklistOf({ snapshots, health, unavailable }: OverviewReport, facts: StepFacts): ChecklistStep[] {
  const stored = snapshots?.total ?? 0;
  const hasSitemap = facts.sitemapUrl !== '';
  const rendered = hasSitemap && stored > 0 && stored >= facts.sitemapPages;
  const steps: ChecklistStep[] = [
    {
      id: 'rendered',
      label: m.checkRendered(),
      text: !hasSitemap
        ? m.checkNoSitemap()
        : facts.sitemapPages > stored && stored > 0
          ? m.checkRenderedSome(stored, facts.sitemapPages)
          : m.checkRenderedText(),
      isDone: rendered || snapshots === null,
      button: hasSitemap ? m.checkRender() : m.checkSitemap(),
      to: hasSitemap ? 'rendering' : 'sitemap',
    },
    {
      id: 'audited',
      label: m.checkAudited(),
      text: m.checkAuditedText(),
      isDone: health !== null || unavailable.includes('health'),
      button: m.checkAudit(),
      to: 'audits',
    },
    {
      id: 'prompted',
      label: m.checkPrompted(),
      text: m.checkPromptedText(),
      isDone: (facts.prompts ?? 0) > 0,
      button: m.checkPrompt(),
      to: 'prompts',
    },
    {
      id: 'shared',
      label: m.checkShared(),
      text: m.checkSharedText(),
      isDone: facts.isShared,
      button: m.checkShare(),
      to: 'crawlers',
    },
  ];
  return steps.filter(({ id }) => id !== 'prompted' || facts.prompts !== null);
}

/** First steps to show, and the way to be rid of them. */
export interface Checklist {
  /** Null while they are not known, and when there is nothing left to do or somebody has hidden them. */
  readonly steps: ChecklistStep[] | null;
  hide(): void;
}

/** Reads the first steps of a domain. Once all are done, or they are hidden, this browser does not ask again. Made while a component starts. */
export function createChecklist(domain: string, report: () => OverviewReport | undefined): Checklist {
  const memory = `steps.${domain}`;
  let isWanted = $state(recall(memory) !== 'hidden');
  const at = { params: { path: { domain } } };
  const detail = createQuery(() => ({ ...readDetail(domain), enabled: isWanted }));
  const prompts = createQuery(() => ({
    ...read('/api/ai-mentions/prompts', { params: { query: { domain } } }),
    enabled: isWanted,
  }));
  const sharing = createQuery(() => ({ ...read('/api/domains/{domain}/stats-token', at, 'live'), enabled: isWanted }));
  const steps = $derived.by(() => {
    const known = report();
    if (!isWanted || known === undefined) return null;
    if (detail.data === undefined || sharing.data === undefined || prompts.isPending) return null;
    return checklistOf(known, {
      sitemapUrl: detail.data.sitemapUrl,
      sitemapPages: detail.data.discoveredUrlCount,
      prompts: prompts.data?.length ?? null,
      isShared: sharing.data.enabled,
    });
  });

  function hide() {
    remember(memory, 'hidden');
    isWanted = false;
  }

  $effect(() => {
    if (steps?.every(({ isDone }) => isDone)) hide();
  });

  return {
    get steps() {
      return steps;
    },
    hide,
  };
}
