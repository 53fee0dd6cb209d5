// Words of a domain's settings: general, redirects, headers, ignored paths, sitemap, rendering, brand, install, remove.
import { count, counted } from '../lib/numbers';

export * from './auditing';
export * from './policy';

export const section = () => 'Settings';
export const general = () => 'General';
export const redirects = () => 'Redirects';
export const headers = () => 'Headers';
export const ignored = () => 'Ignored paths';
export const sitemap = () => 'Sitemap';
export const rendering = () => 'Rendering';
export const audits = () => 'Audits';
export const brand = () => 'Brand';
export const install = () => 'Install';
export const remove = () => 'Remove';

export const saved = () => 'Saved.';
export const savedPartly = () => 'Saved, except for the marked fields.';
export const notSaved = (why: string) => `Nothing was saved. ${why}`;
export const planText = () => 'Nothing was saved. What is stored stays as it is.';
export const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;

// ---- general
export const originTitle = () => 'Where pages come from';
export const originHost = () => 'Origin host';
export const originHint = (domain: string) =>
  `Host that serves your app, with its port if it is not the default. Leave empty for ${domain} itself.`;
export const originSilent = () =>
  'Saved, but this host does not answer. People and crawlers get an error until it does.';
/** Sentences of why an origin host was refused, by the code of the answer. */
export const originRefusals: Record<string, () => string> = {
  invalid_origin_host: () => 'This is not a host name. Enter one such as shop.example.net.',
  origin_host_same_as_domain: () =>
    'The domain cannot be its own origin: requests would go in circles. Leave it empty.',
  origin_host_is_editor_url: () =>
    'This is the address of the editor of a site builder. Use that of the published site.',
};
export const preferredHost = () => 'Preferred host';
export const preferredHint = () => 'The other one redirects to it.';
export const preferredRefused = () => 'Not saved: a subdomain has no versions with and without www to choose from.';
export const anyHost = () => 'Both, without a redirect';
export const apexHost = () => 'Without www';
export const wwwHost = () => 'With www';
export const onDemand = () => 'Render on demand';
export const onDemandHint = () =>
  'A page that was never rendered is rendered when a crawler asks for it. Off: it gets the page of your origin.';

// ---- redirects
export const redirectsLede = () => 'The first rule that matches wins. People and crawlers are redirected alike.';
export const rules = () => 'Rules';
export const ruleCount = (rulesNumber: number) => counted(rulesNumber, 'rule', 'rules');
export const noRules = () => 'No rule yet. Add one, or paste them from a spreadsheet.';
export const number = () => 'No.';
export const from = () => 'From';
export const to = () => 'To';
export const statusOf = () => 'Status';
export const keepQuery = () => 'Keep query';
export const order = () => 'Order';
export const ofRule = (field: string, rule: number) => `${field}, rule ${count(rule)}`;
export const permanent = () => '301 permanent';
export const temporary = () => '307 temporary';
export const fromExample = () => '/old/*';
export const toExample = () => '/new/$1';
export const addRule = () => 'Add rule';
export const moveUp = (rule: number) => `Move rule ${count(rule)} up`;
export const moveDown = (rule: number) => `Move rule ${count(rule)} down`;
export const removeRule = (rule: number) => `Remove rule ${count(rule)}`;
export const rulesShown = (first: number, last: number, total: number) =>
  `${count(first)} to ${count(last)} of ${counted(total, 'rule', 'rules')}`;
export const earlierRules = () => 'Earlier rules';
export const laterRules = () => 'Later rules';
export const firstRules = () => 'These are the first ones.';
export const lastRules = () => 'These are the last ones.';
export const fromMissing = () => 'Enter the path that is redirected.';
export const fromStart = () => 'A path begins with a slash.';
export const toMissing = () => 'Enter where it leads.';
export const toStart = () => 'Use a path that begins with one slash, or an address with https.';
/** Sentences of why a rule was refused, by the field that the service names. */
export const ruleRefusals: Record<string, () => string> = {
  source: () => 'Not saved: this pattern cannot be used. A wildcard is a whole segment: * for one, ** for the rest.',
  destination: () => 'Not saved: it leads in a circle, is not a usable address, or names a wildcard that From lacks.',
  status: () => 'Not saved: the status is 301 or 307.',
};
export const ruleRefused = (field: string) => ruleRefusals[field]?.() ?? 'Not saved: these rules cannot be used.';

