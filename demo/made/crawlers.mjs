// Crawlers of the made-up visits: name, address, habits. Data of visits.mjs.
// Addresses are ones that the companies have published; one that publishes none, or is told by reverse DNS alone, has none here.

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko; compatible; ';

/**
 * perDay: visits on an ordinary day. grows: from what share of that 45 days ago. weekend: share of that on Saturdays and Sundays.
 * day: visits come at the hours at which people are awake. sweep: reads every page once each so many days, instead of some pages each day.
 * since: days ago on which it came first. networks: where it comes from, as CIDR of IPv4. feed: list in which its company publishes them.
 * reads: favourite pages; none: those that the whole site leads to.
 */
export const CRAWLERS = [
  { id: 'googlebot', agent: 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/141.0.0.0 Safari/537.36',
    perDay: 36, grows: 0.9, weekend: 0.78, networks: ['66.249.66.0/24'], feed: 'https://developers.google.com/static/crawling/ipranges/common-crawlers.json' },
  { id: 'bingbot', agent: 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/136.0.0.0 Safari/537.36',
    perDay: 15, grows: 0.95, weekend: 0.75, networks: ['157.55.39.0/24'], feed: 'https://www.bing.com/toolbox/bingbot.json' },
  { id: 'applebot', agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)',
    perDay: 6, grows: 0.8, weekend: 0.9, networks: ['17.241.208.160/27'], feed: 'https://search.developer.apple.com/applebot.json' },
  { id: 'duckduckbot', agent: 'DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)', perDay: 3, grows: 1, weekend: 1, networks: [] },
  { id: 'gptbot', agent: `Mozilla/5.0 ${CHROME}GPTBot/1.3; +https://openai.com/gptbot)`,
    perDay: 17, grows: 0.55, weekend: 0.65, networks: ['52.230.152.0/24'], feed: 'https://openai.com/gptbot.json' },
  { id: 'oai-searchbot', agent: `Mozilla/5.0 ${CHROME}OAI-SearchBot/1.3; +https://openai.com/searchbot)`,
    perDay: 16, grows: 0.5, weekend: 0.7, networks: ['51.8.102.0/24'], feed: 'https://openai.com/searchbot.json' },
  { id: 'chatgpt-user', agent: `Mozilla/5.0 ${CHROME}ChatGPT-User/1.0; +https://openai.com/bot)`,
    perDay: 14, grows: 0.4, weekend: 1.3, day: true, networks: ['23.98.142.176/28'], feed: 'https://openai.com/chatgpt-user.json',
    reads: ['/pots/tide-mug', '/pots/quay-jug', '/classes', '/pots/breakfast-bowl'] },
  { id: 'claudebot', agent: `Mozilla/5.0 ${CHROME}ClaudeBot/1.0; +claudebot@anthropic.com)`,
    perDay: 15, grows: 0.6, weekend: 0.7, networks: ['216.73.216.0/24'], feed: 'https://claude.com/crawling/bots.json' },
  { id: 'claude-searchbot', agent: 'Mozilla/5.0 (compatible; Claude-SearchBot/1.0; +https://www.anthropic.com)',
    perDay: 7, grows: 1, weekend: 0.9, since: 9, networks: ['216.73.216.0/24'], feed: 'https://claude.com/crawling/bots.json' },
  { id: 'claude-user', agent: 'Mozilla/5.0 (compatible; Claude-User/1.0; +Claude-User@anthropic.com)',
    perDay: 4, grows: 0.4, weekend: 1.2, day: true, networks: ['216.73.216.0/24'], feed: 'https://claude.com/crawling/bots.json',
    reads: ['/journal/why-the-foot-is-bare', '/classes'] },
  { id: 'perplexitybot', agent: `Mozilla/5.0 ${CHROME}PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)`,
    perDay: 11, grows: 0.6, weekend: 0.85, networks: ['18.97.9.96/29'], feed: 'https://www.perplexity.ai/perplexitybot.json' },
  { id: 'perplexity-user', agent: `Mozilla/5.0 ${CHROME}Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)`,
    perDay: 5, grows: 0.5, weekend: 1.2, day: true, networks: ['18.97.21.0/30'], feed: 'https://www.perplexity.ai/perplexity-user.json',
    reads: ['/pots', '/pots/serving-bowl'] },
  { id: 'meta-externalagent', agent: 'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)', perDay: 7, grows: 0.7, weekend: 0.95, networks: [] },
  { id: 'amazonbot', agent: `Mozilla/5.0 ${CHROME}Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot) Chrome/119.0.6045.214 Safari/537.36`, perDay: 4, grows: 0.9, weekend: 1, networks: [] },
  { id: 'ccbot', agent: 'CCBot/2.0 (https://commoncrawl.org/faq/)', sweep: 16, perDay: 0, networks: ['18.97.9.168/29'], feed: 'https://index.commoncrawl.org/ccbot.json' },
  { id: 'ahrefsbot', agent: 'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)', perDay: 6, grows: 1, weekend: 1, networks: [] },
  { id: 'pinterestbot', agent: 'Mozilla/5.0 (compatible; Pinterestbot/1.0; +http://www.pinterest.com/bot.html)', perDay: 9, grows: 0.8, weekend: 1.5, day: true, networks: [],
    reads: ['/pots/heron-vase', '/pots/bud-vase', '/pots/tide-mug'] },
  { id: 'facebookexternalhit', agent: 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', perDay: 5, grows: 0.9, weekend: 1.4, day: true, networks: [],
    reads: ['/', '/journal/ochre-from-the-cliff', '/classes'] },
  { id: 'whatsapp', agent: 'WhatsApp/2.23.20.0', perDay: 5, grows: 0.9, weekend: 1.5, day: true, networks: [], reads: ['/classes', '/pots/tide-mug'] },
  { id: 'slackbot', agent: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', perDay: 2, grows: 1, weekend: 0.2, day: true, networks: [], reads: ['/classes', '/'] },
];

/** A day on which a crawler read far more than usual: [days ago, crawler, factor]. */
export const BUSY = [[31, 'googlebot', 2.6], [23, 'gptbot', 5], [22, 'gptbot', 3], [10, 'perplexitybot', 3.5], [4, 'claudebot', 2.8]];

/** Somebody who gives the name of a crawler and comes from elsewhere: [days ago, crawler, address, visits]. The addresses are resolvers of DNS, so
 *  that nobody is accused. Their companies publish lists and no reverse DNS: only there the import can tell. */
export const IMPOSTORS = [[19, 'gptbot', '9.9.9.9', 14], [12, 'claudebot', '1.1.1.1', 9], [5, 'gptbot', '9.9.9.9', 21], [2, 'perplexitybot', '8.8.8.8', 6]];
