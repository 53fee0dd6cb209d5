// Launcher of the service for all end-to-end suites and benchmarks: settings as an object, data in the folder of the run, accounts and keys by
// the command line, `serve` until it is ready, and the API with a key. `../lib/programs.mjs` ends what is started.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { answers, freePort } from './ports.mjs';
import { folderFor, start } from './programs.mjs';

export const root = path.resolve(import.meta.dirname, '../..');
/** Attempts of a command while the database is busy. */
const TRIES = 4;

/** @typedef {Record<string, unknown>} Settings Values by the names of settings: `{'edge.http_listen': ''}`. */

/**
 * @typedef {object} Installation A service that is set up. Plain data, which other processes may be given.
 * @property {string} name
 * @property {string} binary
 * @property {string} folder Folder of its data and its log.
 * @property {number} port
 * @property {string} address
 * @property {Record<string, string>} env Variables of the service and of its command line.
 */

/** Finds the binary: GLASSHOUSE, relative to the root of the repository, or the one in target that was built last. */
export function findBinary() {
  const target = process.env.CARGO_TARGET_DIR ?? 'target';
  const files = process.env.GLASSHOUSE ? [process.env.GLASSHOUSE] : ['release', 'debug'].map((profile) => `${target}/${profile}/glasshouse`);
  const built = (/** @type {string} */ file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const [newest] = files.map((file) => path.resolve(root, file)).sort((one, other) => built(other) - built(one));
  if (newest === undefined || built(newest) === 0) throw new Error(`no ${files.join(' or ')}: build it (cargo build -p glasshouse) or set GLASSHOUSE`);
  return newest;
}

/**
 * Returns the variables by which the service takes settings.
 * @param {Settings} settings
 * @returns {Record<string, string>}
 */
export const variables = (settings) => Object.fromEntries(Object.entries(settings).map(([name, value]) => [
  `GLASSHOUSE_${name.replaceAll('.', '__').toUpperCase()}`, typeof value === 'object' ? JSON.stringify(value) : String(value),
]));

/**
 * Sets up a service on a free port. Edge and metrics are off, and origins on loopback are allowed, unless `settings` say otherwise.
 * `folder` may have data already. `env` has further variables.
 * @param {{ name?: string, binary?: string, folder?: string, host?: string, port?: number, settings?: Settings, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<Installation>}
 */
export async function prepare({ name = 'service', binary = findBinary(), folder = folderFor(name), host = '127.0.0.1', port, settings = {}, env = {} } = {}) {
  const at = `${host}:${port ?? await freePort()}`;
  const all = {
    'server.listen': at, 'edge.http_listen': '', 'telemetry.metrics_listen': '', 'storage.data_dir': folder, 'network.allow_private': ['127.0.0.0/8'], ...settings,
  };
  return { name, binary, folder, port: Number(at.split(':')[1]), address: `http://${at}`, env: { ...variables(all), .../** @type {Record<string, string>} */ (env) } };
}

/**
 * Runs a command of the binary on the data of a service and returns what it prints.
 * @param {Installation} service
 * @param {string[]} args
 */
export async function runCommand({ binary, folder, env }, ...args) {
  for (let tries = 1; ; tries += 1) {
    try {
      const { stdout } = await promisify(execFile)(binary, args, { env: { ...process.env, ...env }, cwd: folder });
      return stdout.trim();
    } catch (error) {
      if (tries === TRIES || !String(error).includes('the database was busy')) throw error;
    }
  }
}

/**
 * Makes an account with domains that are connected.
 * @param {Installation} service
 * @param {{ email: string, password?: string, plan?: string, domains?: readonly string[] }} account
 */
export async function createAccount(service, { email, password = randomBytes(12).toString('hex'), plan = 'enterprise', domains = [] }) {
  await runCommand(service, 'account', 'create', '--email', email, '--password', password, '--plan', plan);
  // One after the other: SQLite has one writer.
  for (const domain of domains) await runCommand(service, 'domain', 'add', domain, '--account', email, '--status', 'connected');
}

/**
 * Makes a key of an account. Each key has a rate limit of its own.
 * @param {Installation} service
 * @param {string} email
 */
export const createKey = (service, email, name = 'test') => runCommand(service, 'key', 'create', '--account', email, '--name', name);

/**
 * Starts a service and waits until it is ready: by /readyz, or as `ready` says.
 * @param {Installation} service
 * @param {{ ready?: () => Promise<boolean> }} [options]
 */
export async function startService(service, { ready = () => answers(`${service.address}/readyz`) } = {}) {
  const { name, binary, folder, port, env } = service;
  return { ...service, ...await start(name, binary, ['serve'], { port, ready, env, cwd: folder, log: path.join(folder, 'service.log') }) };
}

/**
 * Starts the stand-ins of AI vendors that are built beside the service.
 * @param {{ binary?: string, args?: readonly string[], env?: NodeJS.ProcessEnv }} [options]
 */
export async function startFakeAi({ binary = findBinary(), args = [], env = {} } = {}) {
  const program = process.env.FAKEAI ?? path.join(path.dirname(binary), 'fakeai');
  if (!fs.existsSync(program)) throw new Error(`no ${program}: build it (cargo build -p fakeai) or set FAKEAI`);
  const port = await freePort(), address = `http://127.0.0.1:${port}`;
  return { address, ...await start(`fakeai-${port}`, program, ['--listen', `127.0.0.1:${port}`, ...args], { port, env }) };
}

/** Answer of the API that is no success. */
export class Refused extends Error {
  /**
   * @param {string} request
   * @param {number} status
   * @param {string} text
   */
  constructor(request, status, text) {
    super(`${request} answered ${status}: ${text.slice(0, 400)}`);
    this.status = status;
    this.text = text;
  }
}

/**
 * Returns a function that asks the API with these headers and gives the JSON of its answer. It throws `Refused`.
 * @param {{ address: string }} service
 * @param {Record<string, string>} headers
 * @returns {(method: string, path: string, body?: unknown) => Promise<any>}
 */
export const apiWith = ({ address }, headers) => async (method, where, body) => {
  const answer = await fetch(address + where, { method, headers: { ...headers, 'content-type': 'application/json' }, body: body === undefined ? null : JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Refused(`${method} ${where.split('?')[0]}`, answer.status, text);
  return text === '' ? null : JSON.parse(text);
};

/**
 * @param {{ address: string }} service
 * @param {string} key
 */
export const keyApi = (service, key) => apiWith(service, { 'x-service-api-key': key });