export const pasteCsv = () => 'Paste CSV';
export const pasteText = () =>
  'One rule per line: from, to, status, keep query. Status and keep query may be left out.';
export const pasteHint = () => 'Separate values by commas, semicolons or tabs; a first line with headings is skipped.';
export const pasteFound = (rulesNumber: number, unused: number) =>
  unused === 0
    ? `${counted(rulesNumber, 'rule', 'rules')} found.`
    : `${counted(rulesNumber, 'rule', 'rules')} found; ${counted(unused, 'line', 'lines')} without a from and a to left out.`;
export const pasteNothing = () => 'No rule was found in the text.';
export const addRules = () => 'Add rules';

export const testTitle = () => 'Test an address';
export const testText = () => 'By the rules as they stand above, saved or not. Nothing is fetched.';
export const testAddress = () => 'Address to test';
export const testAs = () => 'As';
export const asCrawler = () => 'Crawler';
export const asPerson = () => 'Person';
export const test = () => 'Test';
export const result = () => 'Result';
export const decision = (what: string, status: number | null, location: string | null) =>
  what === 'redirect'
    ? `Redirect ${status ?? ''} to ${location ?? ''}`
    : what === 'snapshot'
      ? 'Gets the snapshot'
      : what === 'refused'
        ? `Is refused with ${status ?? ''}`
        : 'Passes to the origin';
export const reason = (why: string, rule: number | null, pattern: string | null, stored: boolean | null) => {
  if (why === 'redirect_rule')
    return rule === null ? 'A redirect rule matches.' : `Rule ${count(Number(rule) + 1)} matches.`;
  if (why === 'preferred_host') return 'By the preferred host.';
  if (why === 'ignored_path')
    return pattern === null ? 'An ignored path matches.' : `The ignored path ${pattern} matches.`;
  if (why === 'static_asset') return 'The address is that of a file, not of a page.';
  if (why === 'crawler_policy') return 'By the crawler policy.';
  if (why === 'person') return 'People always get the app of the origin.';
  return stored === false ? 'No rule matches, and nothing is stored yet.' : 'No rule matches.';
};
export const testIssue = (path: string, message: string) => {
  const rule = /\.(\d+)\./.exec(path)?.[1];
  return rule === undefined ? sentence(message) : `Rule ${count(Number(rule) + 1)}: ${message}`;
};

// ---- headers
export const headersLede = () => 'Added to the answers of your domain. All rules that match apply, later ones last.';
export const noHeaderRules = () => 'No rule yet.';
export const ruleTitle = (rule: number) => `Rule ${count(rule)}`;
export const pathPattern = () => 'Path pattern';
export const headerNameLabel = () => 'Name';
export const headerValueLabel = () => 'Value';
export const ofHeader = (field: string, rule: number, header: number) =>
  `${field}, rule ${count(rule)} header ${count(header)}`;
export const headerName = () => 'Use letters, digits and hyphens.';
export const addHeader = (rule: number) => `Add header to rule ${count(rule)}`;
export const removeHeader = (rule: number, header: number) => `Remove header ${count(header)} of rule ${count(rule)}`;
export const mostHeaders = (most: number) => `A rule has at most ${counted(most, 'header', 'headers')}.`;
export const mostRules = (most: number) => `At most ${count(most)} are allowed.`;

// ---- ignored paths
export const ignoredLede = () =>
  'Pages below these paths are never rendered: crawlers get them as your origin sends them.';
