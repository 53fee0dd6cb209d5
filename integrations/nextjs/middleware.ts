// @ts-nocheck
// Crawlers get snapshots. Save as middleware.ts (Next.js up to 15) beside the folder app (or in src, when there is one).
// The key is better kept in GLASSHOUSE_API_KEY (environment variable).
const settings = {
  serviceUrl: '__SERVICE_URL__',
  apiKey: '__API_KEY__',
  domain: '__DOMAIN__',
};

// Nothing below is to be filled in. Written by integrations/build.mjs; not edited by hand.

const CRAWLERS = /(?:^|[^c])ubot|(?:^|[^u])bot|crawl|spider|fetch|preview(?:$|[^ ]| (?:$|[^b]|b(?:$|[^u]|u(?:$|[^i]|i(?:$|[^l]|l(?:$|[^d]))))))|008\/|2ip\.ru|7siters|;owler|a(?:360-search|6-indexer|b(?:oundex|use\.xmco\.fr)|c(?:cessstatus|quia optimize|tivecomply)|d(?:beat\.com|dthis|m(?:antx|inlabs)|scanner|venturer)|hrefssiteaudit|ir\.ai\/scanning|l(?:e(?:rtsite|xa site audit)|ienfarm|l(?:africa|origins))|m(?:azon(?:-bedrock-agentcore-browser|productdiscovery|sellerinitiatedlisting)|zn-user)|n(?:omura|thropic-ai)|p(?:3a\.240617\.008|ercite|is-google|p(?:engine-google|insights|siteassociation))|r(?:a(?:gog\/|nea)|chive(?:-it|box)|temis web reader)|s(?:ana\/|nriskscorer)|ttracta|ut(?:hory|oconfig test from ustc))|b(?:a(?:d neighborhood header detector|idu-yunguance|zqux)|e(?:stchange|tter (?:stack|uptime))|i(?:g(?:lotron|sur\.ai)|n(?:arycanary|gpreview|lar)|t(?:bucket-webhooks|discovery))|l(?:ack(?:bo(?:ard|x exporter\/)|duck-fd)|ing(?: erp|erp)|o(?:ckaid|g(?:lines|trottr|vault))|uesky(?: cardyb|-domain-status-classifier|\/))|ot(?:-pge\.chlooe\.com|\.araturka\.com|ify|poke)|r(?:and(?:verity|watch)|okenlinkcheck\.com)|u(?:bing|ck\/|gsnag|shbaby|tt(?:erfly|ondown))|w\/)|c(?:a(?:p(?:italoneshopping|sulechecker)|tchpoint|veman-hunter)|c metadata scaper|e(?:n(?:sysinspect\/|turyb\.o\.t9)|rt(?: pl|chief|ytags))|h(?:a(?:n(?:gedetection|nable)|rlotte|t(?:gpt-user|work linkpreview))|eck(?:_http|host|ly|marknetwork\/)|rome-lighthouse)|i(?:ncraw|rrusexplorer|toid)|l(?:a(?:ssla-web|ude-(?:user|web))|ick(?:agy|uplinkunfurler)|oud(?:flare(?:-(?:a(?:lwaysonline|utorag)|c(?:sup|ustom-hostname-verification)|healthchecks|radar-scanner|s(?:peedtest|sldetector|tream-(?:hook|webhook))|traffic-manager|validator)|radarurlscanner)|trellis))|mschecker|o(?:ccoc|gnitiveseo\.com|here-ai|ll(?:apsify|ection@infegy\.com)|mmafeed|n(?:tentkingapp|ver(?:a|max))|okie(?:-maestro|hub(?:scan|verify))|rporama matcher|toyogi|zi-icalendar-feedreader)|r(?:azy egg|iticalcss\.com|on(?:-job\.org|less)|usty\/)|sirt\.cz|y(?:berpatrol|otekwebcopy|pex\.ai\/scanning))|d(?:a(?:r(?:eboost|k visitor)|ta(?:dog(?: (?:agent|synthetic)|\/synthetics|synthetics)|feedwatch|nyze|provider\.com)|um(?:\/|oa))|e(?:ad(?: link checker|linkchecker)|epnoc|te(?:ctify|rm)|usu\/|v(?:elopers\.google\.com\/\+\/web\/snippet|in))|i(?:g(?:g deeper|icert dcv)|s(?:course forum onebox|qus))|l(?:c\/|vr\.it)|mbrowser|nsscanner|o(?: not track verifier|mains project\/|tcom-monitor|wn(?:notifier\.com|timedetector\/))|r(?:ataautopilot|eamhost data team|upact)|s9)|e(?:asy(?:bi(?:b autocite|ll-importmanager)|cron\/|dns monitoring)|c2linkfinder|dgewatch|l(?:ectricmonk|mah\.io uptime monitoring)|m(?:ailwolf|bedly|oney advisor)|r(?:epublik\.tools|ight)|uroparchive\.org|vc-batch|x(?:odusmovement|panse)|z(?:gif|id|lynx|ooms))|f(?:a(?:cebook(?:catalog|externalhit)|st(?:dast|mailua))|e(?:d(?:i(?:db|index|list agent|neko)|oraplanet)|ed(?: image audit|b(?:in|urner)|er(?: \/|\.co)|flow|ly|spot|validator|wind)|ver)|i(?:nd(?:files\.net|link|thatfile)|rmograph)|l(?:amingo_searchengine|ipboard(?:proxy|rss)|uffy)|oregenix|r(?:e(?:e(?:spoke\/|webmonitoring sitechecker)|shrss)|iendica)|unnelback)|g(?:00g1e\.net|2 web services|dnplus\.com|e(?:edo(?:productsearch|shopproductfinder)|mini-deep-research|nieo|tthit\.com)|i(?:ftedvisitor scan|gablast|thub-camo)|lobalwebsearch|o(?:lfe\/|o(?:d(?:reads|zer)|gle(?: (?:favicon|trust services|web preview)|-(?:a(?:d(?:s-conversions|words-(?:express|instant))|gent|pps-script|rea120)|certificates-bridge|extended|inspectiontool|notebooklm|physicalweb|read-aloud|s(?:afety|ite-verification|tructured-data-testing-tool)|trust-services\/|xrawler)|a(?:gent-(?:mariner|urlcontext)|ssociationservice\/)|docs|imageproxy|other|producer|stackdrivermonitoring))|pay|tsitemonitor\.com)|r(?:ammarly\/|o(?:uphigh\/|ver\/)|ub\.org)|tmetrix|wene)|h(?:a(?:ppywing|rdenize|tena)|cardvalidator|e(?:adonlyscraper|llo world|ritrix|trixtools)|o(?:neybadger uptime check|sttracker\/|tjar)|ttp(?: banner detection|s:\/\/developers\.cloudflare\.com\/security-center\/)|ubspot|y(?:drozen\.io|pe(?: machine\/|stat)|score\.io))|i(?:a_archiver|chiro|dg\/eu|f(?:ramely|ttt\/)|m(?:agemind|g(?:2dataset|proxy\/)|pact\.com agent)|n(?:dy library|fosifter|n(?:guma\/|ologica)|oreader|stapaper\/|te(?:grom(?:at\/|edb)|rnet(?:measurement|vista monitor)))|ps-agent|rokez\.cz monitoring|s(?:kanie|onai-user)|ubenda-radar\/)|j(?:et(?:mon\/|slide)|umio)|k(?:aikki\.org-digital-archive|ey(?:cdn-tools\/|drop\.io)|imi-user|laviyo\/|nown agent)|l(?:9(?:explore|scan)|a(?:c_iaharvester|ion-huggingface-processor)|e(?:galmonster|mmy|t's encrypt)|i(?:brary of congress web archiving|nk(?:a(?:ce\/|rchiver)|dex|o|reader\/|tiger|walker\/)|pperhey)|o(?:c\.gov\/programs\/web-archiving|gicmonitor|opimprovements\.com)|tx71|yonl-asset-proxy)|m(?:a(?:cocu|g(?:ellan|icsearchdev\/|net\.me-web\/|pierss)|i(?:l(?:\.ru|chimp)|nwp\/)|ke\/|n(?:agewp|us-user)|ppydata|rket(?:goo\/|ingminer)|s(?:scan|todon)|tchorysearch|vifinds)|b-linkchecker|e(?:dia(?:partners-google|vinemetadataparser\/)|gaindex|ltwaternews|t(?:a(?:-(?:external(?:a(?:ds|gent)|hit\/)|webindexer)|i(?:ab facebook|nspector)|uri)|orik))|i(?:crosoftpreview|ni(?:ature\.io\/|flux\/)|rrorweb\.com|s(?:skey|tralai-user)|xnodecache\/)|o(?:d(?:atscanner|ularconnector\/)|llie http client|n(?:it(?:is -|orss\/)|spark\/|t(?:astic(?:-monitor|monitor)|ools\.com))|reover)|uckrack|xtoolbox)|n(?:anointeractive|bertaupete95|e(?:ssus|t(?:api|craft(?: (?:ssl server survey|web server survey)|surveyagent)|researchserver|s(?:helter contentscan|ystemsresearch)|vi(?:bes|gie))|w(?: york times newsgathering|relicsynthetics|s(?:ai\/|blur|harecounts|now\/|room\.bi))|xtcloud)|i(?:cheindex|kto|ng\/|tro-)|l(?:nz_iaharvester|ux_iaharvester)|map scripting engine|o(?:deping|ibu|oshub\/|tion\/|v(?:aact\/|ellum))|u(?:tch|zzel)|vdorz|yt_scraping)|o(?:bservepoint|din;|ffline explorer|hdear\/|m(?:gili|nisend\/)|n(?:etrust|line domain tools)|p(?:e(?:n(?:graph(?:\.io\/|check)|rss|vas)|rator\/)|timizer\))|ut(?:brain|sellurlvalidator)|vercast\/|wler(?: \(ows\.eu|-w))|p(?:a(?:ge(?:2rss|peeker\/|speed\/|thing)|n(?:dalytics|opta|scient)|rse\.ly scraper\/|ypal\/)|df24 url to pdf|e(?:nthouse critical path css generator|rplexity(?:-user|user))|i(?:n(?:g(?:admin\.ru\/|dom|ping\.io\/)|terest\/0\.)|xalate\.com)|l(?:aystore-google|eroma)|o(?:cket(?:casts\/|parser)|d(?:chaserparser|imo|uptime)|ggio-citations|strank|tions\/)|r(?:-cy\.ru|intfriendly\.com|o(?:-sitemaps\/|belyspdr\/|jectshield-urlcheck|topage\/|ximic)|tg network monitor)|s_daily\/|ulse(?:point |tic\.com)|wabuilderhttpagent)|q(?:ualys|wantify)|r(?:ackspace monitoring\/|e(?:adable\/|curly webhooks\/|d\/|elevant\/|move\.bg\/|searchscan\.comsys\.rwth-aachen\.de|t(?:ool\/|r(?:evopageanalyzer|olistecom\/))|vvimgort\/|ward-gateway)|i(?:ddler \(http:\/\/riddler\.io|gor\)|vva)|s(?:iteauditor|s(?:-parser|\.social|2tg|api\/))|uxitsynthetic)|s(?:4a\/|ansec security monitor\/|c(?:hema-markup-validator|o(?:op\.it\/|pe3|utjet)|r(?:aping@nytimes\.com|ubby))|e(?:arch(?:\.marginalia\.nu|atlas|e(?:r(?:web|xweb)|xpress))|curityheaders|e(?:kport|withkids)|m(?:antic-visions|pi\.tech)|n(?:dgrid event api|tinel-linkcheck)|o(?:4ajax\.com|kicks|l(?:izer|yt)|s(?:canners|itecheckup|tar\.co))|quelwp|rver(?: density service monitoring|density))|fdc-callout\/|ho(?:pify-captain-hook|rtpixel)|i(?:lktide|mple(?:pie|scraper)|n(?:cerasyntheticuser\/|dup)|te(?:24x7|bulb|explorer\.info|improve\.com|lock|s(?:earch360\/|ucker)|uptime\.com))|kypeuripreview|l(?:ack-imgproxy|urp)|n(?:a(?:cktory|p(?: url preview|chatads\/|urlpreview))|ipcart\/)|o(?:ftware-security-research|gou|larwinds\/|nic|ra pos\/|ttopopnone)|p(?:a(?:rk(?:post|shipping)|wning-ai)|e(?:c(?:ificfeeds|tate\/)|edy)|lunk)|q(?:lmap|watcher)|sl labs \(https:\/\/www\.ssllabs\.com|t(?:a(?:pe\/|rtpageprivateimageproxy\/|t(?:istikaustria\/|uscake))|ripe\/)|u(?:curi|mmify|perfeedr)|v(?:-watchagent|ix-webhooks\/)|wi(?:fteqlinkchecker|sscows)|y(?:n(?:apse|thetic-monitoring-agent\/)|somos))|t(?:actiscout\/|chelebi\/|e(?:oma|r(?:mly|racotta)|st(?: certificate info|uri)|xtrazor)|h(?:e(?: knowledge ai|internetsearchx|oldreader\.com)|inklab|ousandeyes)|in(?:eye|y tiny rss)|ls tester|r(?:a(?:ackr\.com|cemyfile)|e(?:llis-services|n(?:dsmapresolver|twil\.es))|ove|ustly\/)|sm-turingos|td-content|u(?:mblr\/|rnitin)|w(?:e(?:akers|etedtimes)|i(?:lioproxy\/|n(?:gly|wavescanner))|urly))|u(?:aslinkchecker\/|garesearchagent|m-(?:fc|ic|ln)|nshorten\.it!|p(?:d(?:ay\/|own\.io)|flow|t(?:im(?:e(?:-kuma|\/|doctor|statistics)|ia)|rends))|rlcheckr\/|seebookchecker\/)|v(?:a(?:gabondo\/|l(?:idator\.nu|ve\/steam)|ultpress)|er(?:cel-screenshot|ity\/)|i(?:gil\/|rustotal|sionheight\.com\/scan)|kshare|u-server-health-scanner\/)|w(?:3c(?:-(?:checklink|mobileok)|_(?:css_validator|i18n-checker|unicorn|validator))|a(?:tch(?:ful|mouse|towr)|yback)|e(?:b(?: (?:measure\/|screen service by hyperhost)|c(?:apture|eo online\/|opier)|datastats|flow|mon |s(?:ite(?:ops|pulse)|niffer\/)|zi(?:o|p))|dos online|pchsearchengine|see:search)|h(?:at(?:smyip\.org|web\/)|ere(?:goes\.com|situp\.com\/))|ikido|jhro\/|mtips\.com\/|o(?:orankreview\/|r(?:d(?:press\/|up(?:-1|infosearch))|kona-favicon-service\/)|tbox)|p(?: time capsule|mu(?: dev (?:broken link checker|hub)|dev uptime monitor)|s(?:can|ec\/)|umbrella)|sm\/|totem|ww\.uptime\.com)|x(?:enu link sleuth|ml sitemaps generator|y-archive-compliance)|y(?:!j|a(?:hoo(?: (?:ad monitoring|link preview)|cachesystem|mailproxy)|k\/|n(?:dexadditional|ga))|eti|lt chrome|okoygroupag\/)|z(?:a(?:bbix|pier)|endesk webhook|grab|meu|o(?:ominfo-|terotranslationserver\/wmf)|yborg)|^viber\/|^whatsapp\/|(?:AdsBot-Google(?:[^-]|$))|(?:^Seekbot)|(?:(?:sistrix|SISTRIX) [cC]rawler)|(?:Ahrefs(?:Bot|SiteAudit))|(?:^CrunchBot)|(?:S[eE][mM]rushBot)|(?:Livelap[bB]ot)|(?:[pP]ingdom)|(?:Bark[rR]owler)|(?:^dcrawl)|(?:^LCC )|(?:(?:^| )sentry\/)|(?:[Cc]urebot)|(?:BlogTraffic\/\d\.\d+ Feed-Fetcher)|(?:(?:^| )PTST\/)|(?:^BW\/)|(?:[cC]laude[bB]ot)|(?:[aA]cunetix)|(?:[dD]ir[Bb]uster)|(?:^ArenaUnfurlBot)|(?:Automaton|Newsify Feed Fetcher)|(?:Chirp|gotosocial)|(?:[cC]ludo)|(?:ContextualBot[\s\S]*outcomes\.net)|(?:Current[\s\S]*RSS Reader)|(?:Netumo|netumo)|(?:Spider[\s\S]*spider\.com)|(?:GoogleAssociationService$)|(?:SSL Labs$)/i;

const ASSET = /\.(?:js|mjs|cjs|map|css|less|scss|json|jsonld|xml|rss|atom|txt|pdf|doc|docx|xls|xlsx|ppt|pptx|csv|png|jpg|jpeg|gif|webp|avif|svg|ico|bmp|tif|tiff|heic|mp3|wav|ogg|oga|flac|aac|m4a|mp4|m4v|webm|mov|avi|wmv|flv|mkv|mpg|mpeg|woff|woff2|ttf|otf|eot|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|dmg|iso|apk|msi|bin|wasm|torrent|swf|psd|ai|dat|webmanifest|ics|vcf|eps|jxl)$/i;
const PROBE_PATH = '/__service_probe/';
const DATA_HEADERS = ['rsc', 'next-action', 'next-router-state-tree', 'x-nextjs-data'];
const PREFETCH_HEADERS = ['next-router-prefetch', 'next-router-segment-prefetch', 'x-middleware-prefetch'];
const PURPOSE_HEADERS = ['purpose', 'sec-purpose', 'x-purpose', 'x-moz'];
const USER_AGENT_CHARS = 1024;
const REMEMBERED_AGENTS = 500;
const remembered = new Map();
function isListed(userAgent) {
  if (!userAgent) return false;
  let known = remembered.get(userAgent);
  if (known === undefined) {
    known = CRAWLERS.test(userAgent.slice(0, USER_AGENT_CHARS));
    if (remembered.size >= REMEMBERED_AGENTS) remembered.clear();
    if (userAgent.length <= USER_AGENT_CHARS) remembered.set(userAgent, known);
  }
  return known;
}
function isOwn(header, userAgent) {
  return userAgent.includes('Glasshouse/')
    || /glasshouse-/i.test(header('cdn-loop') ?? '') || /glasshouse-/i.test(header('via') ?? '');
}
function isAsset(path) {
  let last = path.slice(path.lastIndexOf('/') + 1);
  if (last.includes('%')) {
    try {
      last = decodeURIComponent(last);
    } catch {
    }
  }
  return ASSET.test(last);
}
function acceptsHtml(accept) {
  const text = (accept ?? '').trim();
  if (text === '' || text === '*/*') return true;
  return text.toLowerCase().split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    if (type !== 'text/html' && type !== 'application/xhtml+xml') return false;
    const quality = parameters.find((parameter) => /^q\s*=/.test(parameter));
    return quality === undefined || Number(quality.slice(quality.indexOf('=') + 1)) > 0;
  });
}
function decide({ method, target, header }) {
  const userAgent = header('user-agent') ?? '';
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  const isProbe = path.startsWith(PROBE_PATH);
  const isCrawler = isProbe || isListed(userAgent) || header('x-bufferbot') != null
    || (at >= 0 && /[?&]_escaped_fragment_(?:[=&]|$)/.test(target));
  if (!isCrawler) return { isCrawler, reason: null };
  return { isCrawler, reason: obstacle({ method, path, header, userAgent, isProbe }) };
}
function obstacle({ method, path, header, userAgent, isProbe }) {
  const has = (name) => header(name) != null;
  if (isOwn(header, userAgent)) return 'own';
  if (method !== 'GET' && method !== 'HEAD') return 'method';
  if (has('authorization')) return 'credentials';
  if (has('upgrade')) return 'upgrade';
  if (!isProbe && isAsset(path)) return 'asset';
  const destination = (header('sec-fetch-dest') ?? '').trim();
  if (destination !== '' && destination !== 'document') return 'data';
  if (!acceptsHtml(header('accept')) || DATA_HEADERS.some(has)) return 'data';
  if (PREFETCH_HEADERS.some(has)) return 'prefetch';
  if (PURPOSE_HEADERS.some((name) => /prefetch|prerender/i.test(header(name) ?? ''))) return 'prefetch';
  return null;
}

