// Short names of answers that several screens take apart.
import type { components } from './schema';

type Schemas = components['schemas'];

/** The answer of `GET /api/dashboard/overview`. */
export type OverviewReport = Schemas['SiteOverview'];
/** A row of `GET /api/dashboard/sites`. */
export type SiteRow = Schemas['SiteRow'];
/** The answer of testing an address against the rules of a domain. */
export type RuleTest = Schemas['RuleTestResult'];
/** Stored paths that patterns match. */
export type PatternMatches = Schemas['PatternTestResult'];
/** A refresh of many pages, as the list of refreshes has it. */
export type BatchRow = Schemas['BatchSummary'];
