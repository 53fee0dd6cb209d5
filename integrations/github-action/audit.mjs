// The step of the action: downloads the program, serves the folder, audits, and tells the runner what was found.
// Ends with 0; 3 when something at or above `fail-on` was found (with a baseline: something new); 2 for a wrong input; 1 otherwise.
// Node's own modules only: nothing is installed on the runner.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CHECKS_OF_SERVERS, serveFolder } from './folder.mjs';
import { BadInput, readInputs } from './inputs.mjs';
import { allowNamespaces, Failure, findProgram, run } from './program.mjs';
import { annotation, annotations, atLeast, findingsOf, summary, withoutThoseOf } from './report.mjs';

const FOUND = 3;

/**
 * Appends to a file that the runner reads: GITHUB_OUTPUT or GITHUB_STEP_SUMMARY. Elsewhere there is none.
 * @param {string} name
 * @param {string} text
 */
function tell(name, text) {
  const file = process.env[name];
  if (file) fs.appendFileSync(file, text);
}

/**
 * @param {import('./inputs.mjs').Inputs} inputs
 * @param {{ start: string, html: string, json: string }} files
 */
function argumentsOf(inputs, { start, html, json }) {
  // What an input enables is enabled for a folder too.
  const disabled = [...inputs.folder === null ? [] : CHECKS_OF_SERVERS.filter((id) => !inputs.enable.includes(id)), ...inputs.disable];
  return [
    'audit', '--format=json', `--out=${json}`, `--html=${html}`, `--max-pages=${inputs.maxPages}`,
    // With a baseline only what is new may fail, which is known afterwards.
    `--fail-on=${inputs.baseline === null ? inputs.failOn : 'never'}`,
    ...inputs.javascript ? [] : ['--no-js'],
    ...inputs.enable.map((id) => `--enable=${id}`), ...disabled.map((id) => `--disable=${id}`),
    ...inputs.include.map((pattern) => `--include=${pattern}`), ...inputs.exclude.map((pattern) => `--exclude=${pattern}`),
    '--', start,
  ];
}

/**
 * Reads a JSON report.
 * @param {string} file
 * @param {string} name
 */
function readReport(file, name) {
  try {
    const report = JSON.parse(fs.readFileSync(file, 'utf8'));
    return { report, findings: findingsOf(report) };
  } catch {
    throw new BadInput(`${name} is no JSON report of glasshouse audit`);
  }
}

/**
 * Address where the audit begins, and settings by which the program finds a folder there.
 * @param {import('./inputs.mjs').Inputs} inputs
 * @param {number} port
 */
function startOf({ url, folder }, port) {
  if (folder === null || url === null) return { start: url?.href ?? `http://127.0.0.1:${port}/`, settings: folder === null ? {} : { GLASSHOUSE_NETWORK__ALLOW_PRIVATE: '["127.0.0.1/32"]' } };
  const hosts = JSON.stringify({ [url.hostname]: `127.0.0.1:${port}` });
  return { start: `http://${url.hostname}${url.pathname}`, settings: { GLASSHOUSE_NETWORK__ALLOW_PRIVATE: '["127.0.0.1/32"]', GLASSHOUSE_NETWORK__HOSTS: hosts } };
}

async function main() {
  const inputs = readInputs(process.env);
  const baseline = inputs.baseline === null ? null : readReport(inputs.baseline, 'baseline').findings;
  const deadline = Date.now() + inputs.timeoutMs;
  const folder = fs.mkdtempSync(path.join(process.env.RUNNER_TEMP || os.tmpdir(), 'glasshouse-'));
  const html = path.join(folder, 'report.html'), json = path.join(folder, 'report.json');
  // From here on until the token the runner reads no commands: the program's log may repeat what a page says.
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n`);
  const served = inputs.folder === null ? null : await serveFolder(inputs.folder, inputs.fallback);
  let status;
  try {
    const program = await findProgram(inputs.version, { env: process.env, folder, deadline });
    if (inputs.javascript) await allowNamespaces(program, { env: process.env, folder, deadline });
    const { start, settings } = startOf(inputs, served?.port ?? 0);
    status = await run(program, argumentsOf(inputs, { start, html, json }), { env: { ...process.env, ...settings }, cwd: folder, deadline });
  } finally {
    served?.close();
    process.stdout.write(`::${token}::\n`);
  }
  if (status !== 0 && status !== FOUND) throw new Failure(`glasshouse audit ended with ${status}; its message stands above`);

  const { report, findings } = readReport(json, 'the report');
  const news = baseline === null ? null : withoutThoseOf(findings, baseline);
  const count = (/** @type {string} */ severity) => findings.filter((finding) => finding.severity === severity).length;
  tell('GITHUB_OUTPUT', `health-score=${Number(report.healthScore)}\nerrors=${count('error')}\nwarnings=${count('warning')}\nreport=${html}\nfindings=${json}\n`);
  tell('GITHUB_STEP_SUMMARY', summary({ report, findings, news, fixed: baseline === null ? 0 : withoutThoseOf(baseline, findings).length }));
  for (const line of annotations(news ?? findings, news !== null)) console.log(line);
  if (news === null) return status;
  return atLeast(news, inputs.failOn).length > 0 ? FOUND : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof BadInput || error instanceof Failure)) throw error;
  console.log(annotation('error', 'Glasshouse audit', error.message));
  process.exitCode = error instanceof BadInput ? 2 : 1;
}