export const patternsTitle = () => 'Patterns';
export const patternHint = () => 'Begins with a slash. * is one segment or a part of it, ** at the end is the rest.';
export const patternStart = (line: string) => `“${line}” does not begin with a slash.`;
export const tooManyPatterns = (lines: number) => `At most 500 patterns; these are ${count(lines)}.`;
export const patternsRefused = () => 'Not saved: a pattern cannot be used. Other settings are unchanged.';
export const matches = () => 'Matches';
export const noPatterns = () => 'No path is ignored.';
export const matchesOf = (matched: number, total: number) =>
  `${count(matched)} of ${counted(total, 'stored page matches', 'stored pages match')}.`;
export const lineIs = (line: number, message: string) => `Line ${count(line)}: ${message}`;
export const byLine = (line: number) => `line ${count(line)}`;

// ---- sitemap
export const sitemapLede = (address: string, pages: number) =>
  address === ''
    ? 'No sitemap is known yet.'
    : pages === 0
      ? 'No pages are known from this sitemap yet. Read it again to look for them.'
      : `${counted(pages, 'page', 'pages')} found when it was last read.`;
export const sitemapAddress = () => 'Sitemap address';
export const sitemapHint = () => 'Saving a new address reads it. Leave empty for none.';
export const sitemapNotUrl = () => 'Enter a whole address, such as https://shop.example/sitemap.xml.';
export const sitemapRefusals: Record<string, () => string> = {
  fetch_failed: () => 'This sitemap could not be fetched. What was stored stays.',
  parse_failed: () => 'This is not a sitemap. What was stored stays.',
  no_sitemap: () => 'Neither robots.txt nor /sitemap.xml names a sitemap.',
};
export const readAgain = () => 'Read again';
export const readingSitemap = () => 'Reading';
export const sitemapRead = (pages: number) => `The sitemap names ${counted(pages, 'page', 'pages')}.`;

// ---- rendering
export const freshness = () => 'Freshness';
export const refreshInterval = () => 'Refresh interval';
export const refreshHint = () => 'Age at which a stored page is rendered again, from one minute to 365 days.';
export const interval = () => 'Interval';
export const unitOf = (field: string) => `Unit of ${field.charAt(0).toLowerCase()}${field.slice(1)}`;
export const units = { minutes: () => 'minutes', hours: () => 'hours', days: () => 'days' };
export const intervalRange = () => 'Use one minute to 365 days.';
export const readiness = () => 'When a page is ready';
export const waitForSelector = () => 'Wait for selector';
export const waitHint = () => 'CSS selector that must match before a page counts as ready. Usually not needed.';
export const fetching = () => 'What pages may not load';
export const blockedAddresses = () => 'Blocked addresses';
export const blockedHint = () => 'One per line, at most 100. * stands for any characters.';
export const whoIsAnswered = () => 'Who gets snapshots';
export const verifiedOnly = () => 'Verified crawlers only';
export const verifiedHint = () => 'Visitors that only claim to be a crawler get the page from your origin.';
export const agents = () => 'AI agents';
export const markdown = () => 'Send Markdown to agents that ask for it';
export const markdownHint = () =>
  'An agent asks by naming text/markdown in its Accept header. The Markdown is made from the snapshot and holds the same content. No user agent gets it unasked.';
export const queryParameters = () => 'Query parameters';
export const queryModeLabel = () => 'Parameters that lead to a different page';
export const queryAll = () => 'All except tracking parameters';
export const queryAllHint = () => 'Tracking parameters, such as utm_source and gclid, never change a page.';
export const queryListed = () => 'Only these';
export const queryHint = () => 'One name per line.';

// ---- brand
export const brandLede = () =>
  'Names that AI mentions look for in answers. Spacing, case and accents make no difference.';
export const yourBrand = () => 'Your brand';
export const derived = () => 'from the domain, not saved yet';
export const recomputing = (done: number, total: number) =>
  `Answers are analysed again with these names: ${count(done)} of ${count(total)}.`;
