// Bundles src/ into bundle.js, which the crate includes, and writes the limits of the tab into src/visit/limits.rs of the crate.
//   node build.mjs            writes all
//   node build.mjs --check    fails when one of them is not what the sources give, or a rule has no proof or nobody uses it
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const repository = path.join(here, '../../..');
const rulesPath = path.join(here, 'rules.json');
const TESTS = 'crates/browser/tests/it';
const rules = JSON.parse(fs.readFileSync(rulesPath, 'utf8'));
const bundlePath = path.join(here, 'bundle.js');
const limitsPath = path.join(here, '../src/visit/limits.rs');
const MOST_NUMBERS = 30;

/** Limits stand as numbers in the bundle: the page needs neither their names nor what they are for. */
const limits = Object.fromEntries(Object.entries(rules).flatMap(([kind, rule]) => Object.entries(rule).filter(([, value]) => typeof value === 'number').map(([unit, value]) => [`RULES.${kind}.${unit}`, `${value}`])));

async function bundle() {
  const result = await build({
    absWorkingDir: here,
    entryPoints: ['src/main.js'],
    bundle: true,
    write: false,
    metafile: true,
    format: 'iife',
    target: 'chrome120',
    charset: 'ascii',
    minify: true,
    define: limits,
    logLevel: 'error',
  });
  refuseCycles(result.metafile.inputs);
  return `// Written by page-script/build.mjs from page-script/src. Edit those.\n${result.outputFiles[0].text}`;
}

/** Modules that import each other depend on the order in which they happen to start. */
function refuseCycles(inputs) {
  const done = new Set();
  const visit = (name, trail) => {
    if (trail.includes(name)) throw new Error(`modules import each other: ${[...trail.slice(trail.indexOf(name)), name].join(' -> ')}`);
    if (done.has(name)) return;
    for (const imported of inputs[name].imports) visit(imported.path, [...trail, name]);
    done.add(name);
  };
  for (const name of Object.keys(inputs)) visit(name, []);
}

/** The limits of the tab, which the state machine of a visit keeps. */
function rustLimits() {
  const head = '//! How long the tab waits for what: written by page-script/build.mjs from page-script/rules.json. Edit that. Used by the state machine.\n\nuse std::time::Duration;\n';
  const rows = Object.values(rules).filter(({ rust }) => rust);
  return head + rows.map(({ rust, ms, waits }) => `\n/// For ${waits}.\npub(super) const ${rust}: Duration = Duration::from_millis(${String(ms).replace(/(?=(?:\d{3})+$)(?!^)/g, '_')});\n`).join('');
}

/** Names of rules that nothing in the script asks for, and that are not the tab's. */
function unused() {
  const folder = path.join(here, 'src');
  const source = fs.readdirSync(folder, { recursive: true }).filter((name) => /\.js$/.test(String(name))).map((name) => fs.readFileSync(path.join(folder, String(name)), 'utf8')).join('\n');
  return Object.keys(rules).filter((kind) => !rules[kind].rust && !source.includes(`RULES.${kind}.`));
}

/** Names of rules whose proof, a test in crates/browser/tests/it or a page of e2e/spas, does not exist. */
function unproven() {
  const read = (...names) => fs.readFileSync(path.join(repository, ...names), 'utf8');
  const pages = read('e2e/spas/pages.mjs');
  const isThere = (proof) => {
    const [, file, name] = /^(\S+): (\S+)$/.exec(proof) || [];
    if (file === 'spas') return pages.includes(`path: '${name}'`);
    const isFile = file !== undefined && fs.existsSync(path.join(repository, TESTS, file));
    return isFile && read(TESTS, file).includes(`async fn ${name}()`);
  };
  return Object.keys(rules).filter((kind) => !isThere(rules[kind].proof));
}

const wanted = new Map([
  [bundlePath, await bundle()],
  [limitsPath, rustLimits()],
]);
const numbers = Object.values(rules).flatMap((rule) => Object.values(rule)).filter((value) => typeof value === 'number').length;
const problems = [...(numbers > MOST_NUMBERS ? [`rules.json: ${numbers} numbers are more than ${MOST_NUMBERS}`] : []), ...unproven().map((kind) => `rules.json: the proof of "${kind}" does not exist`), ...unused().map((kind) => `rules.json: nobody uses "${kind}"`)];
for (const [file, text] of wanted) {
  if (!process.argv.includes('--check')) fs.writeFileSync(file, text);
  else if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text) {
    problems.push(`${path.relative(repository, file)} is not what the sources give: run npm run build in crates/browser/page-script`);
  }
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exit(problems.length > 0 ? 1 : 0);
