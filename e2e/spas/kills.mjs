// Mixed load while browsers and tabs are killed at random: no page may be lost or wrong, memory stays flat, and afterwards
// nothing is left: no zombie, no profile, no network namespace. Ends only processes that its own service has started.
//
//   node kills.mjs [seconds]      (default: 600; the binary as in run.mjs)
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pause } from '../lib/ports.mjs';
import { processes, tree } from '../lib/process-tree.mjs';
import { build } from './build.mjs';
import { firstDifference } from './differences.mjs';
import { startOrigin } from './origin.mjs';
import { pages } from './pages.mjs';
import { HOST, startService } from './service.mjs';

const SECONDS = Number(process.argv[2]) || 600;
const AT_ONCE = 6;
const KILL_EVERY_MS = 5000; // and up to as much again
const SLOW = ['/query/n/nothing', '/poller/', '/storage/']; // long enough to be hit again and again
const out = (line) => process.stdout.write(`${line}\n`);

const descendants = (pid) => tree(pid).slice(1);

/** Memory of a process that is its own. */
function ownMiB(pid) {
  const line = /^Pss_Anon:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  return Math.round(Number(line[1]) / 1024);
}

if (!fs.existsSync(path.join(path.dirname(fileURLToPath(import.meta.url)), 'dist'))) await build();
const origin = await startOrigin();
const service = await startService(origin.port);
const chosen = pages.filter((page) => !page.location && !SLOW.includes(page.path));
const wanted = new Map();
for (const page of chosen) wanted.set(page.path, await service.render(`http://${HOST}${page.path}`));
const problems = [];
const memory = [ownMiB(service.pid)];
const counts = { renders: 0, browsers: 0, tabs: 0 };
const end = Date.now() + SECONDS * 1000;

async function load() {
  while (Date.now() < end) {
    const page = chosen[Math.floor(Math.random() * chosen.length)];
    const first = wanted.get(page.path);
    const again = await service.render(`http://${HOST}${page.path}`).catch((error) => ({ status: error.message }));
    counts.renders += 1;
    if (again.status !== first.status) problems.push(`${page.path}: ${again.status} instead of ${first.status}`);
    else if (again.html !== first.html) problems.push(`${page.path}: other bytes, ${firstDifference(first.html, again.html)}`);
  }
}

async function kill() {
  while (Date.now() < end) {
    await pause(KILL_EVERY_MS * (1 + Math.random()));
    const own = descendants(service.pid).filter((one) => one.state !== 'Z');
    const isTab = Math.random() < 0.7;
    const victims = own.filter(({ command }) => (isTab ? command.includes('--type=renderer') : command.includes('--headless') && !command.includes('--type=')));
    const victim = victims[Math.floor(Math.random() * victims.length)];
    if (!victim) continue;
    try {
      process.kill(victim.pid, 'SIGKILL');
      counts[isTab ? 'tabs' : 'browsers'] += 1;
    } catch {
      // It has ended meanwhile.
    }
  }
}

async function measure() {
  while (Date.now() < end) {
    await pause(Math.min(30_000, SECONDS * 100));
    memory.push(ownMiB(service.pid));
  }
}

await Promise.all([...Array.from({ length: AT_ONCE }, load), kill(), measure()]);
await pause(5000); // what was killed last is being cleared away
for (const one of descendants(service.pid)) if (one.state === 'Z') problems.push(`a zombie: ${one.pid}`);
const open = fs.readdirSync(`/proc/${service.pid}/fd`).length;
const half = memory.slice(1, Math.ceil(memory.length / 2));
if (Math.max(...memory.slice(-3)) > 1.5 * Math.max(...half, 50)) problems.push(`memory grows: ${memory.join(', ')} MiB`);
const { pid, folder } = service;
const profiles = () => fs.readdirSync(folder, { recursive: true }).filter((name) => /profile$/.test(name)).length;
const standing = profiles();
if (standing > 4) problems.push(`${standing} profiles for at most a few browsers`);
await service.close();
origin.close();
// A network namespace lives as long as a process in it.
if (processes().some((one) => one.command.includes(folder) || one.parent === pid)) problems.push('a process is left, and its namespace');
if (fs.existsSync(folder)) problems.push('the folder is left');
out(`${counts.renders} renders, ${counts.browsers} browsers and ${counts.tabs} tabs killed, ${open} open files, memory ${memory.join(', ')} MiB`);
for (const problem of problems.slice(0, 20)) out(problem);
out(problems.length === 0 ? 'No page was lost or wrong, and nothing is left.' : `${problems.length} problems.`);
process.exit(problems.length === 0 ? 0 : 1);
