// Starts the service before the first journey and ends it after the last one.
import { startFakeAi } from '../../lib/service.mjs';
import { startService } from './service.ts';

export default async function start(): Promise<() => Promise<void>> {
  const stand = await startFakeAi();
  const service = await startService({ assistants: stand.address });
  process.env.DASHBOARD_ADDRESS = service.address;
  process.env.DASHBOARD_SERVICE = JSON.stringify(service);
  return async () => {
    await service.stop();
    await stand.stop();
  };
}