export const brandName = () => 'Brand name';
export const aliases = () => 'Aliases';
export const aliasesHint = () => 'Further names, one per line, at most 50.';
export const brandDomains = () => 'Domains';
export const brandDomainsHint = () => 'One per line; subdomains are included.';
export const nameMissing = () => 'Enter a name.';
export const nameTooLong = () => 'Use at most 80 characters.';
export const competitors = () => 'Competitors';
export const competitorStates = {
  tracked: () => 'Tracked',
  discovered: () => 'Discovered',
  ignored: () => 'Ignored',
};
export const noCompetitors = () => 'No competitor yet. Brands that answers name are added automatically.';
export const addCompetitor = () => 'Add competitor';
export const mostCompetitors = (most: number) => `At most ${counted(most, 'competitor', 'competitors')}.`;
export const ofCompetitor = (field: string, competitor: number) => `${field}, competitor ${count(competitor)}`;
export const removeCompetitor = (competitor: string, position: number) =>
  competitor === '' ? `Remove competitor ${count(position)}` : `Remove ${competitor}`;
export const name = () => 'Name';
export const state = () => 'State';
export const actions = () => 'Actions';
export const monitoring = () => 'Monitoring';
export const budget = () => 'Monthly budget';
export const budgetHint = () =>
  'Leave empty for no limit. Once it is spent, assistants are not asked until the next month.';
export const budgetNegative = () => 'A budget cannot be negative.';
export const dollars = () => 'USD';
export const digest = () => 'Digest';
export const digestHint = () => 'By e-mail, to the address of the account.';
export const digests = { off: () => 'Off', daily: () => 'Daily', weekly: () => 'Weekly' };
export const webhook = () => 'Webhook address';
export const reportWebhookHint = () => 'Called when a report is ready. Leave empty for none.';
export const place = () => 'Place of new prompts';
export const notUrl = () => 'Enter a whole address that begins with https.';
export const secretTitle = () => 'Webhook secret';
export const secretText = () => 'Calls are signed with it. Copy it now; it is not shown again.';
export const secret = () => 'Secret';

// ---- install
export const installLede = (domain: string) =>
  `Two ways to send the crawlers of ${domain} here; people still get your app.`;
export const byDns = () => 'By DNS';
export const byDnsText = () => 'Point the domain at this service; nothing changes in your app.';
export const seeRecords = () => 'See the records';
export const doesItWork = () => 'Does it work?';
export const doesItWorkText = () =>
  'A check requests a page as a crawler and as a person, and says what is wrong and how to fix it.';
export const checkTheSite = () => 'Check the site';
export const withoutDns = () => 'Without changing DNS';
export const platform = () => 'Platform';
const fillKey = () => 'Fill in an API key where it says so.';
const fillAddresses = () => 'Fill in the addresses of the edge and of your app where it says so.';
export const fillIn = {
  'cloudflare-workers': fillKey,
  vercel: fillKey,
  netlify: fillKey,
  nextjs: fillKey,
  express: fillKey,
  fastify: fillKey,
  nginx: fillAddresses,
  apache: fillAddresses,
  caddy: fillAddresses,
};
export const apiKeys = () => 'API keys';
export const snippet = () => 'The file';
export const snippetFor = (name_: string) => `File for ${name_}`;
export const copySnippet = () => 'Copy snippet';
export const noSnippet = () => 'This build has no file for this platform. Connect the domain by DNS.';

// ---- remove
export const removeDomain = () => 'Remove domain';
export const removeText = (domain: string) =>
  `Crawlers of ${domain} get your origin again. Snapshots, audits and visits are deleted; API keys of the domain stay.`;
export const removeTitle = (domain: string) => `Remove ${domain}?`;
export const removeWarning = () =>
  'Change its DNS records first; otherwise visitors get no answer. Deleted data cannot be restored.';
export const typeToConfirm = (domain: string) => `Type ${domain} to confirm`;
export const typeFirst = () => 'Type the name of the domain first.';
export const keepDomain = () => 'Keep domain';
export const removed = (domain: string) => `${domain} was removed.`;
