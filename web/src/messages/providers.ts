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

/** Returns the name of a company; of one that is not listed, its id in words. */
export const providerName = (id: string) => names[id]?.() ?? inWords(id);

/** Writes an id as words: the first letter large, hyphens and underscores as blanks. */
export const inWords = (id: string) => {
  const words = id.replace(/[-_]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
