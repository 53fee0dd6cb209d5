// Short notices: what was done, with Undo for 6 s. `Toaster` draws them. Problems stay until they are closed.

export interface Toast {
  id: number;
  kind: 'done' | 'problem';
  text: string;
  undo?: () => void;
}

/** Time in which something can be undone, in milliseconds. */
export const UNDO_MS = 6000;

let shown = $state.raw<readonly Toast[]>([]);
let count = 0;

export const toasts = {
  get all(): readonly Toast[] {
    return shown;
  },
  /** Says what was done. */
  done(text: string, undo?: () => void): void {
    add({ kind: 'done', text, ...(undo && { undo }) });
  },
  /** Says what went wrong where no panel can. */
  problem(text: string): void {
    add({ kind: 'problem', text });
  },
  close(id: number): void {
    shown = shown.filter((toast) => toast.id !== id);
  },
  clear(): void {
    shown = [];
  },
};

function add(toast: Omit<Toast, 'id'>): void {
  count += 1;
  // Three at once are as many as anybody reads.
  shown = [...shown, { ...toast, id: count }].slice(-3);
}
