// Made-up crawler visits of the demo shop: lines of an access log for `glasshouse analytics import --format ndjson`, and the lists of addresses
// by which that import tells crawlers from impostors. The same end gives the same lines. Pure; see docs/decisions/0460.
import { BUSY, CRAWLERS, IMPOSTORS } from './crawlers.mjs';
import { dice, pick, pickWeighted, round } from './dice.mjs';

export const DAYS = 45;
const DAY_MS = 86_400_000;
/** Pages that were there once: crawlers go on asking for them. */
const GONE = ['/pots/teapot', '/shop/mugs', '/pots/salt-pig', '/collections/vases'];
/** Visits per hundred that ask for a page that is gone, before the last week and in it: a link to an old page spread. */
const GONE_SHARE = { before: 0.6, lately: 1.7 };

const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10);

/** How often the pages of the shop are asked for, against 1.5 for any other. */
const LIKED = { '/': 6, '/pots': 4.5, '/classes': 3.5, '/pots/tide-mug': 3.5, '/pots/quay-jug': 3, '/pots/breakfast-bowl': 2.5, '/journal': 2, '/about': 1.2, '/pots/herb-planter': 0.6 };

/** An address of a network, such as 52.230.152.0/24. */
function addressIn(random, network) {
  const [base, bits] = network.split('/');
  const [a, b, c, d] = base.split('.').map(Number);
  return [a, b, c, d + Math.floor(random() * 2 ** (32 - Number(bits)))].join('.');
}

/** Milliseconds of a day: any, or when people are awake in Britain. */
function timeOfDay(random, isAwake) {
  const hour = isAwake ? 7 + ((random() + random() + random()) / 3) * 16 : random() * 24;
  return Math.floor(hour * 3_600_000);
}

/** How the shop's pages are answered: mostly from the cache, which was empty at first. */
function answer(random, daysAgo, isGone) {
  const warm = daysAgo >= DAYS - 2 ? 0.35 : 0.9;
  const chance = random();
  if (isGone) return { servedBy: chance < 0.6 ? 'cache' : 'render', status: 404, durationMs: chance < 0.6 ? 2 : Math.round(600 + random() * 500) };
  if (chance < warm) return { servedBy: 'cache', status: 200, durationMs: Math.round(1 + random() * 4) };
  if (chance < warm + 0.075) return { servedBy: 'render', status: 200, durationMs: Math.round(650 + random() * random() * 2200) };
  // The workshop's server is sometimes down for a moment.
  const isDown = random() < 0.02;
  return { servedBy: 'origin', status: isDown ? 503 : 200, durationMs: Math.round(40 + random() * 160) };
}

function visitsOfDay({ crawler, daysAgo, midnight, pages, random }) {
  const weekday = new Date(midnight).getUTCDay();
  const isWeekend = weekday === 0 || weekday === 6;
  if (daysAgo > (crawler.since ?? DAYS)) return [];
  const isSweep = crawler.sweep !== undefined && daysAgo % crawler.sweep === 7;
  const age = (DAYS - 1 - daysAgo) / (DAYS - 1);
  const busy = BUSY.find(([day, id]) => day === daysAgo && id === crawler.id)?.[2] ?? 1;
  const level = crawler.sweep ? 0 : crawler.perDay * (crawler.grows + (1 - crawler.grows) * age) * (isWeekend ? crawler.weekend : 1);
  const count = round(random, level * busy * (0.75 + random() * 0.5));
  const liked = [...pages.map((path) => [path, LIKED[path] ?? 1.5]), ...(crawler.reads ?? []).map((path) => [path, 12])];
  const wanted = isSweep ? pages : Array.from({ length: count }, () => pickWeighted(random, liked));
  const sweepStart = timeOfDay(random, false) / 2;
  return wanted.map((path, index) => {
    const isGone = random() * 100 < (daysAgo < 7 ? GONE_SHARE.lately : GONE_SHARE.before) && !crawler.day;
    const at = midnight + (isSweep ? sweepStart + index * 4_000 : timeOfDay(random, crawler.day));
    const ip = crawler.networks.length > 0 ? { ip: addressIn(random, pick(random, crawler.networks)) } : {};
    return { at, path: isGone ? pick(random, GONE) : path, userAgent: crawler.agent, ...answer(random, daysAgo, isGone), ...ip };
  });
}

function visitsOfImpostors({ daysAgo, midnight, pages, random }) {
  const today = IMPOSTORS.filter(([day]) => day === daysAgo);
  return today.flatMap(([, id, ip, count]) => {
    const start = timeOfDay(random, false) * 0.8;
    const { agent } = CRAWLERS.find((crawler) => crawler.id === id);
    return Array.from({ length: count }, (_, index) => {
      return { at: midnight + start + index * 1_500, path: pick(random, pages), userAgent: agent, servedBy: 'origin', status: 200, durationMs: Math.round(50 + random() * 80), ip };
    });
  });
}

/** Lines of a log of the DAYS UTC days up to `end` (milliseconds since 1970), in the order of their times. `pages`: paths of the site. */
export function makeLog({ end, pages }) {
  const today = Math.floor(end / DAY_MS) * DAY_MS;
  const visits = [];
  for (let daysAgo = DAYS - 1; daysAgo >= 0; daysAgo -= 1) {
    const midnight = today - daysAgo * DAY_MS;
    for (const crawler of CRAWLERS) {
      const random = dice('visits', dayOf(midnight), crawler.id);
      visits.push(...visitsOfDay({ crawler, daysAgo, midnight, pages, random }));
    }
    visits.push(...visitsOfImpostors({ daysAgo, midnight, pages, random: dice('impostors', dayOf(midnight)) }));
  }
  const seen = visits.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
  return seen.map(({ at, ...visit }) => JSON.stringify({ ts: new Date(at).toISOString(), ...visit }));
}

/** The lists of addresses that belong to the log, as a `crawler-ranges.json` of the day on which it ends. */
export function makeRanges(end) {
  const feeds = {};
  for (const { feed, networks } of CRAWLERS) {
    if (feed === undefined) continue;
    const known = feeds[feed]?.networks ?? [];
    feeds[feed] = { updated: dayOf(end), networks: [...new Set([...known, ...networks])] };
  }
  return JSON.stringify({ about: 'Networks of the made-up visits of the demo, for their import alone.', feeds });
}
