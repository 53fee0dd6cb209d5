// What an audit costs: processor time a page and peak memory of the whole command.
// usage: node bench/seo/cost.mjs path/to/glasshouse URL [more arguments of `glasshouse audit`]
// Reads /proc, so Linux only. Judge by processor time: wall time depends on what else runs.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [program, url, ...more] = process.argv.slice(2);
const report = join(tmpdir(), `audit-cost-${process.pid}.json`);
const TICKS_PER_SECOND = 100;

const started = Date.now();
const audit = spawn(program, ['audit', url, '--no-js', '--max-pages', '1000000', '--format', 'json', '--out', report, ...more], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
let cpuMs = 0;
let peakMb = 0;
const look = () => {
  try {
    // The name may hold spaces, so fields are counted from its closing parenthesis.
    const fields = readFileSync(`/proc/${audit.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    cpuMs = Math.max(cpuMs, ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND);
    peakMb = Math.max(peakMb, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${audit.pid}/status`, 'utf8'))[1]) / 1024);
  } catch {
    // It has ended between two looks.
  }
};
const timer = setInterval(look, 20);
audit.on('exit', (code) => {
  clearInterval(timer);
  const wall = (Date.now() - started) / 1000;
  if (code !== 0) process.exit(code ?? 1);
  const pages = JSON.parse(readFileSync(report, 'utf8')).pagesCrawled;
  rmSync(report);
  console.log(`${pages} pages, ${(cpuMs / pages).toFixed(3)} ms processor time a page, peak ${peakMb.toFixed(0)} MB, ${(pages / wall).toFixed(0)} pages/s`);
});
