// Compares the sizes of a build with their budgets: what a reader loads first on Overview, what a screen adds to the shell,
// and all files of the binary. Prints a table; fails above a budget. Sizes are brotli, as the service sends them.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FIRST_LOAD = 150_000;
const SCREEN = 30_000;
const ALL_FILES = 3_000_000;
/** Pages of docs with their pictures. */
const BOOK = 10_000_000;

const web = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(web, 'dist');
const manifest = JSON.parse(fs.readFileSync(path.join(web, 'node_modules/.build/manifest.json'), 'utf8'));
const OVERVIEW = 'src/features/overview/overview.svelte';

/** Files of a chunk and of everything that it imports before it runs. */
function loadedBy(key, seen = new Set()) {
  const chunk = manifest[key];
  if (chunk === undefined) throw new Error(`the build has no ${key}`);
  if (seen.has(chunk.file)) return seen;
  for (const file of [chunk.file, ...(chunk.css ?? []), ...(chunk.assets ?? [])]) seen.add(file);
  for (const imported of chunk.imports ?? []) loadedBy(imported, seen);
  return seen;
}

function sent(file) {
  const plain = path.join(dist, file);
  return fs.statSync(fs.existsSync(`${plain}.br`) ? `${plain}.br` : plain).size;
}

const sum = (files) => [...files].reduce((bytes, file) => bytes + sent(file), 0);
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

const page = new Set([...loadedBy('index.html'), manifest['style.css'].file, 'index.html', 'theme.js', 'icon.svg']);
// Screens are what routes.ts imports.
const routes = Object.values(manifest).find((chunk) => chunk.dynamicImports?.includes(OVERVIEW));
const screens = routes.dynamicImports.filter((key) => key.startsWith('src/features/'));
const files = fs.readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const isOfBook = (entry) => path.relative(dist, entry.parentPath).split(path.sep)[0] === 'docs';
const bytesOf = (book) =>
  files
    .filter((entry) => isOfBook(entry) === book)
    .reduce((bytes, entry) => bytes + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0);

let isOver = false;
function row(name, bytes, budget) {
  isOver ||= bytes > budget;
  const mark = bytes > budget ? '  OVER' : '';
  console.log(`${name.padEnd(58)} ${kilobytes(bytes).padStart(10)} of ${kilobytes(budget).padStart(10)}${mark}`);
}

for (const screen of screens) {
  const files = loadedBy(screen);
  const name = screen.replace('src/features/', '');
  if (screen === OVERVIEW) row(`first load of ${name}`, sum(new Set([...page, ...files])), FIRST_LOAD);
  row(`${name} adds to the shell`, sum([...files].filter((file) => !page.has(file))), SCREEN);
}
row('all files of the dashboard', bytesOf(false), ALL_FILES);
row('all files of the book', bytesOf(true), BOOK);
if (isOver) process.exitCode = 1;