const MAX_ADDRESS_BYTES = 8192;
function hostsOf(domain) {
  const hosts = new Set();
  for (const one of [domain].flat()) {
    const host = hostOf(String(one ?? '').trim());
    if (host && !host.startsWith('__')) hosts.add(host).add(`www.${host}`);
  }
  return hosts;
}
function hostOf(text) {
  try {
    return new URL(/^https?:\/\//i.test(text) ? text : `https://${text}`).hostname.replace(/\.$/, '').replace(/^www\./, '');
  } catch {
    return null;
  }
}
function addressOf(facts, settings, hosts) {
  if (!facts.target.startsWith('/')) return { reason: 'address' };
  const base = settings.origin ? settings.origin.replace(/\/+$/, '') : baseByHost(facts, settings, hosts);
  if (!base) return { reason: 'host' };
  const address = base + facts.target;
  return address.length > MAX_ADDRESS_BYTES ? { reason: 'address' } : { address };
}
function baseByHost(facts, settings, hosts) {
  const first = (name) => (settings.trustForwarded && facts.header(name) || '').split(',')[0].trim();
  const named = (first('x-forwarded-host') || facts.host || '').toLowerCase();
  const host = named.replace(/:\d+$/, '').replace(/\.$/, '');
  if (!hosts.has(host)) return null;
  return `${first('x-forwarded-proto') === 'http' ? 'http' : 'https'}://${host}`;
}
function clientOf(facts, settings) {
  const forwarded = settings.trustForwarded ? facts.header('x-forwarded-for') : null;
  return (forwarded || facts.client || '').split(',').at(-1).trim() || null;
}

const MOST_FAILURES = 3;
const PAUSE_MS = 30_000;
function createBreaker(now) {
  let failures = 0;
  let pausedUntil = 0;
  return {
    mayAsk() {
      if (failures < MOST_FAILURES) return true;
      if (now() < pausedUntil) return false;
      pausedUntil = now() + PAUSE_MS;
      return true;
    },
    succeeded() {
      failures = 0;
    },
    failed() {
      failures += 1;
      if (failures >= MOST_FAILURES) pausedUntil = now() + PAUSE_MS;
    },
  };
}

const TOTAL_MS = 10_000;
const PATIENCE_MS = 1_000;
const PRESENCE_MS = 900;
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const PASSED_ON = [
  'user-agent', 'accept-language', 'referer', 'upgrade-insecure-requests', 'x-bufferbot', 'x-service-probe',
  'sec-fetch-dest', 'sec-fetch-mode', 'sec-fetch-site', 'sec-fetch-user',
];
class Failure extends Error {
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}
function headersFor(facts, apiKey, client) {
  const headers = { 'x-service-api-key': apiKey, accept: 'text/html' };
  for (const name of PASSED_ON) {
    const value = facts.header(name);
    if (value != null) headers[name] = value;
  }
  if (client) headers['x-service-client-address'] = client;
  return headers;
}
async function ask({ facts, address, apiKey, client, serviceUrl, fetch, fetchOptions }) {
  const controller = new AbortController();
  let cause = 'unreachable';
  const giveUp = (reason) => {
    cause = reason;
    controller.abort();
  };
  const total = setTimeout(giveUp, TOTAL_MS, 'timeout');
  let presence;
  const patience = setTimeout(() => {
    presence = setTimeout(giveUp, PRESENCE_MS, 'unreachable');
    fetch(`${serviceUrl}/healthz`, { ...fetchOptions, method: 'HEAD', redirect: 'manual', signal: controller.signal })
      .then(() => clearTimeout(presence), () => {});
  }, PATIENCE_MS);
  try {
    const response = await fetch(`${serviceUrl}/api/prerender/render?url=${encodeURIComponent(address)}`, {
      ...fetchOptions,
      method: facts.method,
      headers: headersFor(facts, apiKey, client),
      redirect: 'manual',
      signal: controller.signal,
    });
    clearTimeout(patience);
    clearTimeout(presence);
    cause = 'broken';
    const body = facts.method === 'HEAD' ? new Uint8Array(0) : await wholeBody(response);
    return { status: response.status, headers: response.headers, body };
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(cause);
  } finally {
    clearTimeout(total);
    clearTimeout(patience);
    clearTimeout(presence);
    controller.abort();
  }
}
async function wholeBody(response) {
  if (!response.body) return new Uint8Array(0);
  const reader = response.body.getReader();
  const pieces = [];
  let length = 0;
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    length += value.byteLength;
    if (length > MAX_BODY_BYTES) throw new Failure('broken');
    pieces.push(value);
  }
  if (pieces.length === 1) return pieces[0];
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

const REDIRECTS = [301, 302, 303, 307, 308];
const BODILESS = [204, 205];
const NOT_RELAYED = new Set([
  'connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'content-encoding',
  'content-length', 'accept-ranges', 'age', 'alt-svc', 'date', 'expires', 'nel', 'pragma', 'report-to', 'server', 'set-cookie',
  'strict-transport-security', 'vary', 'via', 'surrogate-control', 'edge-control', 'x-accel-expires', 'x-request-id', 'ratelimit',
  'ratelimit-policy', 'retry-after', 'x-service-snapshot-key',
]);
function isHtml(headers) {
  const type = (headers.get('content-type') ?? '').split(';')[0].trim().toLowerCase();
  return type === 'text/html' || type === 'application/xhtml+xml';
}
function relayedHeaders(source, cacheControl) {
  const headers = new Headers();
  for (const [name, value] of source) {
    if (!NOT_RELAYED.has(name) && !name.endsWith('cache-control')) headers.set(name, value);
  }
  headers.set('cache-control', cacheControl);
  headers.set('cdn-cache-control', 'no-store');
  headers.set('vary', 'User-Agent, Accept-Encoding');
  headers.set('x-service-integration', 'snapshot');
  return headers;
}
function namesTag(ifNoneMatch, etag) {
  if (!ifNoneMatch || !etag) return false;
  const opaque = (tag) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag));
}
function locationOf(headers, address) {
  try {
    const location = headers.get('location');
    return location && (/^https?:\/\//i.test(location) ? location : new URL(location, address).href);
  } catch {
    return null;
  }
}
function relay(received, facts, address) {
  const { status, headers, body } = received;
  const isRendered = headers.has('x-service-render-cache');
  if (status === 304) return { reason: 'declined' };
  if (REDIRECTS.includes(status)) {
    const location = locationOf(headers, address);
    if (!location) return { reason: 'broken' };
    if (location === address) return { reason: 'loop' };
    const relayed = relayedHeaders(headers, 'no-store');
    relayed.set('location', location);
    relayed.delete('content-type');
    relayed.delete('etag');
    return { answer: { status, headers: relayed, body: null } };
  }
  const isSuccess = status >= 200 && status < 300;
  const isOfPage = isSuccess || (isRendered && status >= 400 && status < 600);
  if (!isOfPage) return { reason: `status-${status}` };
  const isHead = facts.method === 'HEAD';
  if (!isHtml(headers) || BODILESS.includes(status) || (body.byteLength === 0 && !isHead)) return { reason: 'broken' };
  const relayed = relayedHeaders(headers, 'no-cache');
  const isPartial = headers.has('x-service-render-partial');
  if (status === 200 && !isPartial && namesTag(facts.header('if-none-match'), headers.get('etag'))) {
    relayed.delete('content-type');
    relayed.delete('location');
    return { answer: { status: 304, headers: relayed, body: null } };
  }
  return { answer: { status, headers: relayed, body: isHead ? null : body } };
}

const LOG_EVERY_MS = 60_000;
function createIntegration(settings, surroundings = {}) {
  const now = surroundings.now ?? Date.now;
  const log = surroundings.log ?? ((line) => console.warn(line));
  const breaker = createBreaker(now);
  const note = failureLog(log, now);
  const hosts = hostsOf(settings.domain);
  const apiKey = isFilledIn(settings.apiKey) ? settings.apiKey : '';
  const serviceUrl = String(settings.serviceUrl ?? '').replace(/\/+$/, '');
  const app = (reason, isCrawler = true) => ({ answer: null, isCrawler, reason });
  function decideAlone(facts) {
    const { isCrawler, reason } = decide(facts);
    return isCrawler && !reason ? null : app(reason, isCrawler);
  }
  async function askService(facts) {
    const { address, reason } = addressOf(facts, settings, hosts);
    if (reason) return app(reason);
    if (!apiKey || !/^https?:\/\//.test(serviceUrl)) return failed('no-key');
    if (!breaker.mayAsk()) return app('paused');
    try {
      const received = await ask({
        facts, address, apiKey, serviceUrl,
        client: clientOf(facts, settings),
        fetch: surroundings.fetch ?? ((...request) => globalThis.fetch(...request)),
        fetchOptions: surroundings.fetchOptions,
      });
      const relayed = relay(received, facts, address);
      if (relayed.answer || ['declined', 'loop', 'status-400'].includes(relayed.reason)) {
        breaker.succeeded();
        return relayed.answer ? { answer: relayed.answer, isCrawler: true, reason: null } : app(relayed.reason);
      }
      breaker.failed();
      return failed(relayed.reason);
    } catch (error) {
      breaker.failed();
      return failed(error.reason ?? 'error');
    }
  }
  function failed(reason) {
    note(reason);
    return app(reason);
  }
  return {
    decide: decideAlone,
    async respond(facts) {
      try {
        return decideAlone(facts) ?? await askService(facts);
      } catch {
        return failed('error');
      }
    },
  };
}
function isFilledIn(value) {
  return Boolean(value) && !/^__[A-Z_]+__$/.test(value);
}
function failureLog(log, now) {
  let count = 0;
  let last = -Infinity;
  return (reason) => {
    count += 1;
    if (now() - last < LOG_EVERY_MS) return;
    log(`glasshouse: the app answered ${count} request(s) of crawlers because the service did not (last reason: ${reason})`);
    count = 0;
    last = now();
  };
}

function isHtmlType(type) {
  return /^(?:text\/html|application\/xhtml\+xml)\b/i.test(type ?? '');
}
function varyByAgent(vary) {
  if (!vary) return 'User-Agent';
  return /(?:^|,)\s*(?:user-agent|\*)\s*(?:,|$)/i.test(vary) ? vary : `${vary}, User-Agent`;
}
function appWord(outcome) {
  return `app; reason=${outcome.reason}`;
}

function factsOfRequest(request, client = null) {
  const { url } = request;
  const authority = url.indexOf('://') + 3;
  const slash = url.indexOf('/', authority);
  const target = (slash < 0 ? '/' : url.slice(slash)).split('#')[0];
  const host = request.headers.get('host') ?? url.slice(authority, slash < 0 ? undefined : slash);
  return { method: request.method, target, host, client, header: (name) => request.headers.get(name) };
}
function toResponse({ status, headers, body }) {
  return new Response(body, { status, headers });
}
function markResponse(response, outcome) {
  const isPage = isHtmlType(response.headers.get('content-type'));
  if (!isPage && !outcome.isCrawler) return response;
  const marked = new Response(response.body, response);
  if (isPage) marked.headers.set('vary', varyByAgent(marked.headers.get('vary')));
  if (outcome.isCrawler) marked.headers.set('x-service-integration', appWord(outcome));
  return marked;
}
function goOn(outcome) {
  const headers = new Headers({ 'x-middleware-next': '1', vary: 'User-Agent' });
  if (outcome.isCrawler) headers.set('x-service-integration', appWord(outcome));
  return new Response(null, { headers });
}

function glasshouse(settings) {
  const integration = createIntegration(
    { ...settings, apiKey: process.env.GLASSHOUSE_API_KEY ?? settings.apiKey },
    { fetchOptions: { cache: 'no-store' } },
  );
  return async (request) => {
    const client = process.env.VERCEL ? request.headers.get('x-real-ip') : null;
    const outcome = await integration.respond(factsOfRequest(request, client));
    return outcome.answer ? toResponse(outcome.answer) : goOn(outcome);
  };
}

export default glasshouse(settings);

// A literal: Next.js reads it when it builds.
export const config = {
  matcher: [{
    source: '/((?!_next/static|_next/image|api/).*)',
    missing: [
      { type: 'header', key: 'rsc' }, { type: 'header', key: 'next-action' }, { type: 'header', key: 'next-router-state-tree' },
      { type: 'header', key: 'next-router-prefetch' }, { type: 'header', key: 'next-router-segment-prefetch' },
      { type: 'header', key: 'x-middleware-prefetch' }, { type: 'header', key: 'x-nextjs-data' },
    ],
  }],
};
