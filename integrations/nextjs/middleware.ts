// @ts-nocheck
// Crawlers get snapshots. Save as middleware.ts (Next.js up to 15) beside the folder app (or in src, when there is one).
// The key is better kept in GLASSHOUSE_API_KEY (environment variable).
const settings = {
  serviceUrl: '__SERVICE_URL__',
  apiKey: '__API_KEY__',
  domain: '__DOMAIN__',
};

// Nothing below is to be filled in. Written by integrations/build.mjs; not edited by hand.

const DOCUMENTED = /a(?:d(?:idxbot|sbot-google)|hrefs(?:bot|siteaudit)|i(?:2bot|der\/)|m(?:azon(?:-bedrock-agentcore-browser|b(?:ot|uyforme))|zn-(?:searchbot|user))|nthropic-ai|p(?:is-google|plebot)|rchive\.org_bot|spiegelbot|zureai-searchbot)|b(?:aiduspider|e(?:drockbot|tter (?:stack|uptime))|ing(?:bot|preview)|luesky(?: cardyb|previewbot)|otify|ravebot|ytespider)|c(?:cbot|h(?:atg(?:lm-spider|pt-user)|rome-lighthouse)|l(?:aude(?:-(?:code\/|searchbot|user|web)|bot)|oudflarebrowserrenderingcrawler)|o(?:ccocbot|dex(?:-cli|_)|here-(?:ai|training-data-crawler)|mpatible; (?:anchor browser|cursor\/)))|d(?:ata(?:dog(?:\/synthetics|synthetics)|forseobot)|e(?:epseekbot|vin\/)|i(?:ffbot|scordbot)|otbot|uck(?:assistbot|duckbot))|e(?:mbedly|xa(?:bot\/1|searchbot))|f(?:acebo(?:ok(?:bot|catalog|externalhit)|t)|eedfetcher-google|irecrawlagent|riendica)|g(?:emini(?:-(?:cli\/|deep-research)|cli)|oogle(?:-(?:agent|cloudvertexbot|gemini-cli|inspectiontool|notebooklm|read-aloud|s(?:afety|ite-verification))|agent-(?:mariner|urlcontext)|bot|other)|ptbot)|i(?:a_archiver|framely|magesiftbot)|k(?:agi(?:-fetcher|bot)|imi-user)|lin(?:espider|kedinbot)|m(?:a(?:nus-user|stodon\/)|e(?:diapartners-google|ta-(?:external(?:a(?:ds|gent)|fetcher)|webindexer))|i(?:crosoftpreview|s(?:skey|tralai-user))|j12bot|ojeekbot|snbot)|newrelicbot|o(?:ai-(?:adsbot|searchbot)|mgili|penc(?:law|ode-smartfetch))|p(?:angubot|e(?:rplexity(?:-user|bot)|talbot)|hindbot|in(?:gdom|terest(?:\/0\.|bot))|leroma)|qwant(?:bot|ify)|r(?:edditbot|ogerbot|siteauditor)|s(?:creaming frog seo spider|e(?:mrushbot|znambot)|ite(?:auditbot|bulb)|kypeuripreview|lack(?:-imgproxy|bot)|nap(?: url preview|urlpreview)|ogou (?:inst spider|web spider)|t(?:atuscake|orebot-google))|t(?:avilybot|elegrambot|i(?:ktokspider|mpibot)|ongyibot|wi(?:nagent|tterbot))|uptimerobot|vk(?:robot|share)|webzio-extended|y(?:!j|a(?:hoo! slurp|ndex(?:\.com\/bots|additional|bot|renderresourcesbot))|eti\/|i(?:souspider|yanbot)|oubot)|^c(?:odex\/|ursor\/)|^opencode|^viber\/|^whatsapp\//i;
const GENERAL = /(?:^|[^cC])[uU][bB][oO][tT]|(?:^|[^uU])[bB][oO][tT]|[cC][rR][aA][wW][lL]|[sS][pP][iI][dD][eE][rR]|[fF][eE][tT][cC][hH]|[pP][rR][eE][vV][iI][eE][wW](?:$|[^ ]| (?:$|[^bB]|[bB](?:$|[^uU]|[uU](?:$|[^iI]|[iI](?:$|[^lL]|[lL](?:$|[^dD]))))))|008\/|2ip\.ru|7Siters|;Owler|A(?:360-Search|6-Indexer|DmantX|boundex|c(?:cessStatus|quia optimize|tiveComply)|d(?:dThis|minLabs|venturer)|l(?:ertSite|lAfrica)|mazon(?:ProductDiscovery|SellerInitiatedListing)|nomura|p(?:ercite|p(?:Engine-Google|Insights|SiteAssociation))|r(?:a(?:gog\/|nea)|chive(?:-It|Box))|sana\/|ttracta|ut(?:hory|oconfig Test from USTC))|B(?:IGLOTRON|UbiNG|W\/|a(?:d Neighborhood Header Detector|idu-YunGuanCe|zQux)|estChange|i(?:naryCanary|tbucket-Webhooks)|l(?:ack(?:Duck-FD|bo(?:ard|x Exporter\/))|ing(?: ERP|ERP)|o(?:ckaid|g(?:Vault|lines|trottr))|uesky\/)|ot(?:\.AraTurka\.com|Poke)|rand(?:Verity|watch)|u(?:ck\/|gsnag|shbaby|tt(?:erfly|ondown)))|C(?:C Metadata Scaper|ERT PL|LASSLA-web|MSChecker|a(?:p(?:italOneShopping|suleChecker)|tchpoint)|e(?:nsysInspect\/|rtChief)|h(?:a(?:rlotte|twork LinkPreview)|eck(?:Host|MarkNetwork\/|ly))|i(?:ncraw|rrusExplorer|toid)|l(?:ick(?:UpLinkUnfurler|agy)|oud(?:Flare-AlwaysOnline|flare(?:-(?:AutoRAG|Custom-Hostname-Verification|Healthchecks|Radar-Scanner|S(?:SLDetector|peedTest|tream-(?:Hook|Webhook))|Traffic-Manager|Validator)|RadarURLScanner)|trellis))|o(?:llapsify|mmaFeed|nvermax|okieHub(?:Scan|Verify)|rporama matcher|toyogi|zi-iCalendar-FeedReader)|r(?:azy Egg|iticalcss\.com|onless)|y(?:berPatrol|otekWebCopy))|D(?:MBrowser|NSScanner|a(?:r(?:eBoost|k Visitor)|ta(?:dog (?:Agent|Synthetic)|feedwatch|nyze|provider\.com)|um\/)|e(?:ad Link Checker|te(?:ctify|rm)|uSu\/|vin)|i(?:g(?:g Deeper|iCert DCV)|s(?:course Forum Onebox|qus))|lc\/|o(?: Not Track Verifier|mains Project\/|tcom-Monitor|wntimeDetector\/)|r(?:ataAutopilot|eamHost Data Team))|E(?:ZID|asy(?:Bib AutoCite|Cron\/)|dgeWatch|mailWolf|x(?:odusMovement|panse)|z(?:Lynx|gif))|F(?:ast(?:DAST|mailUA)|e(?:di(?:DB|Index|List Agent|neko)|ed(?: Image Audit|Burner|Flow|Validator|bin|er \/|ly|spot|wind)|ver)|i(?:ndFiles\.net|rmoGraph)|l(?:amingo_SearchEngine|ipboard(?:Proxy|RSS))|oregenix|re(?:e(?:WebMonitoring SiteChecker|spoke\/)|shRSS)|unnelback)|G(?:2 Web Services|IFTEDVISITOR SCAN|Tmetrix|e(?:edo(?:ProductSearch|ShopProductFinder)|nieo)|igablast|lobalWebSearch|o(?:Pay|lfe\/|o(?:d(?:reads|zer)|gle(?: (?:Favicon|Trust Services|Web Preview)|-(?:A(?:d(?:Words-Express|s-Conversions|words-Instant)|pps-Script|rea120)|Certificates-Bridge|Extended|PhysicalWeb|Structured-Data-Testing-Tool|Trust-Services\/)|AssociationService\/|Docs|ImageProxy|Producer|StackdriverMonitoring))|tSiteMonitor\.com)|r(?:ammarly\/|o(?:upHigh\/|ver\/))|wene)|H(?:TTP Banner Detection|a(?:ppyWing|rdenize|tena)|e(?:adOnlyScraper|llo World|trixTools)|o(?:neybadger Uptime Check|stTracker\/|tjar)|ubSpot|y(?:drozen\.io|pe Machine\/))|I(?:DG\/EU|FTTT\/|m(?:ageMind|pact\.com Agent)|n(?:dy Library|foSifter|n(?:guma\/|ologica)|stapaper\/|te(?:gromat\/|rnetMeasurement))|rokez\.cz monitoring|sonAI-User)|J(?:etslide|umio)|K(?:eydrop\.io|laviyo\/|nown Agent)|L(?:AC_IAHarvester|e(?:galMonster|mmy|t's Encrypt)|i(?:brary Of Congress Web Archiving|nk(?:A(?:ce\/|rchiver)|Tiger|Walker\/))|ogicMonitor)|M(?:B-LinkChecker|a(?:CoCu|g(?:ellan|net\.me-web\/|pieRSS)|i(?:lChimp|nWP\/)|ke\/|nageWP|rket(?:Goo\/|ingMiner)|stodon|tchorySearch|vifinds)|e(?:diavineMetadataParser\/|gaIndex|ltwaterNews|t(?:a(?:-ExternalHit\/|Inspector|URI)|orik))|i(?:ni(?:ature\.io\/|flux\/)|xnodeCache\/)|o(?:d(?:atScanner|ularConnector\/)|llie HTTP client|n(?:Spark\/|Tools\.com|itoRSS\/|tasticMonitor)|reover)|uckRack|xToolbox)|N(?:ETVIGIE|ING\/|L(?:NZ_IAHarvester|UX_IAHarvester)|anoInteractive|e(?:ssus|t(?:API|S(?:helter ContentScan|ystemsResearch)|craft(?: (?:SSL Server Survey|Web Server Survey)|SurveyAgent)|vibes)|w(?: York Times Newsgathering|RelicSynthetics|s(?:Blur|Now\/|Room\.BI))|xtCloud)|i(?:cheIndex|kto|tro-)|map Scripting Engine|o(?:dePing|ibu|oshub\/|tion\/|v(?:aact\/|ellum))|u(?:tch|zzel))|O(?:WLer-W|bservePoint|din;|ffline Explorer|hDear\/|mnisend\/|n(?:eTrust|line Domain Tools)|p(?:e(?:n(?:Graph(?:\.io\/|Check)|RSS|VAS)|rator\/)|timizer\))|utsellURLValidator|vercast\/|wler \(ows\.eu)|P(?:DF24 URL To PDF|R(?:-CY\.RU|TG Network Monitor)|S_Daily\/|WABuilderHttpAgent|a(?:ge(?:Peeker\/|Thing|speed\/)|n(?:dalytics|opta)|yPal\/)|e(?:nthouse Critical Path CSS Generator|rplexityUser)|i(?:ngAdmin\.Ru\/|xalate\.com)|layStore-Google|o(?:cket(?:Casts\/|Parser)|d(?:chaserParser|imo|uptime)|ggio-Citations|tions\/)|r(?:intFriendly\.com|o(?:-Sitemaps\/|belySPDR\/|jectShield-UrlCheck|topage\/))|ulsepoint )|Qualys|R(?:ED\/|SS(?:\.Social|API\/)|ackspace Monitoring\/|e(?:adable\/|curly Webhooks\/|elevant\/|t(?:ool\/|r(?:evoPageAnalyzer|oListeCOM\/))|vvimGort\/)|i(?:ddler \(http:\/\/riddler\.io|gor\)|vva)|uxitSynthetic)|S(?:E(?:NTINEL-LinkCheck|O(?:kicks|lizer))|FDC-Callout\/|QWatcher|SL Labs \(https:\/\/www\.ssllabs\.com|ansec Security Monitor\/|c(?:hema-Markup-Validator|o(?:op\.it\/|pe3|utJet)|rubby)|e(?:arch(?:Atlas|Express|er(?:web|xweb))|curityHeaders|ekport|ndGrid Event API|oSiteCheckup|quelWP|rver(?: Density Service Monitoring|Density))|ho(?:pify-Captain-Hook|rtPixel)|i(?:lktide|mple(?:Pie|Scraper)|n(?:ceraSyntheticUser\/|dup)|te(?:24x7|Lock|S(?:earch360\/|ucker)|Uptime\.com|improve\.com))|lurp|n(?:a(?:cktory|pchatAds\/)|ipcart\/)|o(?:ftware-Security-Research|gou|ra POS\/|ttopopNone)|p(?:a(?:rk(?:Post|Shipping)|wning-AI)|ec(?:ificfeeds|tate\/)|lunk)|t(?:a(?:pe\/|rtpagePrivateImageProxy\/|tistikAustria\/)|ripe\/)|u(?:curi|perfeedr)|vix-Webhooks\/|wi(?:fteqLinkChecker|sscows)|y(?:napse|somos))|T(?:LS tester|SM-turingos|TD-Content|actiScout\/|e(?:oma|r(?:mly|raCotta)|st(?: Certificate Info|URI)|xtRazor)|h(?:e(?: Knowledge AI|InternetSearchx)|inklab|ousandEyes)|in(?:Eye|y Tiny RSS)|r(?:aackr\.com|e(?:llis-Services|ndsmapResolver)|ove|ustly\/)|u(?:mblr\/|rnitin)|w(?:eakers|i(?:lioProxy\/|n(?:WaveScanner|gly))|urly))|U(?:ASlinkChecker\/|GAResearchAgent|nshorten\.It!|p(?:flow|tim(?:e(?:-Kuma|\/|Statistics)|ia))|rlcheckr\/)|V(?:a(?:gabondo\/|l(?:idator\.nu|ve\/Steam)|ultPress)|erity\/|igil\/)|W(?:3C(?:-(?:checklink|mobileOK)|_(?:CSS_Validator|I18n-Checker|Unicorn|Validator))|EDOS OnLine|JHRO\/|P(?: Time Capsule|MU(?: DEV (?:Broken Link Checker|Hub)|DEV Uptime Monitor)|S(?:can|ec\/)|Umbrella)|SM\/|Totem|a(?:tch(?:Mouse|ful)|yback)|e(?:SEE:Search|b(?: (?:Measure\/|Screen Service By hyperhost)|C(?:EO Online\/|apture|opier)|DataStats|Sniffer\/|ZIP|flow|siteOps)|pchSearchEngine)|h(?:at(?:Web\/|sMyIP\.org)|eregoes\.com)|ikiDo|ord(?:Press\/|up(?:-1|InfoSearch)))|X(?:ML Sitemaps Generator|Y-Archive-Compliance|enu Link Sleuth)|Y(?:LT Chrome|a(?:K\/|hoo(?: (?:Ad monitoring|Link Preview)|CacheSystem|MailProxy))|eti|okoyGroupAG\/)|Z(?:a(?:bbix|pier)|endesk Webhook|mEu|o(?:omInfo-|teroTranslationServer\/WMF)|yBorg)|a(?:buse\.xmco\.fr|d(?:beat\.com|scanner)|ir\.ai\/scanning|l(?:exa site audit|ienfarm|lOrigins)|rtemis web reader|snriskscorer)|b(?:i(?:gsur\.ai|nlar|tdiscovery)|luesky-domain-status-classifier|ot-pge\.chlooe\.com|rokenlinkcheck\.com)|c(?:aveman-hunter|e(?:nturyb\.o\.t9|rtytags)|h(?:an(?:gedetection|nable)|eck_http)|loudflare-csup|o(?:ccoc|gnitiveseo\.com|llection@infegy\.com|n(?:tentkingapp|vera)|okie-maestro)|r(?:on-job\.org|usty\/)|sirt\.cz|ypex\.ai\/scanning)|d(?:aumoa|e(?:adlinkchecker|epnoc|velopers\.google\.com\/\+\/web\/snippet)|lvr\.it|ownnotifier\.com|rupact|s9)|e(?:Money Advisor|Republik\.tools|asy(?:DNS Monitoring|bill-ImportManager)|c2linkfinder|l(?:ectricmonk|mah\.io Uptime Monitoring)|right|uroparchive\.org|vc-batch|zooms)|f(?:e(?:doraplanet|eder\.co)|ind(?:link|thatfile)|luffy)|g(?:00g1e\.net|dnplus\.com|etthit\.com|ithub-camo|oogle-xrawler|rub\.org)|h(?:CardValidator|eritrix|ttps:\/\/developers\.cloudflare\.com\/security-center\/|y(?:pestat|score\.io))|i(?:chiro|mg(?:2dataset|proxy\/)|n(?:oreader|te(?:gromedb|rnetVista monitor))|ps-agent|skanie|ubenda-radar\/)|jetmon\/|k(?:aikki\.org-digital-archive|eycdn-tools\/)|l(?:9(?:explore|scan)|aion-huggingface-processor|i(?:nk(?:Reader\/|dex|o)|pperhey)|o(?:c\.gov\/programs\/web-archiving|opimprovements\.com)|tx71|yonl-asset-proxy)|m(?:a(?:gicsearchdev\/|il\.ru|ppydata|sscan)|irrorweb\.com|on(?:itis -|tastic-monitor))|n(?:bertaupete95|e(?:tresearchserver|ws(?:ai\/|harecounts))|vdorz|yt_scraping)|outbrain|p(?:a(?:ge2rss|nscient|rse\.ly scraper\/)|ingping\.io\/|ostrank|roximic|ulsetic\.com)|r(?:e(?:move\.bg\/|searchscan\.comsys\.rwth-aachen\.de|ward-gateway)|ss(?:-parser|2tg))|s(?:4a\/|craping@nytimes\.com|e(?:arch\.marginalia\.nu|ewithkids|m(?:antic-visions|pi\.tech)|o(?:4ajax\.com|Lyt|s(?:canners|tar\.co)))|iteexplorer\.info|olarwinds\/|peedy|qlmap|ummify|v-watchagent|ynthetic-monitoring-agent\/)|t(?:chelebi\/|heoldreader\.com|r(?:acemyfile|entwil\.es)|weetedtimes)|u(?:m-(?:FC|IC|LN)|p(?:d(?:ay\/|own\.io)|t(?:imedoctor|rends))|seeBookChecker\/)|v(?:ercel-screenshot|i(?:rustotal|sionheight\.com\/scan)|u-server-health-scanner\/)|w(?:atchTowr|eb(?:mon |sitepulse|zio)|heresitup\.com\/|mtips\.com\/|o(?:orankreview\/|rkona-favicon-service\/|tbox)|ww\.uptime\.com)|yanga|zgrab|(?:AdsBot-Google(?:[^-]|$))|(?:^Seekbot)|(?:(?:sistrix|SISTRIX) [cC]rawler)|(?:Ahrefs(?:Bot|SiteAudit))|(?:^CrunchBot)|(?:S[eE][mM]rushBot)|(?:Livelap[bB]ot)|(?:[pP]ingdom)|(?:Bark[rR]owler)|(?:^dcrawl)|(?:^LCC )|(?:(?:^| )sentry\/)|(?:[Cc]urebot)|(?:(?:^| )PTST\/)|(?:^BW\/)|(?:[cC]laude[bB]ot)|(?:[aA]cunetix)|(?:[dD]ir[Bb]uster)|(?:^ArenaUnfurlBot)|(?:Automaton|Newsify Feed Fetcher)|(?:Chirp|gotosocial)|(?:[cC]ludo)|(?:Netumo|netumo)|(?:GoogleAssociationService$)|(?:^Silk\/)|(?:SSL Labs$)/;

const ASSET = /\.(?:js|mjs|cjs|map|css|less|scss|json|jsonld|xml|rss|atom|txt|pdf|doc|docx|xls|xlsx|ppt|pptx|csv|png|jpg|jpeg|gif|webp|avif|svg|ico|bmp|tif|tiff|heic|mp3|wav|ogg|oga|flac|aac|m4a|mp4|m4v|webm|mov|avi|wmv|flv|mkv|mpg|mpeg|woff|woff2|ttf|otf|eot|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|dmg|iso|apk|msi|bin|wasm|torrent|swf|psd|ai|dat|webmanifest|ics|vcf|eps|jxl)$/i;
const PROBE_PATH = '/__service_probe/';
const DATA_HEADERS = ['rsc', 'next-action', 'next-router-state-tree', 'x-nextjs-data'];
const PREFETCH_HEADERS = ['next-router-prefetch', 'next-router-segment-prefetch', 'x-middleware-prefetch'];
const PURPOSE_HEADERS = ['purpose', 'sec-purpose', 'x-purpose', 'x-moz'];
const USER_AGENT_CHARS = 1024;
const REMEMBERED_AGENTS = 500;
const PAGE_TYPES = ['text/html', 'application/xhtml+xml', 'text/markdown'];
const BROWSER = /^Mozilla\/5\.0.*(?:AppleWebKit|Gecko|Chrome|Safari|Trident|Presto)\//;
const remembered = new Map();
function listOf(userAgent) {
  if (!userAgent) return null;
  let known = remembered.get(userAgent);
  if (known === undefined) {
    const agent = userAgent.slice(0, USER_AGENT_CHARS);
    known = DOCUMENTED.test(agent) ? 'documented' : GENERAL.test(agent) ? 'general' : null;
    if (remembered.size >= REMEMBERED_AGENTS) remembered.clear();
    if (userAgent.length <= USER_AGENT_CHARS) remembered.set(userAgent, known);
  }
  return known;
}
function isNavigation(header, userAgent) {
  if ((header('sec-fetch-mode') ?? '').trim() === 'navigate') return true;
  return BROWSER.test(userAgent.slice(0, USER_AGENT_CHARS)) && header('accept-language') != null
    && ((header('upgrade-insecure-requests') ?? '').trim() === '1' || header('sec-ch-ua') != null
      || /application\/xhtml\+xml/i.test(header('accept') ?? ''));
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
function rangesOf(accept) {
  const members = (accept ?? '').toLowerCase().match(/(?:"(?:\\.|[^"\\])*"?|[^",])+/g) ?? [];
  return members.flatMap((member) => {
    const [type, ...parameters] = (member.match(/(?:"(?:\\.|[^"\\])*"?|[^";])+/g) ?? []).map((part) => part.trim());
    const given = parameters.map((parameter) => /^q\s*=\s*(.*)$/.exec(parameter)).find(Boolean);
    const quality = given ? Number(/^(?:\d+\.?\d*|\.\d+)$/.test(given[1]) ? given[1] : NaN) : 1;
    return /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/.test(type ?? '') && quality <= 1 ? [{ type, quality }] : [];
  });
}
function asksForPage(ranges) {
  if (ranges.length === 0) return true;
  const names = (type) => ranges.some((range) => range.type === type && range.quality > 0);
  const admits = (type) => {
    const found = [type, type.replace(/\/.*/, '/*'), '*/*'].map((name) => ranges.filter((range) => range.type === name)).find((some) => some.length > 0);
    return found?.some(({ quality }) => quality > 0);
  };
  const asks = [...PAGE_TYPES, 'text/*'].some(names)
    || (names('text/plain') && !ranges.some(({ type }) => /[/+]json$/.test(type)))
    || (names('*/*') && ranges.every(({ type }) => type === '*/*'));
  return asks && PAGE_TYPES.some(admits);
}
function namesMarkdown(accept) {
  return rangesOf(accept).some(({ type, quality }) => type === 'text/markdown' && quality > 0);
}
function decide({ method, target, header }) {
  const userAgent = header('user-agent') ?? '';
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  const isProbe = path.startsWith(PROBE_PATH);
  const list = listOf(userAgent);
  const isCrawler = isProbe || list === 'documented' || header('x-bufferbot') != null
    || (at >= 0 && /[?&]_escaped_fragment_(?:[=&]|$)/.test(target)) || namesMarkdown(header('accept'))
    || (list === 'general' && !isNavigation(header, userAgent));
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
  if (!asksForPage(rangesOf(header('accept'))) || DATA_HEADERS.some(has)) return 'data';
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
    isThere() {
      failures = 0;
    },
    isAway() {
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
  'sec-fetch-dest', 'sec-fetch-mode', 'sec-fetch-site', 'sec-fetch-user', 'sec-ch-ua',
];
class Failure extends Error {
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}
function headersFor(facts, apiKey, client) {
  const accept = facts.header('accept');
  const headers = { 'x-service-api-key': apiKey, 'x-service-integration': '1', accept: namesMarkdown(accept) ? accept : 'text/html' };
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
const REFUSALS = [402, 403, 429];
const BODILESS = [204, 205];
const NOT_RELAYED = new Set([
  'connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'content-encoding',
  'content-length', 'accept-ranges', 'age', 'alt-svc', 'date', 'expires', 'nel', 'pragma', 'report-to', 'server', 'set-cookie',
  'strict-transport-security', 'vary', 'via', 'surrogate-control', 'edge-control', 'x-accel-expires', 'x-request-id', 'ratelimit',
  'ratelimit-policy', 'retry-after', 'x-service-snapshot-key',
]);
const DOCUMENT_TYPES = ['text/html', 'application/xhtml+xml', 'text/markdown'];
function isPage(headers) {
  return DOCUMENT_TYPES.includes((headers.get('content-type') ?? '').split(';')[0].trim().toLowerCase());
}
function relayedHeaders(source, cacheControl) {
  const headers = new Headers();
  for (const [name, value] of source) {
    if (!NOT_RELAYED.has(name) && !name.endsWith('cache-control')) headers.set(name, value);
  }
  headers.set('cache-control', cacheControl);
  headers.set('cdn-cache-control', 'no-store');
  headers.set('vary', 'User-Agent, Accept, Accept-Encoding');
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
  if (headers.has('x-service-policy') && REFUSALS.includes(status)) {
    const relayed = relayedHeaders(headers, 'no-store');
    relayed.set('x-service-integration', 'refused');
    if (headers.has('retry-after')) relayed.set('retry-after', headers.get('retry-after'));
    return { answer: { status, headers: relayed, body: facts.method === 'HEAD' ? null : body } };
  }
  const isSuccess = status >= 200 && status < 300;
  const isOfPage = isSuccess || (isRendered && status >= 400 && status < 600);
  if (!isOfPage) return { reason: `status-${status}` };
  const isHead = facts.method === 'HEAD';
  if (!isPage(headers) || BODILESS.includes(status) || (body.byteLength === 0 && !isHead)) return { reason: 'broken' };
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
      breaker.isThere();
      const relayed = relay(received, facts, address);
      if (relayed.answer) return { answer: relayed.answer, isCrawler: true, reason: null };
      return ['declined', 'loop', 'status-400'].includes(relayed.reason) ? app(relayed.reason) : failed(relayed.reason);
    } catch (error) {
      if (error.reason === 'unreachable') breaker.isAway();
      else breaker.isThere();
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
  if ((!isPage && !outcome.isCrawler) || response.status < 200) return response;
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
