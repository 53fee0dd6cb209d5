// Processes of the machine and their descent, read from /proc. Linux only. Used by the end-to-end suites and the benchmarks.
import fs from 'node:fs';

/**
 * @typedef {object} MachineProcess
 * @property {number} pid
 * @property {number} parent
 * @property {string} name
 * @property {string} state State letter; `Z` is a zombie.
 * @property {string[]} fields Fields of /proc/PID/stat after the name: [11..14] ticks of the processor, [19] start time.
 * @property {string} command Command line; empty once the process has ended.
 */

/**
 * Reads one process. Returns undefined once it has ended.
 * @param {number | 'self'} pid
 * @returns {MachineProcess | undefined}
 */
export function processOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = stat.lastIndexOf(')');
    const fields = stat.slice(end + 2).split(' ');
    return {
      pid: parseInt(stat, 10), parent: Number(fields[1]), name: stat.slice(stat.indexOf('(') + 1, end), state: fields[0] ?? '', fields,
      // Read on demand: most callers look at all processes and at no command line.
      get command() { try { return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '); } catch { return ''; } },
    };
  } catch {
    return undefined;
  }
}

/** Reads all processes of the machine. */
export const processes = () => fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => processOf(Number(name)) ?? []);

/**
 * Lists a process and its descendants, the process first. Returns nothing once the process has ended.
 * @param {number} root
 */
export function tree(root) {
  const all = processes();
  const found = all.filter(({ pid }) => pid === root);
  for (const one of found) found.push(...all.filter(({ parent }) => parent === one.pid));
  return found;
}

/**
 * Kills processes, except those whose id belongs to another process by now.
 * @param {MachineProcess[]} members
 */
export function killAll(members) {
  for (const { pid, fields } of members) {
    if (processOf(pid)?.fields[19] !== fields[19]) continue;
    try { process.kill(pid, 'SIGKILL'); } catch { /* it has ended */ }
  }
}
