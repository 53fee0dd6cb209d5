// Runs the commands of the documentation: the blocks of each page that are marked `sh run`, in order, in a fresh folder, against a shop whose
// pages only scripts draw. `sh run exit=3` is a block that ends with that status. Ends with status 1 when a block ends otherwise.
// `shop.example` leads to the shop on loopback, and 127.0.0.1:3000 to a free port; nothing else of a command is changed.
//
//   node run.mjs [page ...]   pages such as docs/tutorial.md (default: all)
//   node run.mjs --debian ROOT page ...   as root of a Debian that has the package, in namespaces of the caller, where port 3000 is free
//   GLASSHOUSE   the binary (default: the one in target that was built last)
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { freePort } from '../lib/ports.mjs';
import { processes } from '../lib/process-tree.mjs';
import { folderFor, scratch } from '../lib/programs.mjs';
import { findBinary, root, variables } from '../lib/service.mjs';

const API = '127.0.0.1:3000';
const ENTER = path.join(root, 'e2e/package/enter.sh');
/** Commands that the tutorial has at most. */
const MOST_OF_TUTORIAL = 10;
const MOST_MS = 180_000;
const SHOP = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title></head><body><div id="app"></div>
<script>document.getElementById('app').innerHTML = '<h1>Tea pots</h1><p>Twelve pots, made by hand in a small workshop.</p>';</script></body></html>`;

/**
 * Lists the marked blocks of a page.
 * @param {string} text
 */
function blocksOf(text) {
  const blocks = [...text.matchAll(/^```sh run(?: exit=(\d+))?\n([\s\S]*?)^```$/gm)].map(([, status = '0', commands = '']) => ({ status: Number(status), commands }));
  const marked = text.match(/^```sh .*$/gm)?.length ?? 0;
  if (marked !== blocks.length) throw new Error('a block has a mark that nobody reads; known are `sh run` and `sh run exit=N`');
  return blocks;
}

/**
 * Runs the blocks of a page in one shell, so that variables and jobs of a block are there in the next one.
 * @param {string} page
 * @param {string} shop Host and port of the shop.
 * @param {string | undefined} debian Root of a Debian with the package, where the commands run. None: here, with the binary.
 */
async function runPage(page, shop, debian) {
  const text = fs.readFileSync(path.join(root, page), 'utf8');
  const blocks = blocksOf(text);
  if (blocks.length === 0) return 0;
  const commands = blocks.flatMap((block) => block.commands.trim().split('\n'));
  if (page === 'docs/tutorial.md' && commands.length > MOST_OF_TUTORIAL) throw new Error(`the tutorial has ${commands.length} commands; ${MOST_OF_TUTORIAL} are the most`);

  const folder = folderFor(page.replaceAll('/', '-'));
  const script = blocks.map(({ status, commands: lines }) => (status === 0 ? lines : `set +e\n${lines}status=$?\nset -e\n[ "$status" = ${status} ] || { echo "ended with $status, not ${status}" >&2; exit 1; }\n`)).join('\n');
  const hosts = { 'network.hosts': { 'shop.example': shop } };
  const log = path.join(scratch(), `${path.basename(folder)}.log`), out = fs.openSync(log, 'w');
  /** @type {import('node:child_process').SpawnOptions} */
  const options = { stdio: ['ignore', out, out], detached: true };
  const arguments_ = ['-euxo', 'pipefail', '-c'];
  let shell;
  if (debian === undefined) {
    const programs = folderFor('programs'), program = path.join(programs, 'glasshouse'), api = `127.0.0.1:${await freePort()}`;
    if (!fs.existsSync(program)) fs.symlinkSync(findBinary(), program);
    const settings = variables({ ...hosts, 'server.listen': api, 'edge.http_listen': '', 'telemetry.metrics_listen': '' });
    const env = { ...process.env, ...settings, HOME: folder, PATH: `${programs}:${process.env.PATH}` };
    shell = spawn('bash', [...arguments_, script.replaceAll(API, api)], { ...options, cwd: folder, env });
  } else {
    shell = spawn(ENTER, [debian, 'bash', ...arguments_, script], { ...options, env: { ...process.env, ...variables(hosts) } });
  }
  const group = /** @type {number} */ (shell.pid);
  const end = (/** @type {NodeJS.Signals} */ signal) => { try { process.kill(-group, signal); } catch { /* it has ended */ } };
  const late = setTimeout(() => end('SIGKILL'), MOST_MS);
  const status = await new Promise((resolve) => { shell.on('exit', (code, signal) => resolve(code ?? signal)); });
  clearTimeout(late);
  // What a block started in the background; its browsers end with it.
  end('SIGTERM');
  const until = Date.now() + 15_000;
  while (Date.now() < until && processes().some(({ fields, state }) => Number(fields[2]) === group && state !== 'Z')) await new Promise((resolve) => { setTimeout(resolve, 100); });
  end('SIGKILL');
  if (status !== 0) throw new Error(`ended with ${status}; the end of its log:\n${fs.readFileSync(log, 'utf8').trimEnd().split('\n').slice(-25).join('\n')}`);
  return commands.length;
}

const shop = http.createServer((request, response) => {
  const isPage = new URL(request.url ?? '/', 'http://shop.example').pathname === '/';
  response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(isPage ? SHOP : 'There is no such page.');
});
const port = await freePort();
await new Promise((resolve) => { shop.listen(port, '127.0.0.1', () => resolve(undefined)); });
const [flag, ...rest] = process.argv.slice(2);
const debian = flag === '--debian' ? rest.shift() : undefined;
const named = debian === undefined ? process.argv.slice(2) : rest;
const pages = named.length > 0 ? named : fs.readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md')).sort().map((name) => `docs/${name}`);
let failed = 0, run = 0;
for (const page of pages) {
  try {
    const commands = await runPage(page, `127.0.0.1:${port}`, debian);
    if (commands > 0) console.log(`ok      ${page}: ${commands} commands`);
    run += commands;
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${page}: ${error instanceof Error ? error.message : error}`);
  }
}
shop.close();
shop.closeAllConnections();
if (run === 0) console.log('FAILED  no page has a block that is marked `sh run`');
process.exitCode = failed > 0 || run === 0 ? 1 : 0;
