// What an audit costs: processor time a page and peak memory of the whole command.
// usage: node bench/seo/cost.mjs path/to/glasshouse URL [more arguments of `glasshouse audit`]
// Reads /proc, so Linux only. Judge by processor time: wall time depends on what else runs. run.mjs (section audit) uses auditCost().
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runMeasured } from '../meter.mjs';

/** Audits a site without its scripts: {pages, cpuPerPage in ms, peakMb, perSecond}. */
export async function auditCost(program, url, more = [], env = {}) {
  const report = join(tmpdir(), `audit-cost-${process.pid}.json`);
  const limit = more.includes('--max-pages') ? [] : ['--max-pages', '1000000'];
  const args = ['audit', url, '--no-js', ...limit, '--format', 'json', '--out', report, ...more];
  const { cpuMs, peakMb, seconds } = await runMeasured(program, args, { env: { ...process.env, ...env } });
  const pages = Number(/"pagesCrawled":\s*(\d+)/.exec(readFileSync(report, 'utf8'))[1]);
  rmSync(report);
  return { pages, cpuPerPage: cpuMs / pages, peakMb, perSecond: pages / seconds };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [program, url, ...more] = process.argv.slice(2);
  const cost = await auditCost(program, url, more);
  console.log(`${cost.pages} pages, ${cost.cpuPerPage.toFixed(3)} ms processor time a page, peak ${cost.peakMb.toFixed(0)} MB, ${cost.perSecond.toFixed(0)} pages/s`);
}
