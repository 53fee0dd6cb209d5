// Words of AI mentions: sources, searches, competitors.

export const by = () => 'By';
export const domain = () => 'Domain';
export const page = () => 'Page';
export const source = () => 'Source';
export const kind = () => 'Kind';
export const citations = () => 'Cited';
export const retrieved = () => 'Found, not cited';
export const gaps = () => 'Gaps';
export const gapsHint = () => 'Gaps are answers that cite the source and name a rival, but not you.';
export const lastDay = () => 'Last';
export const crawled = () => 'Last AI crawl';
export const findings = () => 'Findings';
export const people = () => 'People';
export const unknown = () => 'not known';
export const sourcesWhat = () => 'sources';
export const noSourcesTitle = () => 'No source yet';
export const noSourcesYet = () => 'Sources appear with answers from assistants that search the web.';
export const searches = () => 'Searches';
export const searchesWhat = () => 'searches';
export const search = () => 'Search';
export const names = () => 'Names you';
export const tracked = () => 'Tracked';
export const noSearchesTitle = () => 'No search yet';
export const noSearchesText = () => 'They appear when assistants search the web for an answer.';
export const competitor = () => 'Competitor';
export const competitorsWhat = () => 'competitors';
export const ahead = () => 'Ahead of you';
export const strength = () => 'Strength';
export const strengthHint = () =>
  'Strength, from 0 to 100, ranks rivals by how often and how early answers name them, and whether they cite them. It is a rough guide.';
const STANDINGS: Record<string, string> = { tracked: 'Tracked', discovered: 'Discovered', ignored: 'Ignored' };
export const standing = (id: string) => STANDINGS[id] ?? id;
export const track = () => 'Track';
export const ignore = () => 'Ignore';
export const trackNamed = (name: string) => `Track ${name}`;
export const ignoreNamed = (name: string) => `Ignore ${name}`;
export const isIgnored = (name: string) => `${name} is ignored and no longer counted.`;
export const addCompetitor = () => 'Add competitor';
export const nameField = () => 'Name';
export const websiteField = () => 'Website';
export const websiteHint = () => 'Citations of this site then count for the competitor.';
export const nameWrong = () => 'Use 1 to 80 characters.';
export const nameTaken = () => 'Your brand profile already has this name.';
export const competitorAdded = (name: string) => `${name} is tracked. Answers are being analysed again.`;
export const noCompetitorsTitle = () => 'No competitor yet';
export const noCompetitorsText = () =>
  'Brands that answers name beside yours are added automatically. You can also add those you know.';
export const competitorsSub = () => 'Changes here change your brand profile.';
export const competitorsDays = (from: string, to: string) =>
  `Figures are those of the latest report: all prompts, ${from} to ${to}. On Overview, shares of voice cover the days chosen there.`;
export const isStanding = (name: string, state: string) =>
  `${name}: ${state.toLowerCase()}. Answers are being analysed again.`;
