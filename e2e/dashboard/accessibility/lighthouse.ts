// Lighthouse in a browser of Playwright: one browser for all screens, signed in before.
import { chromium, type BrowserContext } from '@playwright/test';
import lighthouse, { desktopConfig, type Config } from 'lighthouse';
import { freePort } from '../../lib/ports.mjs';
import configuration from '../playwright.config.ts';

export type Category = 'accessibility' | 'best-practices' | 'performance';

export interface MeasuredBrowser {
  /** The context that Lighthouse's tabs share: what is signed in here is signed in there. */
  context: BrowserContext;
  /** Scores of a screen from 0 to 100, and what cost points. */
  scores(url: string, categories: Category[], form?: 'desktop' | 'mobile'): Promise<Scores>;
  close(): Promise<void>;
}

export interface Scores {
  scores: Partial<Record<Category, number>>;
  /** Audits that are not passed, a line each. */
  lost: string[];
}

/** Starts a browser that Lighthouse can join. */
export async function openMeasuredBrowser(): Promise<MeasuredBrowser> {
  const port = await freePort();
  const { executablePath, chromiumSandbox, args = [] } = configuration.use?.launchOptions ?? {};
  const context = await chromium.launchPersistentContext('', {
    ...(executablePath !== undefined && { executablePath }),
    ...(chromiumSandbox !== undefined && { chromiumSandbox }),
    args: [...args, `--remote-debugging-port=${port}`],
  });

  async function scores(
    url: string,
    onlyCategories: Category[],
    form: 'desktop' | 'mobile' = 'desktop',
  ): Promise<Scores> {
    const config: Config = form === 'desktop' ? desktopConfig : { extends: 'lighthouse:default' };
    const flags = {
      port,
      onlyCategories,
      // What is signed in stays signed in.
      disableStorageReset: true,
      disableFullPageScreenshot: true,
      // The stream of live visits never ends: nothing is waited for longer.
      maxWaitForLoad: 10_000,
      logLevel: 'error' as const,
    };
    const result = await lighthouse(url, flags, config);
    if (result === undefined) throw new Error(`Lighthouse said nothing of ${url}`);
    const { categories, audits, runtimeError } = result.lhr;
    if (runtimeError !== undefined) throw new Error(`Lighthouse could not look at ${url}: ${runtimeError.message}`);
    const refs = Object.values(categories).flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0));
    const failed = refs.flatMap(({ id }) => (isLost(audits[id]?.score) ? [`${id}: ${audits[id]?.title ?? ''}`] : []));
    return {
      scores: Object.fromEntries(
        Object.values(categories).map(({ id, score }) => [id, score === null ? 0 : Math.round(score * 100)]),
      ),
      lost: [...new Set(failed)],
    };
  }

  return { context, scores, close: () => context.close() };
}

const isLost = (score: number | null | undefined) => typeof score === 'number' && score < 1;
