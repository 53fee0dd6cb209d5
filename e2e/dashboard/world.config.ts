// What is done in the made world and is no journey: pictures of every screen, its speed, and the making alone. WORLD names the folder.
import { defineConfig } from '@playwright/test';
import journeys from './playwright.config.ts';

const { globalSetup: _, ...shared } = journeys;

export default defineConfig({
  ...shared,
  testMatch: [],
  // A service that runs already has its own world.
  ...(process.env.DASHBOARD_ADDRESS === undefined && { globalSetup: './world/open.ts' }),
  fullyParallel: false,
  workers: 1,
  retries: 0,
  projects: [
    { name: 'world', testMatch: 'world/made.ts' },
    { name: 'pictures', testMatch: 'pictures/*.take.ts' },
    { name: 'speed', testMatch: 'speed/screens.measure.ts' },
    { name: 'rows', testMatch: 'speed/rows.measure.ts' },
  ],
});
