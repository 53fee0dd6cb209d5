// Audits the site with planted faults and the one with the troubles of ordinary sites in one run, and compares both with what was planted.
// usage: node bench/seo/check.mjs path/to/glasshouse [--js]      (--js: pages are rendered too, which needs a browser)
// Exits with 1 when a check found less or more than was planted. Processes are ended by id.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [program, ...flags] = process.argv.slice(2);
const here = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'glasshouse-seo-'));
const plain = flags.includes('--js') ? [] : ['--no-js'];
const servers = [];

/** Serves a site: what it prints once it listens. */
const serve = (script, planted) => new Promise((listening, reject) => {
  const child = spawn('node', [join(here, script), '--planted', planted], { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.push(child);
  child.stdout.once('data', (text) => listening(String(text)));
  child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)));
});

/** Audits a site and compares: whether all is as planted. */
function check(name, url, config, more) {
  const [report, planted] = [join(folder, `${name}-report.json`), join(folder, `${name}.json`)];
  const args = ['--config', config, 'audit', url, '--format', 'json', '--out', report, ...more];
  const audit = spawnSync(resolve(program), args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (audit.status !== 0) throw new Error(`the audit of ${url} ended with ${audit.status}`);
  console.log(`\n${url}`);
  return spawnSync('node', [join(here, 'compare.mjs'), report, planted, ...more.filter((flag) => flag === '--no-js')], { stdio: 'inherit' }).status === 0;
}

try {
  const [, config] = await Promise.all([serve('site.mjs', join(folder, 'planted.json')), serve('ordinary.mjs', join(folder, 'ordinary.json'))]);
  const file = join(folder, 'glasshouse.toml');
  writeFileSync(file, config);
  const both = [check('planted', 'http://127.0.0.1:18480/', file, plain), check('ordinary', 'https://ordinary.test/', file, ['--sample', '--no-js'])];
  process.exitCode = both.every(Boolean) ? 0 : 1;
} finally {
  servers.forEach((server) => { server.removeAllListeners('exit'); server.kill(); });
  rmSync(folder, { recursive: true });
}
