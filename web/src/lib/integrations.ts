// The files that people paste into their platform, from the folder `integrations` of the project, with what is known of the domain
// filled in. Each loads when its platform is chosen; a build without the folder has none.

const ALL = [
  'cloudflare-workers',
  'vercel',
  'netlify',
  'nextjs',
  'express',
  'fastify',
  'nginx',
  'apache',
  'caddy',
] as const;
export type Platform = (typeof ALL)[number];

/** Files that the build found, by path. */
const FILES = import.meta.glob<string>(
  '../../../integrations/{cloudflare-workers,vercel,netlify,nextjs,express,fastify,nginx,apache,caddy}/snippet.*',
  { query: '?raw', import: 'default' },
);

const fileOf = (platform: Platform) =>
  Object.entries(FILES).find(([path]) => path.includes(`/integrations/${platform}/`))?.[1];

/** Platforms that have a snippet, in their order. */
export const PLATFORMS: readonly Platform[] = ALL.filter((platform) => fileOf(platform) !== undefined);

/** Reads the snippet of a platform as it stands in its file; null when this build has none. */
export async function readSnippet(platform: Platform): Promise<string | null> {
  return (await fileOf(platform)?.()) ?? null;
}

/** Decides whether a host is this machine's own, which nothing outside reaches. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])(:\d+)?$/.test(host);
}

/** Values to fill in; null leaves the placeholder for the reader. */
export interface Values {
  domain: string;
  serviceUrl: string;
  edgeAddress: string | null;
}

export interface Filled {
  text: string;
  /** Places that the reader fills in. */
  places: ('API_KEY' | 'APP_ADDRESS' | 'EDGE_ADDRESS')[];
}

/** Fills in a snippet. Must never put a key into it: keys are shown once, where they are made. */
export function fillSnippet(template: string, { domain, serviceUrl, edgeAddress }: Values): Filled {
  const text = template
    .replaceAll('__DOMAIN__', domain)
    .replaceAll('__SERVICE_URL__', serviceUrl)
    .replaceAll('__EDGE_ADDRESS__', edgeAddress ?? '__EDGE_ADDRESS__');
  const places = (['API_KEY', 'APP_ADDRESS', 'EDGE_ADDRESS'] as const).filter((place) => text.includes(`__${place}__`));
  return { text, places };
}
