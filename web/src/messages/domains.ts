// Words of the list of domains, of adding one, and of the first run.
import { count, counted, list } from '../lib/numbers';

export const title = () => 'Domains';
export const what = () => 'domains';
export const addDomain = () => 'Add domain';
export const adding = () => 'Adding';
export const lede = (total: number) => `${counted(total, 'domain', 'domains')}, those that need attention first.`;
export const ledeNeeding = (needing: number, total: number) =>
  `${count(needing)} of ${counted(total, 'domain', 'domains')} ${needing === 1 ? 'needs' : 'need'} attention.`;
export const ledeCalm = (total: number) =>
  total === 1 ? 'Your domain needs no attention.' : `None of ${count(total)} domains needs attention.`;

export const domain = () => 'Domain';
export const status = () => 'Status';
export const visits = () => 'Visits';
export const visitsOf = (days: number) => `Visits of crawlers in ${counted(days, 'day', 'days')}.`;
export const health = () => 'Health';
export const visibility = () => 'AI visibility';
export const attention = () => 'Needs attention';
export const moreThings = (number: number) => `+${count(number)}`;
export const moreThingsName = (number: number) => counted(number, 'more thing', 'more things');
export const tag = () => 'Tag';
export const tags = () => 'Tags';
export const nothing = () => 'nothing';
export const noAudit = () => 'no audit';
export const noAnswers = () => 'no answers';
export const demo = () => 'Demo';
export const emptyTitle = () => 'No domain yet';
export const emptyText = () => 'Add a site. Nothing changes for its visitors until you point its DNS here.';

export const originHost = () => 'Origin host';
export const domainHint = () => 'The name that visitors use, such as example.com or shop.example.com.';
export const originHint = () =>
  'Where your app runs, if that is a different host, such as my-app.example.app. Visitors get the app from there, and pages are rendered from there.';
export const newLede = () => 'Nothing changes for your visitors until you point DNS here.';
export const enterDomain = () => 'Enter a domain, such as example.com.';
export const invalidDomain = () =>
  'This is not a domain name. Enter one such as example.com, without https:// and without a path.';
export const alreadyOwn = (name: string) => `${name} is already on your account.`;
export const alreadyElsewhere = () => 'This domain, with or without www, is connected by another account.';
export const suspended = () => 'This domain is suspended by the operator of this installation.';
export const invalidOrigin = () => 'This is not a usable host name. Enter one such as my-app.example.app.';
export const originIsDomain = () =>
  'The origin must be a different host from the domain; otherwise requests would go in circles.';
export const originIsEditor = () => 'This is where the site is edited. Enter the address where it is published.';
export const notAdded = () => 'The domain was not added.';
export const openDomain = (name: string) => `Open ${name}`;

export const firstTitle = () => 'Which site should crawlers read?';
export const installation = () => 'This installation';
export const installationWhat = () => 'The state of this installation';
export const openDemo = () => 'Open the demo';
/** Parts of an installation by their id. */
export const parts: Record<string, () => string> = {
  browser: () => 'Browser',
  database: () => 'Database',
  object_store: () => 'Snapshot storage',
  visit_store: () => 'Storage of crawler visits',
  addresses: () => 'Public addresses',
  public_url: () => 'Address of this service',
  mail: () => 'E-mail',
};
export const partName = (id: string) => parts[id]?.() ?? id.replaceAll('_', ' ');
/** Sentences of parts that are not as they should be, by id and state. */
const partNotes: Record<string, () => string> = {
  'browser broken': () => 'does not start: pages cannot be rendered',
  'browser note': () => 'runs on another machine',
  'database broken': () => 'does not answer',
  'object_store broken': () => 'does not answer: snapshots cannot be stored',
  'visit_store broken': () => 'does not answer: visits are kept until it does',
  'addresses note': () => 'not set: domains connect by a snippet',
  'addresses broken': () => 'not set: domains connect by a snippet',
  'public_url note': () => 'reachable from this machine only',
  'public_url broken': () => 'cannot be used',
  'mail note': () => 'not set up: no digests',
  'mail broken': () => 'does not answer: no digests',
};
const partStates: Record<string, () => string> = {
  ok: () => 'works',
  note: () => 'limited',
  broken: () => 'does not work',
};
export const partState = (id: string, state: string) =>
  partNotes[`${id} ${state}`]?.() ?? partStates[state]?.() ?? state;
export const assistants = () => 'AI assistants';
export const assistantsReady = (ready: string[], standIns: number) =>
  ready.length > 0 ? list(ready) : counted(standIns, 'local stand-in', 'local stand-ins');
export const assistantsOff = () => 'no key set: AI mentions are off';

export const auditMany = () => 'Audit';
export const refreshMany = () => 'Refresh';
export const tagMany = () => 'Tag';
const domains = (number: number) => counted(number, 'domain', 'domains');
export const auditTitle = (number: number) => `Audit ${domains(number)}?`;
export const auditText = () =>
  'Each audit counts towards the limits of your plan. A domain that is being audited already is left alone.';
export const refreshTitle = (number: number) => `Refresh ${domains(number)}?`;
export const refreshText = () =>
  'All pages of their sitemaps are rendered again, which counts towards the limits of your plan.';
export const tagTitle = (number: number) => `Tag ${domains(number)}`;
export const tagText = () => 'Tags group domains. The list is filtered by them.';
export const addTag = () => 'Add tag';
export const removeTag = () => 'Remove tag';
export const tagHint = () => 'Lower-case letters, digits and hyphens, such as customers.';
export const tagWrong = () => 'Enter a tag of lower-case letters, digits and hyphens.';
export const doneMany = {
  audit: (number: number) => `${counted(number, 'audit', 'audits')} started`,
  refresh: (number: number) => `${counted(number, 'refresh', 'refreshes')} started`,
  tag: (number: number) => `${domains(number)} tagged`,
  untag: (number: number) => `Tag removed from ${domains(number)}`,
};
export const failedMany = (names: readonly string[], reason: string) => `Not done for ${list(names)}: ${reason}`;
export const underWay = (done: number, all: number) => `${count(done)} of ${domains(all)}`;
