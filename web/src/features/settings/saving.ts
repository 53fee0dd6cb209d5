// Shared by the forms of the settings: what saving came to.
import type { FieldIssue } from '../../lib/refusal';

/** Outcome of saving. Fields that were not saved keep the typed values. */
export interface Saved<V> {
  values: V;
  /** Problems of fields, saved or not. */
  issues?: FieldIssue[];
  unsaved?: (keyof V)[];
}
