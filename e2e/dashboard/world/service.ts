// A Glasshouse of its own for the journeys: a fresh data folder, free ports on loopback, and the command line for its data.
// Ends the process that it started, by its id.
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { assistantSettings } from './assistants.ts';
import { startDns } from './dns.ts';
import { freePort } from './free-port.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/** A service that runs, as the workers of the tests know it. */
export interface ServiceInfo {
  address: string;
  folder: string;
  binary: string;
  /** Address of the stand-ins of assistants; none: no assistant has a key. */
  assistants?: string | undefined;
  /** The resolver that it asks. */
  dns: string;
  /** The name of its demo domain, which no account has yet. */
  demo: string;
  /** Settings beyond those that every service of the journeys has. */
  extra?: NodeJS.ProcessEnv | undefined;
}

export interface Service extends ServiceInfo {
  stop(): Promise<void>;
}

function findBinary(): string {
  const files = [
    process.env.GLASSHOUSE,
    path.join(root, 'target/debug/glasshouse'),
    path.join(root, 'target/release/glasshouse'),
  ];
  const found = files.find((file) => file !== undefined && fs.existsSync(path.resolve(root, file)));
  if (found === undefined)
    throw new Error('no glasshouse binary: build it (cargo build -p glasshouse) or set GLASSHOUSE');
  return path.resolve(root, found);
}

/** Settings of the service and of its command line. */
function settings({ folder, address, dns, demo, assistants, extra }: Omit<ServiceInfo, 'binary'>): NodeJS.ProcessEnv {
  return {
    ...process.env,
    GLASSHOUSE_SERVER__LISTEN: address.replace('http://', ''),
    GLASSHOUSE_SERVER__DEMO_DOMAIN: demo,
    // Each context of the browser can be a client of its own: attempts to sign in are counted by address.
    GLASSHOUSE_EDGE__TRUSTED_PROXIES: '127.0.0.0/8',
    GLASSHOUSE_EDGE__HTTP_LISTEN: '',
    GLASSHOUSE_TELEMETRY__METRICS_LISTEN: '',
    GLASSHOUSE_STORAGE__DATA_DIR: folder,
    GLASSHOUSE_NETWORK__ALLOW_PRIVATE: '127.0.0.0/8',
    // Origins of audited domains are plain servers on loopback.
    GLASSHOUSE_EDGE__ORIGIN_SCHEME: 'http',
    ...assistantSettings(assistants),
    GLASSHOUSE_NETWORK__DNS_SERVERS: dns,
    GLASSHOUSE_EDGE__PUBLIC_IPV4: '127.0.0.1',
    ...extra,
  };
}

/** Times that a command is tried. */
const TRIES = 4;

/** Runs a command of the binary on the service's data and returns what it prints. One that found the database busy did nothing. */
export async function runCommand(service: ServiceInfo, ...args: string[]): Promise<string> {
  const env = settings(service);
  for (let tries = 1; ; tries += 1) {
    try {
      const { stdout } = await promisify(execFile)(service.binary, [...args, '--quiet'], { env, cwd: service.folder });
      return stdout.trim();
    } catch (error) {
      if (tries === TRIES || !String(error).includes('the database was busy')) throw error;
    }
  }
}

interface ServiceOptions {
  assistants?: string;
  /** Folder of its data, which stays; none: a new one, which goes when the service stops. */
  folder?: string;
  extra?: NodeJS.ProcessEnv;
}

/** Starts a service and waits until it is ready. */
export async function startService({ assistants, folder: kept, extra }: ServiceOptions = {}): Promise<Service> {
  const binary = findBinary();
  const folder = kept ?? fs.mkdtempSync(path.join(os.tmpdir(), 'glasshouse-dashboard-'));
  const address = `http://127.0.0.1:${await freePort()}`;
  const resolver = await startDns(folder);
  const demo = 'demo.glasshouse.test';
  const info = { address, folder, binary, dns: resolver.address, demo, assistants, extra };
  // Addresses of loopback that count as those of a CDN, which hides the records of a domain.
  const cdn = { providers: { cloudflare: { networks: ['127.0.9.0/24'] } } };
  fs.writeFileSync(path.join(folder, 'cdn-ranges.json'), JSON.stringify(cdn));
  const logFile = path.join(folder, 'service.log');
  const log = fs.openSync(logFile, 'w');
  const child = spawn(binary, ['serve'], { env: settings(info), cwd: folder, stdio: ['ignore', log, log] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const end = () => child.kill('SIGTERM');
  process.on('exit', end);

  async function stop(): Promise<void> {
    process.off('exit', end);
    end();
    const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await ended;
    clearTimeout(late);
    resolver.stop();
    if (kept === undefined) fs.rmSync(folder, { recursive: true, force: true });
  }

  const until = Date.now() + 60_000;
  while (
    !(await fetch(`${address}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    ))
  ) {
    if (Date.now() > until || child.exitCode !== null) {
      const said = fs.readFileSync(logFile, 'utf8').split('\n').slice(-8).join('\n');
      await stop();
      throw new Error(`the service did not become ready:\n${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { ...info, stop };
}
