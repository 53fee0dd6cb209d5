// Common part of surfaces that hang below a trigger. The trigger is a plain button, so that it is there before they are.
// See docs/decisions/0370.

/** Decides whether an event began in the trigger, whose own press closes the surface. */
export function isWithin(target: EventTarget | null, anchor: string): boolean {
  return target instanceof Element && target.closest(anchor) !== null;
}

/** Gives the focus back to the trigger, unless it went elsewhere on purpose. */
export function focusAnchor(event: Event, anchor: string): void {
  event.preventDefault();
  const active = document.activeElement;
  if (active === null || active === document.body || active.closest('[data-layer]') !== null) {
    document.querySelector<HTMLElement>(anchor)?.focus();
  }
}
