// A fix that is made where a fault is shown, and what it came to. Types only.

/** A fix that a row offers. */
export type Fix =
  | { kind: 'redirect'; path: string }
  | { kind: 'ignore'; path: string }
  | { kind: 'rule'; path: string; crawler: string };

/** A fix with what was typed: source or pattern, and destination. */
export interface FixRequest {
  fix: Fix;
  from: string;
  to: string;
}

/** Change that a fix has made. */
export interface Change {
  /** Lines that are new in the settings. */
  added: string[];
  /** Consequence that the lines do not say. */
  note: string;
  undo: () => Promise<void>;
}

/** Outcome of a fix: a change, or a sentence about why there is none. */
export type FixOutcome = { change: Change } | { problem: string };
