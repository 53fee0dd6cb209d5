// The program: its download with a check of the sum, and its run with a limit of time.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const MOST_BYTES = 300 * 1024 * 1024;
const GRACE_MS = 5_000;
const APPARMOR_SWITCH = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';

/** Reason why the step fails, in one line. */
export class Failure extends Error {}

/**
 * Returns the path of the program: that of a release, which is downloaded and compared with the release's SHA256SUMS, or the one on PATH.
 * @param {string} version
 * @param {{ env: NodeJS.ProcessEnv, folder: string, deadline: number }} run
 */
export async function findProgram(version, { env, folder, deadline }) {
  if (version === 'installed') {
    const found = (env.PATH ?? '').split(':').map((place) => path.join(place, 'glasshouse')).find((file) => fs.existsSync(file));
    if (found === undefined) throw new Failure('version is installed, and PATH has no glasshouse');
    return found;
  }
  const architecture = { x64: 'amd64', arm64: 'arm64' }[/** @type {string} */ (process.arch)];
  if (process.platform !== 'linux' || architecture === undefined) throw new Failure(`there is no release for ${process.platform} ${process.arch}: use a runner with Linux on x64 or arm64`);
  const repository = env.ACTION_REPOSITORY || env.GITHUB_REPOSITORY || '';
  const base = `${env.GITHUB_SERVER_URL ?? 'https://github.com'}/${repository}/releases/download/v${version}`;
  const name = `glasshouse-${version}-linux-${architecture}.tar.zst`;
  const sums = (await download(`${base}/SHA256SUMS`, deadline)).toString('utf8');
  const wanted = sums.split('\n').map((line) => line.split(/\s+\*?/)).find(([, file]) => file === name)?.[0];
  if (wanted === undefined) throw new Failure(`${base}/SHA256SUMS does not name ${name}`);
  const archive = await download(`${base}/${name}`, deadline);
  const sum = createHash('sha256').update(archive).digest('hex');
  if (sum !== wanted) throw new Failure(`${name} has the SHA-256 ${sum}; SHA256SUMS says ${wanted}`);
  fs.writeFileSync(path.join(folder, name), archive);
  await run('tar', ['--extract', '--zstd', '--file', name, '--strip-components', '1'], { env, cwd: folder, deadline });
  return path.join(folder, 'usr/bin/glasshouse');
}

/**
 * Downloads a file. Throws `Failure` when the server is gone, slow or refuses.
 * @param {string} url
 * @param {number} deadline Epoch milliseconds.
 */
async function download(url, deadline) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(Math.max(1, deadline - Date.now())) });
    if (!answer.ok) throw new Failure(`${url} answered ${answer.status}`);
    const parts = [];
    let bytes = 0;
    for await (const part of answer.body ?? []) {
      bytes += part.length;
      if (bytes > MOST_BYTES) throw new Failure(`${url} has more than ${MOST_BYTES} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { name, cause, message } = /** @type {Error & { cause?: { code?: string } }} */ (error);
    throw new Failure(`${url} could not be downloaded: ${name === 'TimeoutError' ? 'no answer within timeout-minutes' : cause?.code ?? message}`);
  }
}

/**
 * Allows the program to make namespaces, by which it confines its browsers, where AppArmor forbids them (Ubuntu 23.10 and newer).
 * Without sudo nothing changes: the audit says then that no browser can be started.
 * @param {string} program
 * @param {{ env: NodeJS.ProcessEnv, folder: string, deadline: number, restricts?: string }} run `restricts`: file that says 1 where AppArmor forbids them.
 */
export async function allowNamespaces(program, { env, folder, deadline, restricts = APPARMOR_SWITCH }) {
  if (!fs.existsSync(restricts) || fs.readFileSync(restricts, 'utf8').trim() !== '1') return;
  const profile = path.join(folder, 'glasshouse.apparmor');
  fs.writeFileSync(profile, `abi <abi/4.0>,\ninclude <tunables/global>\nprofile glasshouse-action "${fs.realpathSync(program)}" flags=(unconfined) {\n  userns,\n}\n`);
  await run('sudo', ['--non-interactive', 'apparmor_parser', '--replace', profile], { env, cwd: folder, deadline }).catch(() => undefined);
}

/**
 * Runs a program until it ends. Kills the program with all that it started when the deadline passes, and throws `Failure` then.
 * What the program prints is passed on with workflow commands switched off, since strangers' texts may be in it.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env: NodeJS.ProcessEnv, cwd: string, deadline: number }} options
 * @returns {Promise<number>} its exit status
 */
export function run(command, args, { env, cwd, deadline }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    let isLate = false;
    const end = (/** @type {NodeJS.Signals} */ signal) => { try { process.kill(-(/** @type {number} */ (child.pid)), signal); } catch { /* it has ended */ } };
    const timers = [
      setTimeout(() => { isLate = true; end('SIGTERM'); }, Math.max(0, deadline - Date.now())),
      setTimeout(() => end('SIGKILL'), Math.max(0, deadline - Date.now()) + GRACE_MS),
    ];
    const settle = () => timers.forEach(clearTimeout);
    child.on('error', (error) => { settle(); reject(new Failure(`${path.basename(command)} could not be started: ${error.message}`)); });
    child.on('exit', (code, signal) => {
      settle();
      end('SIGKILL');
      if (isLate) reject(new Failure(`${path.basename(command)} did not end within timeout-minutes`));
      else if (code === null) reject(new Failure(`${path.basename(command)} was ended by ${signal}`));
      else resolve(code);
    });
  });
}
