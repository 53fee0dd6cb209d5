// Words of the set-up of a domain: records, what is seen of them, what stands in the way, snippets.
import { count, counted, list } from '../lib/numbers';

export const title = (domain: string) => `Connect ${domain}`;
export const domains = () => 'Domains';
export const lede = () =>
  'Add these records where you manage DNS. This page keeps checking and turns green on its own; you can leave it.';
export const ledeSnippet = () =>
  'This installation has no public addresses that DNS could point to: connect from your own server with a snippet. This page keeps checking and turns green on its own; you can leave it.';
export const ledeConnected = () => 'Crawlers get snapshots, people get your app. The records stay here for reference.';
export const checkNow = () => 'Check now';
export const checking = () => 'Checking';
export const checkWait = (left: string) => `Six checks a minute are allowed. The next one is in ${left}.`;
export const checkSuspended = () => 'A suspended domain is not checked.';

export const progress = () => 'Progress';
export const stepAdd = () => 'Add the domain';
export const stepPoint = () => 'Point DNS here';
export const stepPointFound = (found: number, total: number) =>
  `${count(found)} of ${counted(total, 'record', 'records')}`;
export const stepServer = () => 'Connect your server';
export const stepPointNone = () => 'By a snippet, without DNS records';
export const stepVerify = () => 'Verify with a test crawl';
export const stepVerifyOpen = () => 'Starts automatically';
export const stepVerifyEdge = () => 'Came through DNS';
export const stepVerifyApi = () => 'Came through your server';
export const stepVisit = () => 'First crawler visit';
export const stepVisitOpen = () => 'Usually within a day';
export const stepVisits = (visits: number) => `${count(visits)} in 30 days`;
export const stepDone = () => 'done';

export const records = () => 'DNS records';
export const copyAll = () => 'Copy all';
export const copyValue = (type: string, name: string) => `Copy value of ${type} ${name}`;
export const type = () => 'Type';
export const name = () => 'Name';
export const value = () => 'Value';
export const ttl = () => 'TTL';
export const seen = () => 'What we see';
export const noRecords = () => 'No records to show';
export const noRecordsText = () =>
  'This installation does not know its public addresses, so DNS cannot point here. Connect from your own server, or ask its operator to set them.';
export const states = {
  unchecked: () => 'Not checked yet',
  found: () => 'Found',
  missing: () => 'Not found yet',
  conflict: () => 'Points elsewhere',
  proxied: () => 'Behind a proxy',
  unknown: () => 'DNS did not answer',
};
export const foundInstead = (found: readonly string[]) => `Found ${list(found)}. Replace it.`;
export const foundProxy = (found: readonly string[]) => `Found ${list(found)}, which hides the record.`;
export const provesOwner = () => 'Proves that the site is yours.';

export const checked = (when: string) => `Checked ${when}.`;
export const neverChecked = () => 'Not checked yet.';
export const nextIn = (left: string) => `Next check in ${left}.`;
export const pausedHidden = () => 'Checks pause while this page is in the background.';
export const noMoreChecks = () => 'No more checks are needed.';
export const checkFailed = (status: number) =>
  status === 0
    ? 'The server does not answer; the next check tries again.'
    : `The check failed with ${count(status)}; the next one tries again.`;
export const checkOffline = () => 'You are offline. Checks go on when the connection is back.';
export const checkInactive = () => 'The account is inactive, so domains are not checked.';

export const conflictTitle = (host: string, found: readonly string[]) => `${host} points at ${list(found)}.`;
export const conflictText = (value: string) =>
  `Until you change it, some crawlers go there instead. Change the value of that record to ${value}.`;
export const proxyTitle = (domain: string) => `A CDN stands in front of ${domain}.`;
export const proxyText = () =>
  'It hides the records, so they cannot be compared. Set the record to “DNS only” there, or connect from your own server.';
export const lookupTitle = () => 'DNS did not answer.';
export const lookupText = () => 'The records may be right; the next check asks again.';
export const probeTitle = () => 'A test crawl did not arrive here.';
export const probeText = () =>
  'The records are correct. DNS caches may still hold the old ones until their TTL runs out.';
export const probeEdgeTitle = () => 'A test crawl arrived here.';
export const probeEdgeText = () => 'DNS points here, but the TXT record that proves ownership is missing.';

export const help = () => 'If it does not turn green';
export const helpProxy = () => 'Proxied by Cloudflare?';
export const helpProxyText = () => 'An orange cloud hides your address. Set the record to “DNS only”.';
export const helpTtl = () => 'Changed a moment ago?';
export const helpTtlText = () => 'DNS servers keep an old answer until its TTL runs out, often for an hour.';
export const helpTxt = () => 'Why a TXT record?';

