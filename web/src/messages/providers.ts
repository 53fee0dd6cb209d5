// Names of companies that run crawlers and assistants, by their id in the API.

/** Names whose capitals are not just the first letter. */
export const names: Record<string, () => string> = {
  openai: () => 'OpenAI',
  bytedance: () => 'ByteDance',
  dataforseo: () => 'DataForSEO',
  duckduckgo: () => 'DuckDuckGo',
  commoncrawl: () => 'Common Crawl',
  internetarchive: () => 'Internet Archive',
  linkedin: () => 'LinkedIn',
  screamingfrog: () => 'Screaming Frog',
  vk: () => 'VK',
  whatsapp: () => 'WhatsApp',
  uptimerobot: () => 'UptimeRobot',
  newrelic: () => 'New Relic',
  betterstack: () => 'Better Stack',
  deepseek: () => 'DeepSeek',
  allenai: () => 'Ai2',
  openclaw: () => 'OpenClaw',
  opencode: () => 'opencode',
};

export const providerName = (id: string) => names[id]?.() ?? id.charAt(0).toUpperCase() + id.slice(1);
