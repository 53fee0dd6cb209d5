// Prints the licence texts of what is inside the program, each text once with the names of all that it is for: the licences of most
// libraries ask that whoever hands them out does so. What there is comes from the bill of materials, the texts from the packages.
//
//   node scripts/licences.mjs SBOM > third-party-licences.txt
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const IS_LICENCE = /^(?:licen[cs]e|unlicen[cs]e|copying|copyright|notice)/i;

/** Folder and authors of each crate, by `name version`. */
function crates() {
  // Without the filter Cargo fetches the libraries of every platform.
  const platform = /^host: (.*)$/m.exec(execFileSync('rustc', ['-vV'], { encoding: 'utf8' }))[1];
  const text = execFileSync('cargo', ['metadata', '--locked', '--format-version', '1', '--filter-platform', platform], { cwd: root, encoding: 'utf8', maxBuffer: 256 << 20 });
  const { packages } = JSON.parse(text);
  return new Map(packages.map((one) => [`${one.name} ${one.version}`, { folder: path.dirname(one.manifest_path), authors: one.authors }]));
}

/** Folder of each package of the dashboard, by `name version`. */
function npmPackages() {
  const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'web/package-lock.json'), 'utf8'));
  const folders = new Map();
  for (const [where, one] of Object.entries(packages)) {
    const folder = path.join(root, 'web', where);
    const name = one.name ?? where.slice(where.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (where && fs.existsSync(folder)) folders.set(`${name} ${one.version}`, { folder, authors: [] });
  }
  return folders;
}

/** The licence texts that lie in a package, also in a folder of that name. */
function textsOf(folder) {
  return fs.readdirSync(folder).filter((name) => IS_LICENCE.test(name)).sort().flatMap((name) => {
    const at = path.join(folder, name);
    return fs.statSync(at).isDirectory() ? fs.readdirSync(at).sort().map((inside) => path.join(at, inside)) : [at];
  }).filter((file) => fs.statSync(file).isFile()).map((file) => `${fs.readFileSync(file, 'utf8').replaceAll('\r\n', '\n').replace(/^\s*\n/, '').trimEnd()}\n`);
}

const bill = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const known = { cargo: crates(), npm: npmPackages() };
const texts = new Map();
const without = [];
for (const { name, version, scope, purl, licenses } of bill.components) {
  // Crates of this repository have no purl: their licence is the program's.
  if (scope !== 'required' || !purl) continue;
  const kind = purl.startsWith('pkg:npm/') ? 'npm' : 'cargo';
  const found = known[kind].get(`${name} ${version}`);
  if (!found) {
    process.stderr.write(`${purl} is not on this machine: scripts/web.sh or cargo fetch brings it\n`);
    process.exit(1);
  }
  const own = textsOf(found.folder);
  if (own.length === 0) without.push(`${name} ${version}: ${licenses[0].expression}${found.authors.length ? ` (${found.authors.join(', ')})` : ''}`);
  for (const text of own) texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`]);
}
const LINE = `${'-'.repeat(80)}\n`;
const wrap = (names) => names.join(', ').replace(/(.{1,78}),(?: |$)/g, '$1,\n');
const parts = [...texts].map(([text, names]) => `${wrap(names)}\n\n${text}`);
parts.push(`Packages that name their licence without its text, which stands above:\n\n${without.join('\n')}\n`);
process.stdout.write(`Libraries inside Glasshouse, and their licences.\n\n${parts.map((part) => LINE + part).join('\n')}`);
