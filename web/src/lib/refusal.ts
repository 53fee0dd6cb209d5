// The state that a screen shows in place of something that was refused or failed. Types only; `api/refusals.ts` decides which.

/** Something wrong in a request: a dotted path such as `redirectRules.0.status`, and a sentence. */
export interface FieldIssue {
  path: string;
  message: string;
}

export type Refusal =
  /** The session ended; the application goes to the page of signing in. */
  | { kind: 'signed_out' }
  /** The account is inactive: reading works, nothing else does. */
  | { kind: 'inactive' }
  /** The operator locked the domain. */
  | { kind: 'suspended' }
  /** A higher plan is needed. */
  | { kind: 'plan'; code: string; requiredPlan: string | null }
  /** A limit of the plan is reached. */
  | { kind: 'limit'; code: string; limit: number | null; current: number | null }
  /** Too many requests; `seconds` until the next one is answered. */
  | { kind: 'wait'; seconds: number }
  | { kind: 'not_found' }
  /** An audit has nothing to do: no page is new. */
  | { kind: 'nothing_new' }
  /** Something that was sent cannot be used. */
  | { kind: 'invalid'; code: string; issues: FieldIssue[] }
  /** Another state forbids it now: 409, and what 4xx codes of one operation say. */
  | { kind: 'conflict'; code: string; details: Record<string, unknown> }
  | { kind: 'offline' }
  /** The service, or a part of it, is away. */
  | { kind: 'unavailable'; status: number; requestId: string | null }
  /** Anything else. */
  | { kind: 'failed'; status: number; code: string; requestId: string | null };

/** Data of a panel on its way: what is there, why there is no more, and the way to ask again. */
export interface Load<T> {
  data: T | undefined;
  refusal: Refusal | null;
  isFetching: boolean;
  /** Time at which the data came; 0 when there are none. */
  updatedAt: number;
  retry(): void;
}
