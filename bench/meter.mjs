// Process trees from /proc: processor time, memory, and ending them by process id. Linux only. Used by run.mjs and its parts.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

const TICKS_PER_SECOND = 100; // USER_HZ, fixed on Linux

/** Fields of /proc/PID/stat after the name: [0] state, [1] parent, [11..14] user, system and reaped children's ticks. */
function stat(pid) {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return line.slice(line.lastIndexOf(')') + 2).split(' ');
}

/** The process and all its descendants: [{pid, fields}]. */
export function tree(root) {
  const all = new Map(), children = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = stat(name), parent = Number(fields[1]);
      all.set(Number(name), fields);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch { /* ended meanwhile */ }
  }
  const found = [], open = [root];
  while (open.length) {
    const pid = open.pop();
    if (!all.has(pid)) continue;
    found.push({ pid, fields: all.get(pid) });
    open.push(...(children.get(pid) ?? []));
  }
  return found;
}

/** User and system time of the tree in seconds, children that ended and were waited for included. */
export const cpuSeconds = (root) =>
  tree(root).reduce((sum, { fields }) => sum + [11, 12, 13, 14].reduce((part, at) => part + Number(fields[at]), 0), 0) / TICKS_PER_SECOND;

/** Proportional set size of the tree in MB. */
export function pssMb(root) {
  let kb = 0;
  for (const { pid } of tree(root)) {
    try { kb += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]); } catch { /* ended, or a zombie */ }
  }
  return Math.round(kb / 1024);
}

/** Samples the tree's memory every 300 ms until stop(), which gives the peak in MB. */
export function watchMemory(root) {
  let peak = pssMb(root);
  const timer = setInterval(() => { peak = Math.max(peak, pssMb(root)); }, 300);
  return { stop() { clearInterval(timer); return Math.max(peak, pssMb(root)); } };
}

/** The most memory that one process has had so far, in MB. Reading it stops nobody, unlike the proportional size. */
export const mostMb = (pid) => Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);

/** Processors that a process's threads used, and would have used had they not waited for one, on average until stop(). */
export function watchWaiting(pid) {
  const look = () => {
    const sum = { at: performance.now(), ran: 0, waited: 0 };
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      try {
        const [ran, waited] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ').map(Number);
        sum.ran += ran / 1e6;
        sum.waited += waited / 1e6;
      } catch { /* ended meanwhile */ }
    }
    return sum;
  };
  const before = look();
  return { stop() { const after = look(), took = after.at - before.at; return { ran: (after.ran - before.ran) / took, waited: (after.waited - before.waited) / took }; } };
}

/** Watches the whole machine's processors until stop(), which gives the share of their time in use, 0 to 1. */
export function watchProcessors() {
  const look = () => {
    const ticks = readFileSync('/proc/stat', 'utf8').split('\n')[0].trim().split(/\s+/).slice(1, 9).map(Number);
    const all = ticks.reduce((sum, part) => sum + part, 0);
    return { all, used: all - ticks[3] - ticks[4] };
  };
  const before = look();
  return { stop() { const after = look(); return (after.used - before.used) / (after.all - before.all); } };
}

/** Ends a process and everything below it: asks the root first, insists after `grace_ms`. */
export async function end(root, { signal = 'SIGTERM', grace_ms = 8000 } = {}) {
  const members = tree(root).map(({ pid }) => pid);
  // A pid alone may have been given to another process meanwhile; a zombie has ended.
  const alive = (pid) => { try { return stat(pid)[0] !== 'Z'; } catch { return false; } };
  const send = (pid, name) => { try { process.kill(pid, name); } catch { /* gone */ } };
  send(root, signal);
  const until = Date.now() + grace_ms;
  while (alive(root) && Date.now() < until) await new Promise((again) => setTimeout(again, 50));
  const left = new Set([...members, ...tree(root).map(({ pid }) => pid)].filter(alive));
  for (const pid of left) send(pid, 'SIGKILL');
}

const sorted = (numbers) => numbers.filter(Number.isFinite).sort((a, b) => a - b);
export const percentile = (numbers, share) => { const all = sorted(numbers); return all[Math.min(all.length - 1, Math.ceil(share * all.length) - 1)]; };
export const median = (numbers) => { const all = sorted(numbers); return all.length ? (all[(all.length - 1) >> 1] + all[all.length >> 1]) / 2 : NaN; };

/** Processor time in ms of children that ended and were waited for. */
const reapedMs = () => stat('self').slice(13, 15).reduce((sum, ticks) => sum + (Number(ticks) * 1000) / TICKS_PER_SECOND, 0);

/** Runs a program to its end: {out, cpuMs, peakMb, seconds}. Nothing else that this process started may end meanwhile. */
export const runMeasured = (command, args, options = {}) => new Promise((resolve, reject) => {
  const before = reapedMs(), begun = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  let peakMb = 0, out = '';
  child.stdout?.on('data', (piece) => { out += piece; });
  const timer = setInterval(() => { try { peakMb = Math.max(peakMb, mostMb(child.pid)); } catch { /* it has ended */ } }, 20);
  child.on('error', reject);
  child.on('close', (code) => {
    clearInterval(timer);
    if (code === 0) resolve({ out, cpuMs: reapedMs() - before, peakMb, seconds: (performance.now() - begun) / 1000 });
    else reject(new Error(`${command} ended with ${code}`));
  });
});
