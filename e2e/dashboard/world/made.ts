// Says what the made world holds: npm run world -- FOLDER.
import { expect, test } from '@playwright/test';
import { runningService } from './accounts.ts';
import { sessionApi } from './api.ts';
import { MAIN, OWNER } from './plan.ts';

test('the world is there', async () => {
  const api = await sessionApi(runningService(), OWNER);

  const overview = await api.get<{ visits: { total: number }; snapshots: { total: number } }>(
    '/api/dashboard/overview',
    { domain: MAIN, days: 30 },
  );

  console.log(`${overview.visits.total} visits in 30 days, ${overview.snapshots.total} snapshots`);
  expect(overview.snapshots.total).toBeGreaterThan(1_900);
});
