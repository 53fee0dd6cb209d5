// Has both installed clients call every operation of the real service, through a recorder that notes each request. Fails when an operation
// of the service's document was not called, or was never answered with success. Then runs the programs of docs/clients.md. Called by
// check.sh, which builds and installs the clients.
//
//   node e2e/clients/run.mjs
//   GLASSHOUSE   the binary (default: the one in target that was built last)
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { endAll, keepScratch, scratch } from '../lib/programs.mjs';
import { startWorld } from './world.mjs';

const LANGUAGES = /** @type {const} */ (['typescript', 'python']);
/** Arguments of a program by its name. */
const COMMANDS = {
  typescript: (/** @type {string} */ name) => ['node', `node_modules/.build/${name}.js`],
  python: (/** @type {string} */ name) => ['python', `python/${name}.py`],
};
const out = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);

/**
 * Lists the operations of a document that no exchange was answered with success.
 * @param {any} document
 * @param {import('./world.mjs').Exchange[]} exchanges
 */
function uncalled(document, exchanges) {
  return Object.entries(document.paths).flatMap(([path, item]) => Object.keys(item).filter((verb) => {
    const form = new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
    return !exchanges.some(({ method, path: asked, status }) => method === verb.toUpperCase() && form.test(asked) && status < 400);
  }).map((verb) => `${verb.toUpperCase()} ${path}`));
}

/**
 * Runs a program of a language and returns its exit status.
 * @param {'typescript' | 'python'} language
 * @param {string} name
 * @param {Record<string, string>} env
 */
async function run(language, name, env) {
  const [command = '', ...args] = COMMANDS[language](name);
  out(`${language}: ${name}`);
  const program = spawn(command, args, { cwd: import.meta.dirname, env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit'] });
  const [status] = await once(program, 'exit');
  if (status !== 0) problems.push(`${language}: ${name} ended with ${status}`);
  return status === 0;
}

/** @type {string[]} */
const problems = [];
try {
  const mailbox = join(scratch(), 'mails');
  const domains = ['shop.example', ...LANGUAGES.map((language) => `${language}.test`)];
  const { service, recorder, accounts: [documented, ...accounts] } = await startWorld(domains, mailbox);
  const text = execFileSync(service.binary, ['openapi'], { cwd: scratch() });
  const sum = createHash('sha256').update(text).digest('hex');
  for (const [index, language] of LANGUAGES.entries()) {
    recorder.exchanges.length = 0;
    const { email, password, domain, key } = accounts[index];
    const isDone = await run(language, 'calls', { ADDRESS: recorder.address, EMAIL: email, PASSWORD: password, DOMAIN: domain, KEY: key, DOCUMENT: sum, MAILBOX: mailbox });
    const missing = isDone ? uncalled(JSON.parse(String(text)), recorder.exchanges) : [];
    problems.push(...missing.map((operation) => `${language}: ${operation} was not called, or without success`));
    await run(language, 'examples', { GLASSHOUSE_URL: service.address, GLASSHOUSE_API_KEY: documented.key });
  }
} catch (error) {
  problems.push(String(error instanceof Error ? error.stack : error));
}
await endAll();
for (const problem of problems) out(`FAILED: ${problem}`);
if (problems.length > 0) out(`logs: ${keepScratch()}`);
process.exit(problems.length > 0 ? 1 : 0);
