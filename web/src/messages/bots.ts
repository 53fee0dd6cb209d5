// Names of crawlers by their id in the API, for visits and findings that carry the id alone.
// The names are those of the service's list (crates/analytics/data/crawlers.json); a test compares the two.

/** Names whose id is the name in small letters, with a hyphen for everything else. */
const LIKE_THEIR_ID = `
  AdIdxBot, AdsBot-Google, AhrefsBot, AI2Bot, Aider, AmazonBuyForMe, Amazonbot, Anchor Browser, Amzn-SearchBot, Amzn-User, Applebot, archive.org_bot,
  AzureAI-SearchBot, Baiduspider, bedrockbot / AgentCore Browser, Better Stack, BingPreview / MicrosoftPreview,
  Bluesky Cardyb, Botify, Bravebot, Browserbase, Bytespider, CCBot, ChatGLM-Spider, ChatGPT-User, Chrome-Lighthouse,
  Claude Code, Claude-SearchBot, Claude-User, ClaudeBot, Cloudflare Browser Run, Codex CLI, Cursor, Datadog Synthetics, DataForSeoBot, DeepSeekBot, Devin, Diffbot, Discordbot,
  DotBot / rogerbot, DuckAssistBot, DuckDuckBot, Embedly, ExaBot, FeedFetcher-Google, FirecrawlAgent,
  Gemini CLI, Gemini-Deep-Research, Google-Agent / Mariner, Google-CloudVertexBot, Google-InspectionTool, Google-NotebookLM,
  Googlebot, GoogleOther, GPTBot, Iframely, ImagesiftBot, iMessage link preview, Kagibot, Kernel, Kimi-User, Linespider,
  LinkedInBot, Manus-User, Markdown client, Mastodon & fediverse, meta-externalads / FacebookBot, MistralAI-User, MJ12bot,
  MojeekBot, New Relic, OAI-AdsBot, OAI-SearchBot, omgili / Webzio, OpenClaw, opencode, Perplexity-User, PerplexityBot, PetalBot,
  PhindBot, Pingdom, Pinterestbot, Qwantbot, Screaming Frog, SemrushBot, SeznamBot, Sitebulb, SkypeUriPreview,
  Slackbot, Slurp / Y!J, Snap URL Preview, Sogou spider, StatusCake, Storebot-Google, TavilyBot, TelegramBot,
  TikTokSpider, Timpibot, TongyiBot, TwinAgent, Twitterbot, UptimeRobot, Viber, vkShare, WhatsApp, YandexAdditionalBot,
  YandexBot, Yeti, YisouSpider, YiyanBot, YouBot
`;

const names: Record<string, string> = {
  'anthropic-legacy': 'anthropic-ai / Claude-Web',
  'chatgpt-agent': 'ChatGPT agent (browser UA)',
  unknown: 'Unknown bot',
};
for (const name of LIKE_THEIR_ID.trim().split(/,\s+/)) names[idOf(name)] = name;

function idOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** Crawlers of the list with their names, in the order of these. */
export const knownCrawlers = () =>
  Object.entries(names)
    .map(([id, name]) => ({ id, name }))
    .toSorted((one, other) => one.name.localeCompare(other.name));

/** Id of a crawler that the service knows by a pattern only. */
const LISTED = /^list:\^?/;

/** Returns the name of a crawler for people. An id that is not known is shown as it is. */
export const crawlerName = (id: string) =>
  names[id] ?? (LISTED.test(id) ? id.replace(LISTED, '').replaceAll('\\', '') : id);
