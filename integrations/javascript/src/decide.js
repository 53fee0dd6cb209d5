// Decides which requests may leave the site: a crawler's for a page. Pure. The rules are the service's own (docs/edge.md), so
// that the service is not asked for what it would leave to the app.
import { DOCUMENTED, GENERAL } from './crawlers.js';

/** Extensions of files that are never pages: the list of the service. */
const ASSET = /\.(?:js|mjs|cjs|map|css|less|scss|json|jsonld|xml|rss|atom|txt|pdf|doc|docx|xls|xlsx|ppt|pptx|csv|png|jpg|jpeg|gif|webp|avif|svg|ico|bmp|tif|tiff|heic|mp3|wav|ogg|oga|flac|aac|m4a|mp4|m4v|webm|mov|avi|wmv|flv|mkv|mpg|mpeg|woff|woff2|ttf|otf|eot|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|dmg|iso|apk|msi|bin|wasm|torrent|swf|psd|ai|dat|webmanifest|ics|vcf|eps|jxl)$/i;
const PROBE_PATH = '/__service_probe/';
/** Headers that only requests for data or for a later page have. */
const DATA_HEADERS = ['rsc', 'next-action', 'next-router-state-tree', 'x-nextjs-data'];
const PREFETCH_HEADERS = ['next-router-prefetch', 'next-router-segment-prefetch', 'x-middleware-prefetch'];
const PURPOSE_HEADERS = ['purpose', 'sec-purpose', 'x-purpose', 'x-moz'];
/** Characters of a user agent that are looked at: as many as the service reads. */
const USER_AGENT_CHARS = 1024;
const REMEMBERED_AGENTS = 500;

const PAGE_TYPES = ['text/html', 'application/xhtml+xml', 'text/markdown'];
const BROWSER = /^Mozilla\/5\.0.*(?:AppleWebKit|Gecko|Chrome|Safari|Trident|Presto)\//;

const remembered = new Map();

/** Returns the part of the list that a user agent is in: `documented`, `general` or null. Remembers its answers, since few agents make most requests. */
export function listOf(userAgent) {
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

/** Decides whether a browser goes to an address, which outweighs the general list: phones are called bots too. */
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
      // Not UTF-8: only an extension in plain letters counts.
    }
  }
  return ASSET.test(last);
}

/** Reads the media ranges of an `Accept` and skips what cannot be read. Parameters other than q count for nothing. */
function rangesOf(accept) {
  const members = (accept ?? '').toLowerCase().match(/(?:"(?:\\.|[^"\\])*"?|[^",])+/g) ?? [];
  return members.flatMap((member) => {
    const [type, ...parameters] = (member.match(/(?:"(?:\\.|[^"\\])*"?|[^";])+/g) ?? []).map((part) => part.trim());
    const given = parameters.map((parameter) => /^q\s*=\s*(.*)$/.exec(parameter)).find(Boolean);
    const quality = given ? Number(/^(?:\d+\.?\d*|\.\d+)$/.test(given[1]) ? given[1] : NaN) : 1;
    return /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/.test(type ?? '') && quality <= 1 ? [{ type, quality }] : [];
  });
}

/** Decides whether an `Accept` asks for a page. A bare wildcard does, one behind other types does not. */
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

/** Decides whether an `Accept` names Markdown: agents ask for it, and no browser does. */
export function namesMarkdown(accept) {
  return rangesOf(accept).some(({ type, quality }) => type === 'text/markdown' && quality > 0);
}

/**
 * Returns what keeps a request at the site: `isCrawler`, and the reason (null: it may be asked for). People have no reason.
 */
export function decide({ method, target, header }) {
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
