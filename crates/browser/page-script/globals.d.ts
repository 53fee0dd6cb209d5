/** Options of the render, as `src/page/mod.rs` writes them around the bundle. */
interface RenderOptions {
  nonce: string;
  mark: string;
  frames: boolean;
  quietMs: number;
  hardMs: number;
  waitForSelector: string | null;
  htmlBytes: number;
  used: boolean;
  forbidsScripts: boolean;
  inspects: boolean;
}

declare const renderOptions: RenderOptions;

/** The waiting rules. `build.mjs` replaces each use by its number. */
declare const RULES: typeof import('./rules.json');

/** Binding to the tab; absent in documents that are not captured. */
declare var __glasshouse: ((message: string) => void) | undefined;

// Globals that TypeScript's description of the browser lacks.
interface Window {
  Scheduler?: { prototype: object };
  [name: string]: any;
}
