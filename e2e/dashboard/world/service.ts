// The service of the journeys: its DNS, its demo domain and its assistants, which are stand-ins or have no key.
import fs from 'node:fs';
import path from 'node:path';
import { folderFor } from '../../lib/programs.mjs';
import { prepare, startService as startPrepared, type Installation, type Settings } from '../../lib/service.mjs';
import { assistantSettings } from './assistants.ts';
import { startDns } from './dns.ts';

export { runCommand } from '../../lib/service.mjs';

/** A service that runs, as the workers of the tests know it. */
export interface ServiceInfo extends Installation {
  /** The name of its demo domain, which no account has yet. */
  demo: string;
  /** Address of the stand-ins of assistants; none: no assistant has a key. */
  assistants?: string | undefined;
}

export interface Service extends ServiceInfo {
  stop(): Promise<void>;
}

interface ServiceOptions extends Pick<ServiceInfo, 'assistants'> {
  /** Folder of its data, which stays; none: a new one. */
  folder?: string;
  /** Settings beyond those that every service of the journeys has. */
  extra?: Settings;
  env?: NodeJS.ProcessEnv;
}

/** Starts a service and waits until it is ready. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { assistants, folder = folderFor('service'), extra, env = {} } = options;
  const resolver = await startDns(folder);
  const demo = 'demo.glasshouse.test';
  const settings = {
    'server.demo_domain': demo,
    // Each context of the browser can be a client of its own: attempts to sign in are counted by address.
    'edge.trusted_proxies': '127.0.0.0/8',
    // Origins of audited domains are plain servers on loopback.
    'edge.origin_scheme': 'http',
    ...assistantSettings(assistants),
    'network.dns_servers': resolver.address,
    'edge.public_ipv4': '127.0.0.1',
    ...extra,
  };
  // Addresses of loopback that count as those of a CDN, which hides the records of a domain.
  const cdn = { providers: { cloudflare: { networks: ['127.0.9.0/24'] } } };
  fs.writeFileSync(path.join(folder, 'cdn-ranges.json'), JSON.stringify(cdn));
  const service = await startPrepared(await prepare({ folder, settings, env }));
  const stop = async () => {
    await service.stop();
    resolver.stop();
  };
  return { ...service, demo, assistants, stop };
}
