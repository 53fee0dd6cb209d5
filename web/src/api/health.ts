// Explanation of a site's health on screens that show the figure without its run. Read when somebody asks for it.
import type { healthFormula as Formula } from '../messages/audits/overview';
import { queryClient, read } from './queries';

type HealthParts = Parameters<typeof Formula>[0];

/** Returns the run that gave a domain its health, with the formula in numbers; null when the run does not have them. */
export async function explainHealth(
  domain: string,
  health: number,
): Promise<{ runId: string; formula: string } | null> {
  const { runs } = await queryClient.fetchQuery(read('/api/seo-spider/runs', { params: { query: { domain } } }));
  const { healthFormula } = await import('../messages/audits/overview');
  for (const { id, healthScore, crawlStats } of runs) {
    const { healthParts } = crawlStats as { healthParts?: HealthParts | null };
    if (healthScore === health && healthParts) return { runId: id, formula: healthFormula(healthParts, health) };
  }
  return null;
}
