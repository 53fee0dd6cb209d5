// The theme: system, light or dark. `public/theme.js` sets it before the first paint, from the same stored name.
import { recall, remember } from './storage';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

let chosen = $state<Theme>(THEMES.find((theme) => theme === recall('theme')) ?? 'system');

export const theme = {
  get current(): Theme {
    return chosen;
  },
  choose(next: Theme): void {
    chosen = next;
    remember('theme', next === 'system' ? null : next);
    if (next === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
  },
};