export const where = () => 'Where your app runs';
export const originHost = () => 'Origin host';
export const originHint = () =>
  'Visitors get your app from here, and pages are rendered from here. Leave empty for the domain itself.';
export const originSave = () => 'Save origin host';
export const originSaved = () => 'Origin host saved.';
export const originSaving = () => 'Saving';
export const originSilent = () => 'Saved. It does not answer at the moment.';
export const originInvalid = () => 'This is not a usable host name. Enter one such as my-app.example.app.';
export const originIsDomain = () =>
  'The origin must be a different host from the domain; otherwise requests would go in circles.';
export const originIsEditor = () => 'This is where the site is edited. Enter the address where it is published.';

export const snippets = () => 'Or connect without changing DNS';
export const platform = () => 'Platform';
export const copySnippet = () => 'Copy snippet';
export const snippetOf = (platformName: string) => `Snippet for ${platformName}`;
export const snippetStatus = () =>
  'With a snippet the domain shows the status Via API. Everything else works the same.';
export const snippetLoopback = () =>
  'This address is reachable from this machine only: a server elsewhere cannot use the snippet. Open the dashboard at the public address of this service first.';
export const placeKey = () => 'an API key in place of __API_KEY__';
export const placeApp = () => 'host and port of your app in place of __APP_ADDRESS__';
export const placeEdge = () => 'host and port of the edge of this installation in place of __EDGE_ADDRESS__';
export const fillIn = (places: readonly string[]) => `Fill in ${list(places)}.`;
export const createKey = () => 'Create a key';
export const snippetMissing = () => 'The snippet did not load. Reload the page.';

export const connected = (domain: string) => `${domain} is connected`;
export const connectedTitle = (domain: string) => `${connected(domain)}.`;
export const connectedDns = () => 'DNS points here. The first crawler that visits gets a snapshot.';
export const connectedPlain = () => 'The first crawler that visits through this service gets a snapshot.';
export const noRecordsConnected = () =>
  'This installation does not list its public addresses, so there are no records to compare.';
export const connectedApi = () => 'Your own server asks for snapshots. The first crawler that visits gets one.';
export const firstCrawl = () => 'See your first crawl';
export const whatRecords = () => 'The DNS records';
export const whatDomain = () => 'The domain';

export const today = () => 'What crawlers see today';
export const todaySub = () =>
  'One page, without any record set: on the left as people see it, on the right as its server sends it.';
export const todayAddress = () => 'Address';
export const todayLook = () => 'Look';
export const todayInvalid = (domain: string) => `Enter an address of ${domain}, such as /products.`;
export const todayPerson = () => 'A person sees';
export const todayCrawler = () => 'A crawler gets';
export const todayWords = (words: number) => counted(words, 'word', 'words');
export const todayMissing = (raw: number, words: number) =>
  `Crawlers that run no JavaScript get ${raw === 0 ? 'not one word' : counted(raw, 'word', 'words')}; people see ${count(words)}.`;
export const todayWhole = (raw: number, words: number) =>
  `Crawlers get ${counted(raw, 'word', 'words')} without JavaScript; people see ${count(words)}. This page is readable as it is.`;
export const todayEmpty = () => 'People see no text on this page.';
export const todayStatus = (status: number) => `The page answers people with status ${String(status)}.`;
export const todayFailed = () => 'The page could not be looked at.';

export const checklist = () => 'First steps';
export const checklistDone = (done: number, all: number) => `${count(done)} of ${count(all)} done`;
export const checkRendered = () => 'Sitemap rendered';
export const checkRenderedText = () =>
  'Snapshots, the finished HTML of your pages, are stored before the first crawler asks.';
export const checkRenderedSome = (stored: number, all: number) =>
  `${count(stored)} of ${counted(all, 'page', 'pages')} stored.`;
export const checkNoSitemap = () => 'Name a sitemap, so that its pages can be stored before the first crawler asks.';
export const checkSitemap = () => 'Set the sitemap';
export const checkRender = () => 'Render pages';
export const checkAudited = () => 'First audit';
export const checkAuditedText = () => 'What crawlers read, what to fix, and what to fix first.';
export const checkAudit = () => 'Audit the site';
export const checkPrompted = () => 'Prompts';
export const checkPromptedText = () =>
  'AI assistants are asked what your customers ask, and you see whether they name you.';
export const checkPrompt = () => 'Add prompts';
export const checkShared = () => 'Sharing';
export const checkSharedText = () => 'A public page of your crawlers, and a badge, for those who have no account.';
export const checkShare = () => 'Share';
export const checkHide = () => 'Hide first steps';
