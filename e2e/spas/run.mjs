// Renders every page of pages.mjs three times with a running Glasshouse and compares the result with what a person sees.
// Prints one line per page and ends with status 1 when one of them fails. Called by `make test`.
//
//   node run.mjs [part of a path ...]
//   GLASSHOUSE   the binary (default: the one in target that was built last)
//   CHROMIUM     the browser of the oracle (default: /usr/bin/chromium)
//   RENDERS      renders per page (default: 3)
//   KEEP         a folder for the snapshots, for a look by hand
//   PEER         prerender: npm prerender in place of the service, judged by the words of pages that are no redirects alone
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { firstDifference } from './differences.mjs';
import { startOracle } from './oracle.mjs';
import { startOrigin } from './origin.mjs';
import { pages } from './pages.mjs';
import { HOST, startPeer, startService } from './service.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const PEER = process.env.PEER === 'prerender';
const RENDERS = PEER ? 1 : Number(process.env.RENDERS) || 3;
const AT_ONCE = 2;
const WORDS_FOUND = 0.99;
const WORDS_EXTRA = 0.02;
const RULES_FOUND = 0.97;
const LOOKS_EQUAL = 0.97;

/** How much of `wanted` is in `found`, as multisets. */
function share(wanted, found) {
  const left = new Map();
  for (const one of found) left.set(one, (left.get(one) || 0) + 1);
  let matched = 0;
  const missing = [];
  for (const one of wanted) {
    if ((left.get(one) || 0) > 0) {
      left.set(one, left.get(one) - 1);
      matched += 1;
    } else missing.push(one);
  }
  return { share: wanted.length === 0 ? 1 : matched / wanted.length, missing };
}

const few = (list) => list.slice(0, 3).map((one) => JSON.stringify(one).slice(0, 240)).join(', ');

/** Everything that is wrong with a snapshot, as sentences; and the numbers for the table. */
function compare(person, snapshot, html) {
  const problems = [];
  const words = share(person.words, snapshot.words);
  const extra = share(snapshot.words, person.words);
  const rules = share(person.rules, snapshot.rules);
  const looks = share(person.looks, snapshot.looks);
  if (person.words.length < 5) problems.push(`the page shows only ${person.words.length} words: the oracle did not see it`);
  if (words.share < WORDS_FOUND) problems.push(`words are missing: ${few(words.missing)}`);
  if (1 - extra.share > WORDS_EXTRA) problems.push(`words are there that nobody sees: ${few(extra.missing)}`);
  if (rules.share < RULES_FOUND) problems.push(`style rules are missing: ${few(rules.missing)}`);
  if (looks.share < LOOKS_EQUAL) problems.push(`it looks different: ${few(looks.missing)} became ${few(share(snapshot.looks, person.looks).missing)}`);
  for (const key of Object.keys(person.head)) {
    const [a, b] = [JSON.stringify(person.head[key]), JSON.stringify(snapshot.head[key])];
    if (a !== b) problems.push(`${key}: ${a} became ${b}`);
  }
  for (const key of ['links', 'pictures']) {
    const [a, b] = [share(person[key], snapshot[key]), share(snapshot[key], person[key])];
    if (a.missing.length + b.missing.length > 0) problems.push(`${key} differ: missing ${few(a.missing)}; extra ${few(b.missing)}`);
  }
  if (person.shadowRoots !== snapshot.shadowRoots) problems.push(`${person.shadowRoots} shadow roots became ${snapshot.shadowRoots}`);
  for (const [key, count] of Object.entries(snapshot.left)) if (count > 0) problems.push(`${count} ${key} are left`);
  if (!/^(<!--[\s\S]*?-->\s*)*<!doctype html>/i.test(html)) problems.push('the doctype is missing');
  return { problems, words: words.share, extra: 1 - extra.share, rules: rules.share, looks: looks.share };
}

async function check(page, { service, oracle }) {
  const base = `http://${HOST}`;
  const url = base + page.path;
  const seen = page.location ? null : oracle.live(url, page.settle);
  seen?.catch(() => {}); // reported below
  const renders = [];
  for (let i = 0; i < RENDERS; i += 1) renders.push(await service.render(url));
  const [first] = renders;
  const ms = Math.min(...renders.map((one) => one.ms));
  const problems = [];
  for (const one of renders) {
    if (one.status !== (page.status || 200)) problems.push(`status ${one.status} instead of ${page.status || 200}: ${one.html.slice(0, 200)}`);
    if (one.partial) problems.push('the render was cut off');
    if (one.html !== first.html) problems.push(`the bytes differ between renders: ${firstDifference(first.html, one.html)}`);
  }
  if (page.location) {
    // A page is rendered under its https address, whatever it was asked for with.
    if (first.location !== `https://${HOST}${page.location}`) problems.push(`location ${first.location} instead of ${page.location}`);
    return { problems, ms };
  }
  if (problems.some((problem) => problem.startsWith('status'))) return { problems, ms };
  const [person, snapshot] = await Promise.all([seen, oracle.snapshot(url, first.html)]);
  const result = compare(person, snapshot, first.html);
  if (PEER) result.problems = result.problems.filter((problem) => problem.startsWith('words'));
  return { ...result, problems: [...problems, ...result.problems], ms, html: first.html };
}

const percent = (value) => (value === undefined ? '' : `${(value * 100).toFixed(1)}`).padStart(6);

const wanted = process.argv.slice(2);
const chosen = pages.filter((page) => !PEER || !page.location).filter((page) => wanted.length === 0 || wanted.some((part) => page.path.includes(part)));
const newest = (folder) => Math.max(...fs.readdirSync(folder, { recursive: true }).map((name) => fs.statSync(path.join(folder, name)).mtimeMs));
const dist = path.join(here, 'dist');
if (!fs.existsSync(dist) || newest(dist) < newest(path.join(here, 'apps'))) await build();

const origin = await startOrigin();
const context = {};
let failed = 0;
const out = (line) => process.stdout.write(`${line}\n`);
out(`${'page'.padEnd(34)} words  extra  rules  looks     ms`);
try {
  context.oracle = await startOracle(HOST, origin.port);
  context.service = PEER ? await startPeer(origin.port, process.env.CHROMIUM ?? '/usr/bin/chromium') : await startService(origin.port);
  const queue = [...chosen];
  const worker = async () => {
    for (let page = queue.shift(); page; page = queue.shift()) {
      const result = await check(page, context).catch((error) => ({ problems: [error.message], ms: 0 }));
      if (result.problems.length > 0) failed += 1;
      out(`${page.path.padEnd(34)}${percent(result.words)} ${percent(result.extra)} ${percent(result.rules)} ${percent(result.looks)} ${String(result.ms).padStart(6)}  ${result.problems.length > 0 ? 'FAILED' : 'ok'}`);
      for (const problem of result.problems) out(`    ${problem}`);
      if (process.env.KEEP && result.html) fs.writeFileSync(path.join(process.env.KEEP, `${page.path.replace(/\W+/g, '_')}.html`), result.html);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
} finally {
  await context.oracle?.close();
  await context.service?.close();
  origin.close();
}
out(failed === 0 ? `${chosen.length} pages are as a person sees them.` : `${failed} of ${chosen.length} pages differ.`);
process.exit(failed === 0 ? 0 : 1);
