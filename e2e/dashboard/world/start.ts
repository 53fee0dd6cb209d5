// Starts the service before the first journey and ends it after the last one.
import { startService } from './service.ts';

export default async function start(): Promise<() => Promise<void>> {
  const service = await startService();
  const { address, folder, binary, dns } = service;
  process.env.DASHBOARD_ADDRESS = address;
  process.env.DASHBOARD_SERVICE = JSON.stringify({ address, folder, binary, dns });
  return () => service.stop();
}
