// The state of a form that is saved as a whole: values, what differs from what is saved, and what is wrong with them.
// Validates on blur, and again while somebody corrects; the service's word is final. Unsaved values outlive the end of a session.
import type { FieldIssue } from './refusal';

/** Sentences of what is wrong, by the path of the field: `name`, `redirectRules.0.to`. */
export type FormErrors = Record<string, string | undefined>;

let isPressed = false;
if (typeof window !== 'undefined') {
  window.addEventListener('pointerdown', () => (isPressed = true), { capture: true });
  for (const end of ['pointerup', 'pointercancel']) {
    window.addEventListener(end, () => (isPressed = false), { capture: true });
  }
}

/**
 * Runs what follows when a field is left. A press that takes the focus away ends first: an error that appeared before would move
 * the button from under the pointer, and the press would be lost.
 */
export function afterPress(run: () => void): void {
  if (!isPressed) return run();
  const later = () => {
    window.removeEventListener('pointerup', later);
    window.removeEventListener('pointercancel', later);
    setTimeout(run);
  };
  window.addEventListener('pointerup', later);
  window.addEventListener('pointercancel', later);
}

interface Options<T> {
  /** Name under which unsaved values outlive the end of a session: one for each form and domain. */
  name: string;
  saved: T;
  validate?: (values: T) => FormErrors;
}

/** The part of a form that outlives the end of a session. */
interface Draft {
  readonly name: string;
  readonly changed: readonly string[];
  readonly values: object;
}

const live = new Set<Draft>();
const drafts = new Map<string, unknown>();

export class FormState<T extends object> {
  readonly name: string;
  values: T;
  #saved: T;
  #seen = $state.raw<ReadonlySet<string>>(new Set());
  #refused = $state.raw<{ errors: FormErrors; of: string }>({ errors: {}, of: '' });
  #validate: (values: T) => FormErrors;

  constructor({ name, saved, validate }: Options<T>) {
    this.name = name;
    this.#validate = validate ?? (() => ({}));
    this.#saved = $state.raw(structuredClone(saved));
    this.values = $state(structuredClone((drafts.get(name) as T | undefined) ?? saved));
    drafts.delete(name);
  }

  /** Fields of the first level that differ from what is saved. */
  changed = $derived.by(() => {
    const [now, saved] = [this.values as Record<string, unknown>, this.#saved as Record<string, unknown>];
    return Object.keys(now).filter((key) => JSON.stringify(now[key]) !== JSON.stringify(saved[key]));
  });

  #found = $derived.by(() => this.#validate(this.values));

  /** Number of fields that cannot be saved as they are. */
  bad = $derived.by(
    () => Object.keys({ ...this.#found, ...this.#standing }).filter((path) => this.#wrong(path)).length,
  );

  /** Errors from the service, each valid until its field changes. */
  #standing = $derived.by(() => (JSON.stringify(this.values) === this.#refused.of ? this.#refused.errors : {}));

  /** Returns what is wrong with a field, once somebody has left it or tried to save. */
  error(path: string): string | undefined {
    return this.#standing[path] ?? (this.#seen.has(path) ? this.#found[path] : undefined);
  }

  /** Notes that somebody left a field: for `onblur`. */
  leave(path: string): void {
    afterPress(() => {
      if (!this.#seen.has(path)) this.#seen = new Set([...this.#seen, path]);
    });
  }

  /** Shows all that is wrong and decides whether the form can be sent. */
  check(): boolean {
    this.#seen = new Set([...this.#seen, ...Object.keys(this.#found)]);
    return Object.values(this.#found).every((error) => error === undefined);
  }

  /** Puts what the service refused at its fields. */
  refuse(issues: readonly FieldIssue[]): void {
    this.#refused = {
      errors: Object.fromEntries(issues.map((issue) => [issue.path, issue.message])),
      of: JSON.stringify(this.values),
    };
  }

  /** Takes over what the service has saved. */
  accept(saved: T): void {
    this.#saved = structuredClone(saved);
    this.values = structuredClone(saved);
    this.#seen = new Set();
    this.#refused = { errors: {}, of: '' };
  }

  discard(): void {
    this.accept(this.#saved);
  }

  /** Registers the form while it is shown: for `$effect`. */
  attend(): () => void {
    live.add(this);
    return () => live.delete(this);
  }

  #wrong(path: string): boolean {
    return (this.#standing[path] ?? this.#found[path]) !== undefined;
  }
}

/** Keeps the unsaved values of the forms that are shown, for when somebody has signed in again. */
export function keepDrafts(): void {
  for (const form of live) {
    if (form.changed.length > 0) drafts.set(form.name, $state.snapshot(form.values));
  }
}

/** Forgets unsaved values: the account has signed out. */
export function forgetDrafts(): void {
  drafts.clear();
}
