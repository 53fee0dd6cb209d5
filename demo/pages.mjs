// Pages of the demo shop, by its data. Used by its server for the sitemap, and by what makes up its visits. Pure but for reading the data.
import { readFileSync } from 'node:fs';

const load = (name) => JSON.parse(readFileSync(new URL(`data/${name}.json`, import.meta.url), 'utf8'));

export const data = { pots: load('pots'), classes: load('classes'), journal: load('journal') };

/** Paths of all pages. */
export const paths = ['/', '/pots', ...data.pots.map((pot) => `/pots/${pot.slug}`), '/classes', '/journal', ...data.journal.map((post) => `/journal/${post.slug}`), '/about'];
