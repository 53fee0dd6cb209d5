// Audits the site with planted faults and the one with the troubles of ordinary sites in one run, and compares both with what was planted.
// usage: node bench/seo/check.mjs path/to/glasshouse [--js]      (--js: pages are rendered too, which needs a browser)
// Exits with 1 when a check found less or more than was planted. Processes are ended by id.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../e2e/lib/ports.mjs';
import { endAll, scratch, start } from '../../e2e/lib/programs.mjs';

const [program, ...flags] = process.argv.slice(2);
const here = fileURLToPath(new URL('.', import.meta.url));
const plain = flags.includes('--js') ? [] : ['--no-js'];

/** Serves a site: what it prints once it listens. */
async function serve(script, port, planted) {
  const told = () => readFileSync(scratch(`${script}.log`), 'utf8');
  await start(script, 'node', [join(here, script), '--port', String(port), '--planted', planted], { ready: async () => told().endsWith('\n') });
  return told();
}

/** Audits a site and compares: whether all is as planted. */
function check(name, url, config, more) {
  const [report, planted] = [scratch(`${name}-report.json`), scratch(`${name}.json`)];
  const args = ['--config', config, 'audit', url, '--format', 'json', '--out', report, ...more];
  const audit = spawnSync(resolve(program), args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (audit.status !== 0) throw new Error(`the audit of ${url} ended with ${audit.status}`);
  console.log(`\n${url}`);
  return spawnSync('node', [join(here, 'compare.mjs'), report, planted, ...more.filter((flag) => flag === '--no-js')], { stdio: 'inherit' }).status === 0;
}

const planted = await freePort();
const [, config] = await Promise.all([serve('site.mjs', planted, scratch('planted.json')), serve('ordinary.mjs', await freePort(), scratch('ordinary.json'))]);
const file = scratch('glasshouse.toml');
writeFileSync(file, config);
const both = [check('planted', `http://127.0.0.1:${planted}/`, file, plain), check('ordinary', 'https://ordinary.test/', file, ['--sample', '--no-js'])];
await endAll();
process.exit(both.every(Boolean) ? 0 : 1);
