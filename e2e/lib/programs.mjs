// Programs that a suite or a benchmark starts, each with a log, and the folder of the run. Whatever still runs when the run ends, on an
// error or a signal too, is ended by its id with all below it, and the folder is removed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { accepts, pause } from './ports.mjs';
import { killAll, tree } from './process-tree.mjs';

/** @type {string | undefined} */
let folder;
let isKept = false;
/** @type {Set<Program>} */
const running = new Set();

/**
 * Joins names to the folder of this run. Everybody can read the folder, since workers of nginx and Apache are other users.
 * @param {string[]} names
 */
export function scratch(...names) {
  if (folder === undefined) {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'glasshouse-'));
    fs.chmodSync(folder, 0o755);
    process.on('exit', cleanUp);
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
      process.on(signal, () => { endAll().finally(() => process.exit(128 + os.constants.signals[signal])); });
    }
  }
  return path.join(folder, ...names);
}

/**
 * Makes a folder in the folder of this run.
 * @param {string} name
 */
export function folderFor(name) {
  fs.mkdirSync(scratch(name), { recursive: true });
  return scratch(name);
}

/** Keeps the folder of this run, for its logs, and returns its path. */
export function keepScratch() {
  isKept = true;
  return scratch();
}

function cleanUp() {
  for (const { pid } of running) killAll(tree(pid));
  if (!isKept) fs.rmSync(scratch(), { recursive: true, force: true, maxRetries: 5 });
}

/** Ends every program that runs and kills descendants that outlive it. */
export async function endAll() {
  const members = [...running].flatMap(({ pid }) => tree(pid));
  await Promise.all([...running].map((program) => program.stop()));
  killAll(members);
}

/**
 * @param {string} log
 * @returns {string} its last lines
 */
export const endOfLog = (log) => fs.readFileSync(log, 'utf8').trimEnd().split('\n').slice(-12).join('\n');

/**
 * @typedef {object} Program
 * @property {number} pid
 * @property {number} port
 * @property {string} log File with its output.
 * @property {() => boolean} hasEnded
 * @property {(options?: { signal?: NodeJS.Signals, graceMs?: number }) => Promise<number | NodeJS.Signals>} stop
 *   Sends the signal, and after `graceMs` kills the program and its descendants. Returns the exit status or the signal that ended it.
 */

/**
 * @typedef {object} StartOptions
 * @property {number} [port] Port on loopback where it will listen.
 * @property {() => Promise<boolean>} [ready] Probe that is repeated until it is true; by default the port accepts connections.
 * @property {NodeJS.ProcessEnv} [env] Variables beside those of this process.
 * @property {string} [cwd]
 * @property {string} [log]
 * @property {NodeJS.Signals} [signal] Signal of `stop`, SIGTERM by default.
 */

/**
 * Starts a program and waits until it is ready, at most a minute. Throws with the end of its log.
 * @param {string} name
 * @param {string} command
 * @param {readonly string[]} args
 * @param {StartOptions} [options]
 * @returns {Promise<Program>}
 */
export async function start(name, command, args, options = {}) {
  const { port = 0, ready = () => accepts(port), env = {}, cwd = scratch(), log = scratch(`${name}.log`), signal: asking = 'SIGTERM' } = options;
  const out = fs.openSync(log, 'a');
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', out, out] });
  fs.closeSync(out);
  // Rejects when there is no such program.
  await once(child, 'spawn');
  const pid = /** @type {number} */ (child.pid);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const ended = once(child, 'exit');
  /** @type {Program} */
  const program = {
    pid, port, log, hasEnded,
    async stop({ signal = asking, graceMs = 15_000 } = {}) {
      const kill = () => { if (!hasEnded()) killAll(tree(pid)); };
      if (signal === 'SIGKILL') kill();
      else child.kill(signal);
      const late = setTimeout(kill, graceMs);
      const [code, reason] = await ended;
      clearTimeout(late);
      return code ?? reason;
    },
  };
  running.add(program);
  child.on('exit', () => running.delete(program));
  const until = Date.now() + 60_000;
  while (!(await ready())) {
    if (hasEnded() || Date.now() > until) {
      await program.stop({ signal: 'SIGKILL' });
      throw new Error(`${name} did not become ready; the end of its log:\n${endOfLog(log)}`);
    }
    await pause(100);
  }
  return program;
}
