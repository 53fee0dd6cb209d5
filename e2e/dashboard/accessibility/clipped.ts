// Texts that a screen does not show whole: cut by a box, or written over each other.
import type { Page } from '@playwright/test';

/** Returns what is wrong with the texts of the page as it stands, a line each. */
export async function unreadable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const shown = (element: Element) => {
      const box = element.getBoundingClientRect();
      return (
        box.width > 2 && box.height > 2 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      );
    };
    const isOnlyRead = (element: Element): boolean =>
      getComputedStyle(element).clipPath !== 'none' ||
      (element.parentElement !== null && isOnlyRead(element.parentElement));
    // A link and a row of a list lead to the whole text, and so does the link below the start of an answer.
    const leadsOn = (element: Element, box: Element) =>
      (getComputedStyle(box).textOverflow === 'ellipsis' && element.closest('a, button, [data-rows]') !== null) ||
      Array.from(box.parentElement?.querySelectorAll('a') ?? []).some((link) => link.textContent === 'Whole answer');
    const nameOf = (element: Element) =>
      `<${element.localName} class="${element.getAttribute('class') ?? ''}"> ${(element.textContent ?? '').trim().slice(0, 60)}`;
    const found: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`scrolls sideways: ${String(scrollWidth)} px in ${String(clientWidth)}`);

    const texts: { element: Element; box: DOMRect }[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      if (element === null || node.textContent?.trim() === '' || !shown(element)) continue;
      if (element.closest('svg, option, script, style') !== null || isOnlyRead(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      let isCut = false;
      for (const box of Array.from(range.getClientRects())) {
        if (box.width < 2) continue;
        let isScrolled = false;
        for (
          let around: Element | null = element;
          around !== null && around !== document.body;
          around = around.parentElement
        ) {
          const style = getComputedStyle(around);
          const [x, y] = [style.overflowX, style.overflowY];
          if (style.display === 'inline' || (x === 'visible' && y === 'visible')) continue;
          isScrolled = /auto|scroll/.test(x + y) || leadsOn(element, around);
          if (isScrolled) break;
          const edge = around.getBoundingClientRect();
          if (
            box.right > edge.right + 2 ||
            box.left < edge.left - 2 ||
            box.bottom > edge.bottom + 4 ||
            box.top < edge.top - 4
          )
            isCut = true;
        }
        if (!isScrolled) texts.push({ element, box });
      }
      if (isCut) found.push(`cut: ${nameOf(element)}`);
    }
    const isAbove = (element: Element) => {
      for (let around: Element | null = element; around !== null; around = around.parentElement)
        if (/fixed|sticky/.test(getComputedStyle(around).position)) return true;
      return false;
    };
    const still = texts.filter(({ element }) => !isAbove(element));
    for (const [index, one] of still.entries())
      for (const other of still.slice(index + 1)) {
        const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        if (wide > 3 && high > Math.min(one.box.height, other.box.height) / 2)
          found.push(`over each other: ${nameOf(one.element)} | ${nameOf(other.element)}`);
      }
    return [...new Set(found)];
  });
}
