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

/** The table of waiting rules: `build.mjs` writes each limit where it stands. */
declare const RULES: typeof import('./rules.json');

/** The binding of the tab; absent in documents that it does not listen to. */
declare var __glasshouse: ((message: string) => void) | undefined;

// What the browser has and TypeScript's own description of it lacks.
interface Window {
  Scheduler?: { prototype: object };
  [name: string]: any;
}
