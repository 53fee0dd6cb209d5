// Names of the limits of an account.

/** Names of limits by their id; an id that is not here is shown as it is. */
export const limits: Record<string, () => string> = {
  domains: () => 'Domains',
  renders_per_month: () => 'Renders this month',
  audits_per_month: () => 'Audits on demand this month',
  audited_pages_per_month: () => 'Audited pages this month',
  pages_per_audit: () => 'Pages in one audit',
  prompts: () => 'Prompts',
  monitors: () => 'Active prompts',
  providers_per_prompt: () => 'Assistants for one prompt',
  redirect_rules: () => 'Redirect rules of one domain',
  snapshot_bytes: () => 'Bytes of stored snapshots',
};
export const limitName = (id: string) => limits[id]?.() ?? id.replaceAll('_', ' ');
