// Audit settings, as the form has them, and as it is sent. Pure.
import type { Schemas } from '../../api/client';
import type { FormErrors } from '../../lib/form.svelte';
import * as m from '../../messages/settings';
import { linesOf } from '../../lib/lines';

/** Answers of newer services have what robots.txt counts as. */
export type Auditing = Schemas['AuditingView'] & { robotsTxt?: string | null };

export interface NameAndValue {
  name: string;
  value: string;
}
export interface IgnoredFinding {
  issueId: string;
  pathPattern: string;
}
/** A rule that takes pieces of pages, or finds pages: `how` says what `what` is. */
export interface Extraction {
  name: string;
  how: 'selector' | 'regex';
  what: string;
  attribute: string;
  of: 'rendered' | 'raw';
}
export interface PageSearch {
  name: string;
  how: 'text' | 'regex';
  what: string;
  within: 'text' | 'source';
  of: 'rendered' | 'raw';
  inverted: boolean;
}

export interface Values {
  frequency: string;
  mode: string;
  include: string;
  exclude: string;
  dropParameters: string;
  maxPages: number | null;
  maxDepth: number | null;
  javascript: boolean;
  /** `obey`, `ignore`, or `own`: the text in place of the file. */
  robots: string;
  robotsText: string;
  requestsPerSecond: number | null;
  userAgent: string;
  /** Null: those that are stored stay. */
  headers: NameAndValue[] | null;
  /** Null: what is stored stays; an empty user: none. */
  basicAuth: { username: string; password: string } | null;
  enabledChecks: string[];
  disabledChecks: string[];
  thresholds: Record<string, number | null>;
  ignored: IgnoredFinding[];
  extractions: Extraction[];
  searches: PageSearch[];
  webhookUrl: string;
}

/** Returns what is stored as the form has it. */
export function valuesOf(stored: Auditing): Values {
  const robots = stored.robotsTxt ?? 'obey';
  const isOwn = robots !== 'obey' && robots !== 'ignore';
  return {
    frequency: stored.frequency.toLowerCase(),
    mode: stored.mode.toLowerCase(),
    include: stored.include.join('\n'),
    exclude: stored.exclude.join('\n'),
    dropParameters: stored.dropParameters.join('\n'),
    maxPages: stored.maxPages ?? null,
    maxDepth: stored.maxDepth ?? null,
    javascript: stored.javascript,
    robots: isOwn ? 'own' : robots,
    robotsText: isOwn ? robots : '',
    requestsPerSecond: stored.requestsPerSecond ?? null,
    userAgent: stored.userAgent ?? '',
    headers: null,
    basicAuth: null,
    enabledChecks: [...stored.enabledChecks],
    disabledChecks: [...stored.disabledChecks],
    thresholds: { ...stored.thresholds },
    ignored: stored.ignored.map(({ issueId, pathPattern }) => ({ issueId, pathPattern })),
    extractions: stored.extractions.map((rule) => ({
      name: rule.name,
      how: rule.regex ? 'regex' : 'selector',
      what: rule.regex ?? rule.selector ?? '',
      attribute: rule.attribute ?? '',
      of: rule.of === 'raw' ? 'raw' : 'rendered',
    })),
    searches: stored.searches.map((rule) => ({
      name: rule.name,
      how: rule.regex ? 'regex' : 'text',
      what: rule.regex ?? rule.text ?? '',
      within: rule.in === 'source' ? 'source' : 'text',
      of: rule.of === 'raw' ? 'raw' : 'rendered',
      inverted: rule.inverted === true,
    })),
    webhookUrl: stored.webhookUrl ?? '',
  };
}

/** Returns the change to send for the fields that differ. */
export function changeOf(changed: Partial<Values>, values: Values): Record<string, unknown> {
  const change: Record<string, unknown> = {};
  for (const key of ['include', 'exclude', 'dropParameters'] as const)
    if (key in changed) change[key] = linesOf(values[key]);
  for (const key of ['userAgent', 'webhookUrl'] as const) if (key in changed) change[key] = values[key].trim() || null;
  for (const key of [
    'frequency',
    'mode',
    'maxPages',
    'maxDepth',
    'javascript',
    'requestsPerSecond',
    'enabledChecks',
    'disabledChecks',
    'ignored',
  ] as const)
    if (key in changed) change[key] = values[key];
  if ('robots' in changed || 'robotsText' in changed)
    change.robotsTxt = values.robots === 'own' ? values.robotsText : values.robots;
  if (values.headers !== null) change.headers = values.headers.filter(({ name }) => name.trim() !== '');
  if (values.basicAuth !== null) change.basicAuth = values.basicAuth.username === '' ? null : values.basicAuth;
  if ('thresholds' in changed)
    change.thresholds = Object.fromEntries(Object.entries(values.thresholds).filter(([, number]) => number !== null));
  if ('extractions' in changed) change.extractions = values.extractions.map(sentExtraction);
  if ('searches' in changed) change.searches = values.searches.map(sentSearch);
  return change;
}

function sentExtraction({ name, how, what, attribute, of }: Extraction) {
  return { name, [how]: what, ...(how === 'selector' && attribute !== '' && { attribute }), of };
}

function sentSearch({ name, how, what, within, of, inverted }: PageSearch) {
  return { name, [how]: what, in: within, of, inverted };
}

/** Says what is wrong with fields before they are sent. */
export function validate(values: Values): FormErrors {
  const { maxPages, maxDepth, requestsPerSecond: rate, userAgent, webhookUrl } = values;
  const isOutside = (value: number | null, least: number, most: number) =>
    value !== null && (value < least || value > most || !Number.isInteger(value));
  const errors: FormErrors = {
    maxPages: isOutside(maxPages, 1, 1_000_000) ? m.wholeBetween(1, 1_000_000) : undefined,
    maxDepth: isOutside(maxDepth, 0, 1000) ? m.wholeBetween(0, 1000) : undefined,
    requestsPerSecond: rate !== null && (rate <= 0 || rate > 100) ? m.rateRange() : undefined,
    userAgent: userAgent.length > 300 ? m.userAgentLong() : undefined,
    webhookUrl: webhookUrl.trim() === '' || /^https?:\/\/[^/\s]/i.test(webhookUrl.trim()) ? undefined : m.notUrl(),
  };
  values.extractions.forEach(({ name, what }, index) => {
    if (name.trim() === '' || what.trim() === '') errors[`extractions.${index}`] = m.ruleIncomplete();
  });
  values.searches.forEach(({ name, what }, index) => {
    if (name.trim() === '' || what.trim() === '') errors[`searches.${index}`] = m.ruleIncomplete();
  });
  return errors;
}
