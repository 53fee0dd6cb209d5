// Fixes that are made where a fault is shown: a redirect, an ignored path, a rule of the crawler policy. Each is added to what is
// stored at that moment, says what it changed, and can be taken back.
import type { FixOutcome, FixRequest } from '../lib/fixes';
import { linesOf } from '../lib/lines';
import * as m from '../messages/fixing';
import { get, patch, put, type Schemas } from './client';
import { keepDetail } from './detail';
import { queryClient, read } from './queries';
import { sentenceOf } from './refreshing';
import { refusalOf } from './refusals';

type Detail = Schemas['DomainDetail'];
type Policy = Schemas['CrawlerPolicy'];

const inDomain = (domain: string) => ({ params: { path: { domain } } });

async function saveSettings(domain: string, body: Schemas['SettingsChange']): Promise<string[]> {
  const answer = await patch('/api/dashboard/domains/{domain}/settings', { ...inDomain(domain), body });
  keepDetail(domain, answer);
  return answer.invalidFields;
}

const readDetail = (domain: string): Promise<Detail> => get('/api/dashboard/domains/{domain}', inDomain(domain));

/** Adds a redirect before the others, in place of an earlier one with its source. */
async function addRedirect(domain: string, source: string, destination: string): Promise<FixOutcome> {
  const before = (await readDetail(domain)).redirectRules;
  const redirectRules = withRedirect(before, source, destination);
  if ((await saveSettings(domain, { redirectRules })).length > 0) return { problem: m.redirectRefused() };
  const undo = async () => void (await saveSettings(domain, { redirectRules: before }));
  return { change: { added: [m.redirectLine(source, destination)], note: m.redirectNote(), undo } };
}

/** Returns the rules with a new one at the first place, without an earlier one of the same source. */
export function withRedirect(
  rules: Detail['redirectRules'],
  source: string,
  destination: string,
): Detail['redirectRules'] {
  const others = rules.filter((rule) => rule.source !== source);
  return [{ source, destination, status: 301, preserveQuery: true }, ...others];
}

/** Adds a pattern to the ignored paths. */
async function ignorePath(domain: string, pattern: string): Promise<FixOutcome> {
  const before = (await readDetail(domain)).ignorePaths;
  if (linesOf(before).includes(pattern)) return { problem: m.ignoredAlready(pattern) };
  const ignorePaths = [...linesOf(before), pattern].join('\n');
  if ((await saveSettings(domain, { ignorePaths })).length > 0) return { problem: m.patternRefused() };
  const undo = async () => void (await saveSettings(domain, { ignorePaths: before }));
  return { change: { added: [pattern], note: m.ignoreNote(), undo } };
}

const POLICY = '/api/domains/{domain}/crawler-policy';

async function savePolicy(domain: string, body: Policy): Promise<void> {
  const answer = await put(POLICY, { ...inDomain(domain), body });
  queryClient.setQueryData(read(POLICY, inDomain(domain)).queryKey, answer);
}

/** Adds a rule that blocks a crawler at a path, before the others. A policy that is off begins to log. */
async function blockCrawler(domain: string, crawler: string, path: string): Promise<FixOutcome> {
  const before = await get(POLICY, inDomain(domain));
  const after = withBlock(before, crawler, path);
  await savePolicy(domain, after);
  const note = after.mode === 'enforce' ? m.ruleEnforced() : m.ruleLogged();
  return { change: { added: [m.ruleLine(crawler, path)], note, undo: () => savePolicy(domain, before) } };
}

/** Returns a policy whose first rule blocks a crawler at a path. */
export function withBlock(policy: Policy, crawler: string, path: string): Policy {
  const rule: Schemas['PolicyRule'] = {
    match: { crawler },
    paths: [path],
    action: 'block',
    perMinute: null,
    text: null,
  };
  return { ...policy, mode: policy.mode === 'off' ? 'log' : policy.mode, rules: [rule, ...(policy.rules ?? [])] };
}

/** Makes a fix. */
export async function makeFix(domain: string, { fix, from, to }: FixRequest): Promise<FixOutcome> {
  try {
    if (fix.kind === 'redirect') return await addRedirect(domain, from, to);
    if (fix.kind === 'ignore') return await ignorePath(domain, from);
    return await blockCrawler(domain, fix.crawler, fix.path);
  } catch (error) {
    return { problem: sentenceOf(refusalOf(error)) };
  }
}
