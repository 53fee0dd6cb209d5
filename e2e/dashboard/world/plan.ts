// Who and what is in the made world. Names, passwords and questions are the same in every one.
import type { Account, Plan } from './accounts.ts';

/** The domain that everything is about. */
export const MAIN = 'lumadocs.test';
export const OWNER: Account = { email: 'anna@lumadocs.test', password: 'seventeen calm herons' };
/** One account for each plan; the first is the owner's. */
export const ACCOUNTS: readonly { plan: Plan; account: Account; domains: string[] }[] = [
  { plan: 'business', account: OWNER, domains: [MAIN, 'notelab.test', 'orchard-tools.test', 'quarrybooks.test'] },
  { plan: 'agency', account: { email: 'ben@harbour.test', password: 'nine slow tugboats' }, domains: ['harbour.test'] },
  { plan: 'essential', account: { email: 'cleo@kiln.test', password: 'two warm ovens' }, domains: ['kiln.test'] },
  { plan: 'enterprise', account: { email: 'dora@atlas.test', password: 'forty old maps' }, domains: ['atlas.test'] },
];
/** A domain of the owner that is not connected: its records still lead elsewhere. */
export const PENDING = 'handbook-hq.test';
/** A domain that the operator has locked. */
export const LOCKED = 'quarrybooks.test';

/** Days of visits, and of answers, before today. */
export const VISIT_DAYS = 60;
export const ANSWER_DAYS = 30;

export const BRANDS = [
  `LumaDocs=${MAIN}`,
  'Notchly=notchly.com',
  'PaperTrail=papertrail.app',
  'Quillbase=quillbase.com',
  'Draftwell=draftwell.co',
];
export const PROFILE = {
  name: 'LumaDocs',
  aliases: ['Luma Docs'],
  domains: [MAIN],
  competitors: [
    { name: 'Notchly', domains: ['notchly.com'], status: 'tracked' },
    { name: 'PaperTrail', domains: ['papertrail.app'], status: 'tracked' },
    { name: 'Quillbase', domains: ['quillbase.com'], status: 'tracked' },
    // A word that the stand-ins begin sentences with.
    { name: 'Reviewers', domains: [], status: 'ignored' },
  ],
};
export const PROMPTS = [
  { promptText: 'What is the best documentation tool for startups?', intent: 'comm', tags: 'core' },
  { promptText: 'Which tools host developer documentation?', intent: 'info', tags: 'core' },
  { promptText: 'Best alternative to Notchly for technical writers', intent: 'comm', tags: 'rivals' },
  { promptText: 'How do I publish an API reference with runnable examples?', intent: 'info', tags: 'api' },
  { promptText: 'Documentation software with review before publishing', intent: 'comm', tags: 'core' },
  { promptText: 'Which knowledge base is good for support teams?', intent: 'comm', tags: 'support' },
  { promptText: 'Is LumaDocs any good?', intent: 'info', tags: 'brand' },
  { promptText: 'What does a documentation platform cost for ten people?', intent: 'trans', tags: 'prices' },
];

export const SETTINGS = {
  preferredHost: 'apex',
  redirectRules: [
    { source: '/guides/*', destination: '/docs/$1', status: 301 },
    { source: '/pricing-2023', destination: '/pricing', status: 301 },
    { source: '/webinar', destination: '/blog/post/12', status: 307, preserveQuery: true },
  ],
  customResponseHeaders: [
    { pathPattern: '/docs/**', headers: [{ name: 'cache-control', value: 'public, max-age=600' }] },
    { pathPattern: '/blog/**', headers: [{ name: 'x-robots-tag', value: 'max-image-preview:large' }] },
  ],
  ignorePaths: '/account/**\n/search\n/docs/part/**',
};
