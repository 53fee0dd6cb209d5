// Decides which requests may leave the site: a crawler's for a page. Pure. The rules are the service's own (docs/edge.md), so
// that the service is not asked for what it would leave to the app.
import { CRAWLERS } from './crawlers.js';

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

const remembered = new Map();

/** Decides by the list whether a user agent is a crawler's. Remembers its answers, since few agents make most requests. */
export function isListed(userAgent) {
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
      // Not UTF-8: only an extension in plain letters counts.
    }
  }
  return ASSET.test(last);
}

/** Decides whether HTML is among the types that a client names. A bare wildcard counts, one behind other types does not. */
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

/**
 * Returns what keeps a request at the site: `isCrawler`, and the reason (null: it may be asked for). People have no reason.
 */
export function decide({ method, target, header }) {
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
