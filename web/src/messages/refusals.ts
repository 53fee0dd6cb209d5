// Words for what is refused or fails: what happened, what it means, what to do.
import { count, counted } from '../lib/numbers';

export const notLoadedTitle = (what: string) => `${what} did not load`;
export const unavailable = (status: number) =>
  status === 0 ? 'The server does not answer. Your data is safe.' : `The server answered ${status}. Your data is safe.`;
export const failed = (status: number, code: string) =>
  status === 0
    ? 'Something on this page failed. Reloading may help.'
    : `The server answered ${status}${code === '' ? '' : `, ${code}`}.`;
export const slow = () => 'The server is taking a long time to answer. This page is still waiting.';
export const notUpdated = (when: string) => `Not updated since ${when}.`;
export const details = (what: string, status: number, code: string, requestId: string | null, at: string) =>
  `${what}\nstatus ${status}${code === '' ? '' : ` ${code}`}\nrequest ${requestId ?? 'unknown'}\n${at}`;

export const offlineTitle = () => 'You are offline.';
export const offlineText = () => 'What was loaded stays. New data comes when the connection is back.';

export const notFoundTitle = () => 'Not found';
export const notFoundPart = () => 'It does not exist, or it is on another account.';

export const waitTitle = () => 'Too many requests';
export const waitText = (left: string) => `Try again in ${left}.`;
export const waitOver = () => 'You can try again now.';

export const inactiveTitle = () => 'Account inactive';
export const inactiveBanner = () =>
  'Account inactive. Pages still pass to your origin; nothing new is rendered, audited or asked until the account is active.';

export const suspendedTitle = () => 'Domain suspended';
export const suspendedReason = () => 'The domain is suspended by the operator: nothing can be changed.';
/** Sentences for the reasons why nothing can be changed. */
export const blocks = {
  suspended: suspendedReason,
  viewer: () => 'A viewer changes nothing. An owner can give you another role.',
};
export const suspendedBanner = (domain: string) =>
  `${domain} is suspended by the operator. Nothing is rendered, audited, asked or changed; everything can be read, and the domain can be removed.`;

export const planTitle = (plan: string) => `This needs ${plan}`;
export const planTitleUnknown = () => 'This needs a higher plan';
export const planText = () => 'Everything else on this page works.';
export const plans: Record<string, () => string> = {
  essential: () => 'Essential',
  agency: () => 'Pro',
  business: () => 'Business',
  enterprise: () => 'Enterprise',
};
export const planName = (id: string) => plans[id]?.() ?? id;

/** Writes the title of a reached limit, by its code. */
export const limitTitle = (current: number | null, limit: number | null, code: string) => {
  const [one, other] = limitThings[code] ?? ['the plan', 'the plan'];
  return current === null || limit === null
    ? `The limit of your plan is reached: ${other}`
    : `${count(current)} of ${counted(limit, one, other)} used.`;
};
/** Names the counted things of a limit, by its code. */
export const limitThing = (code: string) => limitThings[code]?.[1] ?? 'the plan';
export const limitText = () => 'See your usage, or move to a higher plan.';
export const seeUsage = () => 'See usage';
/** Nouns of the limits by their code: one of them, and several. */
const limitThings: Record<string, readonly [one: string, other: string]> = {
  domain_limit_reached: ['domain', 'domains'],
  key_limit_reached: ['API key', 'API keys'],
  people_limit_reached: ['person', 'people'],
  webhook_limit_reached: ['webhook', 'webhooks'],
  render_limit_reached: ['render', 'renders'],
  on_demand_limit_reached: ['audit', 'audits'],
  max_pages_per_month_limit_reached: ['audited page', 'audited pages'],
  prompt_limit_reached: ['prompt', 'prompts'],
  monitor_limit_reached: ['active prompt', 'active prompts'],
  provider_limit_reached: ['assistant per prompt', 'assistants per prompt'],
  redirect_limit_reached: ['redirect rule', 'redirect rules'],
};

export const nothingNew = () => 'No page is new or changed since the last audit, so there is nothing to audit.';
export const conflict = (code: string) => conflicts[code]?.() ?? `That is not possible now (${code}).`;
const conflicts: Record<string, () => string> = {
  role_forbidden: () => 'Your role in this account does not allow that. An owner can change it.',
  sign_in_by_proxy: () => 'The proxy in front signs people in here; passwords are not taken.',
};
export const invalid = () => 'Some of the values cannot be used.';
export const signedOut = () => 'Your session ended.';

export const newVersion = () => 'A new version is there';
export const reload = () => 'Reload';
