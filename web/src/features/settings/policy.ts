// Rules of a crawler policy as the form has them, and as the service has them. Pure.
import type { Schemas } from '../../api/client';
import type { FormErrors } from '../../lib/form.svelte';
import * as m from '../../messages/settings';
import { linesOf } from '../../lib/lines';

export type PolicyKind = keyof typeof m.policyKinds;
export type PolicyAction = Schemas['PolicyRule']['action'];

/** The values of the form. */
export interface PolicyValues {
  mode: Schemas['CrawlerPolicy']['mode'];
  obeyRobotsTxt: boolean;
  rules: PolicyRow[];
}

export interface PolicyRow {
  kind: PolicyKind;
  /** Id of a crawler, company or purpose. */
  value: string;
  /** Patterns, one per line. */
  paths: string;
  action: PolicyAction;
  perMinute: number | null;
  text: string;
}

/** Purposes of crawlers, the most common ones first. */
export const PURPOSES = [
  'llm-training',
  'llm-search',
  'llm-user',
  'search',
  'seo',
  'preview',
  'monitor',
  'ads',
  'feed',
  'archive',
  'other',
];

/** Companies that run crawlers, by their id. */
export const PROVIDERS =
  'ahrefs alibaba allenai amazon anthropic apple baidu bing brave bytedance cohere commoncrawl dataforseo deepseek diffbot duckduckgo exa firecrawl google huawei internetarchive majestic meta microsoft mistral moonshot moz openai perplexity pinterest qwant semrush seznam sogou webz x yahoo yandex you zhipu other'.split(
    ' ',
  );

/** Returns a rule for one crawler. */
export const ruleFor = (crawler: string, paths = ''): PolicyRow => ({
  kind: 'crawler',
  value: crawler,
  paths,
  action: 'block',
  perMinute: null,
  text: '',
});

export function rowOf(rule: Schemas['PolicyRule']): PolicyRow {
  const [kind, value] = Object.entries(rule.match)[0] ?? ['every', ''];
  return {
    kind: kind as PolicyKind,
    value: typeof value === 'string' ? value : '',
    paths: (rule.paths ?? []).join('\n'),
    action: rule.action,
    perMinute: rule.perMinute ?? null,
    text: rule.text ?? '',
  };
}

export function sentRule({ kind, value, paths, action, perMinute, text }: PolicyRow): Schemas['PolicyRule'] {
  const match: Schemas['PolicyMatch'] =
    kind === 'every' ? {} : kind === 'unverified' ? { unverified: true } : { [kind]: value };
  return {
    match,
    paths: linesOf(paths),
    action,
    perMinute: action === 'limit' ? perMinute : null,
    text: text.trim() === '' ? null : text,
  };
}

/** Says what is wrong with rules, by the path of the field. */
export function policyErrors(rules: readonly PolicyRow[]): FormErrors {
  const errors: FormErrors = {};
  rules.forEach(({ kind, value, paths, action, perMinute, text }, index) => {
    const at = `rules.${index}`;
    if (kind === 'purpose' && value === 'search' && action !== 'allow') errors[`${at}.match`] = m.searchByName();
    const bad = linesOf(paths).find((path) => !path.startsWith('/'));
    if (bad !== undefined) errors[`${at}.paths`] = m.policyPathStart(bad);
    const isRate = perMinute !== null && Number.isInteger(perMinute) && perMinute >= 1 && perMinute <= 6000;
    if (action === 'limit' && !isRate) errors[`${at}.perMinute`] = m.perMinuteRange();
    if ([...text].length > 500) errors[`${at}.text`] = m.textTooLong();
  });
  return errors;
}
