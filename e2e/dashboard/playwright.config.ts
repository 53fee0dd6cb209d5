// Journeys through the dashboard. One service of its own, with a fresh data folder, serves all of them; Debian's Chromium plays the
// person. A failed journey leaves a trace and a picture in test-results.
import { defineConfig } from '@playwright/test';

const isRoot = process.getuid?.() === 0;

export default defineConfig({
  testDir: '.',
  testMatch: '{journeys,states,accessibility}/**/*.spec.ts',
  globalSetup: './world/start.ts',
  fullyParallel: true,
  // The service, its database and the browsers share two cores.
  workers: 2,
  forbidOnly: process.env.CI !== undefined,
  // A shared machine can be too slow once; what passes only the second time is named.
  retries: process.env.CI === undefined ? 0 : 1,
  reporter: [['list']],
  timeout: 45_000,
  expect: { timeout: 10_000 },
  use: {
    baseURL: process.env.DASHBOARD_ADDRESS ?? '',
    browserName: 'chromium',
    headless: true,
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      chromiumSandbox: !isRoot,
      args: [
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    // Not UTC: a day of the service and a clock time of the reader differ.
    timezoneId: 'Europe/Berlin',
    actionTimeout: 10_000,
    trace: { mode: 'retain-on-failure', screenshots: false, sources: false },
    screenshot: 'only-on-failure',
  },
});
