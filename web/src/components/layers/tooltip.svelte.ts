// Tooltips: an attachment for whatever has one, and the text that is shown now. `TooltipHost` draws it.
// Shown on hover after a moment and on keyboard focus at once; Escape hides it; it can be pointed at (WCAG 1.4.13).
import type { Attachment } from 'svelte/attachments';

interface Shown {
  text: string;
  anchor: HTMLElement;
}

const DELAY_MS = 350;
const LEAVE_MS = 120;
export const TOOLTIP_ID = 'tooltip';

let shown = $state.raw<Shown | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

export const shownTooltip = {
  get current(): Shown | null {
    return shown;
  },
  hide(): void {
    clearTimeout(timer);
    shown = null;
  },
  /** Keeps it while the pointer is over it. */
  hold(): void {
    clearTimeout(timer);
  },
};

/**
 * Attaches a tooltip; without a text there is none. `describes` has it read aloud too: for texts that say more than the name of
 * what they belong to, such as a time in UTC. A text that has to be read first is a function; null and a failure show nothing.
 */
export function tooltip(
  text: string | (() => Promise<string | null>) | null | undefined,
  { describes = false } = {},
): Attachment<HTMLElement> | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  return (anchor) => {
    let isWanted = false;
    const show = async () => {
      clearTimeout(timer);
      isWanted = true;
      const found = typeof text === 'string' ? text : await text().catch(() => null);
      if (found === null || !isWanted) return;
      shown = { text: found, anchor };
      if (describes) anchor.setAttribute('aria-describedby', TOOLTIP_ID);
    };
    const hide = () => {
      clearTimeout(timer);
      isWanted = false;
      if (describes) anchor.removeAttribute('aria-describedby');
      if (shown?.anchor === anchor) shown = null;
    };
    const later = (run: () => unknown, ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(run, ms);
    };
    const on = {
      pointerenter: (event: PointerEvent) =>
        event.pointerType === 'mouse' && later(show, shown === null ? DELAY_MS : 0),
      pointerleave: () => later(hide, LEAVE_MS),
      pointerdown: hide,
      focus: () => anchor.matches(':focus-visible') && void show(),
      blur: hide,
      keydown: (event: KeyboardEvent) => event.key === 'Escape' && hide(),
    };
    for (const [name, handle] of Object.entries(on)) anchor.addEventListener(name, handle as EventListener);
    return () => {
      for (const [name, handle] of Object.entries(on)) anchor.removeEventListener(name, handle as EventListener);
      hide();
    };
  };
}
