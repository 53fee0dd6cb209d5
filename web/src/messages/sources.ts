// Words of AI mentions: sources, searches, competitors.

export const by = () => 'By';
export const domain = () => 'Domain';
export const page = () => 'Page';
export const source = () => 'Source';
export const kind = () => 'Kind';
export const citations = () => 'Cited';
export const retrieved = () => 'Found, not cited';
export const gaps = () => 'Gaps';
export const gapsHint = () => 'Gaps are answers that cite the source and name a rival, and not you.';
export const lastDay = () => 'Last';
export const crawled = () => 'Last AI crawl';
export const findings = () => 'Findings';
export const people = () => 'People';
export const unknown = () => 'not known';
export const sourcesWhat = () => 'sources';
export const noSourcesTitle = () => 'No source yet';
export const noSourcesYet = () => 'Sources come with answers of assistants that search.';
export const searches = () => 'Searches';
export const searchesWhat = () => 'searches';
export const search = () => 'Search';
export const names = () => 'Names you';
export const tracked = () => 'Tracked';
export const noSearchesTitle = () => 'No search yet';
export const noSearchesText = () => 'Assistants that search say what they searched for.';
export const competitor = () => 'Competitor';
export const competitorsWhat = () => 'competitors';
export const ahead = () => 'Ahead of you';
export const strength = () => 'Strength';
export const strengthHint = () =>
  'Strength, from 0 to 100, orders rivals by presence, place and citations; nothing more.';
const STANDINGS: Record<string, string> = { tracked: 'Tracked', discovered: 'Discovered', ignored: 'Ignored' };
export const standing = (id: string) => STANDINGS[id] ?? id;
export const track = () => 'Track';
export const ignore = () => 'Ignore';
export const trackNamed = (name: string) => `Track ${name}`;
export const ignoreNamed = (name: string) => `Ignore ${name}`;
export const isIgnored = (name: string) => `${name} is ignored and counts nowhere.`;
export const addCompetitor = () => 'Add competitor';
export const nameField = () => 'Name';
export const websiteField = () => 'Website';
export const websiteHint = () => 'Its citations count for it then.';
export const nameWrong = () => 'Use 1 to 80 characters.';
export const nameTaken = () => 'A brand of this profile has this name.';
export const competitorAdded = (name: string) => `${name} is tracked. Answers are being read again.`;
export const noCompetitorsTitle = () => 'No competitor yet';
export const noCompetitorsText = () =>
  'Brands that answers name beside yours come by themselves. Those you know can be added.';
export const competitorsSub = () => 'Figures are of the last 7 days. What is done here changes the brand profile.';
export const isStanding = (name: string, state: string) =>
  `${name}: ${state.toLowerCase()}. Answers are being read again.`;
