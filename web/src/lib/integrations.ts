// The files that people paste into their platform, from the folder integrations of the project, with domain and address filled in.
// Each loads when it is wanted; a build without the folder has none.

/** Platforms with a file to paste. */
export const PLATFORMS = ['cloudflare-workers', 'nextjs', 'express', 'nginx', 'caddy'] as const;
export type Platform = (typeof PLATFORMS)[number];

const files = import.meta.glob<string>(
  '../../../integrations/{cloudflare-workers,nextjs,express,nginx,caddy}/snippet.*',
  { query: '?raw', import: 'default' },
);

/** Returns the file of a platform; null when this build has none. Keys and addresses that nobody knows here stay to be filled in. */
export async function snippetOf(
  platform: Platform,
  { domain, serviceUrl }: { domain: string; serviceUrl: string },
): Promise<string | null> {
  const load = Object.entries(files).find(([path]) => path.includes(`/integrations/${platform}/snippet.`))?.[1];
  if (load === undefined) return null;
  return (await load()).replaceAll('__DOMAIN__', domain).replaceAll('__SERVICE_URL__', serviceUrl);
}
