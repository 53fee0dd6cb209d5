// Short names of answers that several screens take apart.
import type { Schemas } from 'glasshouse-client';

/** The answer of `GET /api/dashboard/overview`. */
export type OverviewReport = Schemas['SiteOverview'];
/** A row of `GET /api/dashboard/sites`. */
export type SiteRow = Schemas['SiteRow'];
/** The answer of testing an address against the rules of a domain. */
export type RuleTest = Schemas['RuleTestResult'];
/** Stored paths that patterns match. */
export type PatternMatches = Schemas['PatternTestResult'];
/** A page as a person sees it, as a crawler gets it, and as it is without Glasshouse. */
export type PageView = Schemas['View'];
/** A picture of a whole page; `cut`: there was more below. */
export type ViewPicture = Schemas['ViewPicture'];
/** A request of a page that a person looked at. */
export type ViewRequest = Schemas['ViewRequestEntry'];
/** A refresh of many pages, as the list of refreshes has it. */
export type BatchRow = Schemas['BatchSummary'];
