// Starts the service before the first journey and ends it after the last one.
import { startAssistants } from './assistants.ts';
import { startService } from './service.ts';

export default async function start(): Promise<() => Promise<void>> {
  const stand = await startAssistants();
  const service = await startService({ assistants: stand.address });
  const { address, folder, binary, dns, demo, assistants } = service;
  process.env.DASHBOARD_ADDRESS = address;
  process.env.DASHBOARD_SERVICE = JSON.stringify({ address, folder, binary, dns, demo, assistants });
  return async () => {
    await service.stop();
    stand.stop();
  };
}
