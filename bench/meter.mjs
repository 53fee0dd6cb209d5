// Processor time and memory of process trees, from /proc. Linux only. Used by run.mjs and its parts.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { processOf, tree } from '../e2e/lib/process-tree.mjs';

const TICKS_PER_SECOND = 100; // USER_HZ, fixed on Linux

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

const sorted = (numbers) => numbers.filter(Number.isFinite).sort((a, b) => a - b);
export const percentile = (numbers, share) => { const all = sorted(numbers); return all[Math.min(all.length - 1, Math.ceil(share * all.length) - 1)]; };
export const median = (numbers) => { const all = sorted(numbers); return all.length ? (all[(all.length - 1) >> 1] + all[all.length >> 1]) / 2 : NaN; };

/** Processor time in ms of children that ended and were waited for. */
const reapedMs = () => processOf('self').fields.slice(13, 15).reduce((sum, ticks) => sum + (Number(ticks) * 1000) / TICKS_PER_SECOND, 0);

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
