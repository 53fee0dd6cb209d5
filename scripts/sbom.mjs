// Prints the bill of materials (CycloneDX 1.5, JSON) of what is inside the program: crates that it is compiled from, and npm packages of
// which the dashboard is built. Versions and checksums are those of the lock files. Equal inputs give equal bytes: no time of day,
// a serial number made from the content. See docs/decisions/0490.
//
//   node scripts/sbom.mjs --version V --target T > sbom.cdx.json      T: target of rustc, such as aarch64-unknown-linux-gnu
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const [, , versionFlag, version, targetFlag, target] = process.argv;
if (versionFlag !== '--version' || targetFlag !== '--target' || !target) {
  process.stderr.write('usage: node scripts/sbom.mjs --version V --target T\n');
  process.exit(2);
}
const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? Number.NaN);
const read = (file) => fs.readFileSync(path.join(root, file), 'utf8');
const byReference = (a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1);

/** SHA-256 of each crate of the registry, by `name version`. */
function crateChecksums() {
  const blocks = read('Cargo.lock').split('[[package]]').slice(1);
  const field = (block, name) => new RegExp(`^${name} = "(.*)"$`, 'm').exec(block)?.[1];
  return new Map(blocks.map((block) => [`${field(block, 'name')} ${field(block, 'version')}`, field(block, 'checksum')]));
}

const licencesOf = (text) => (text ? { licenses: [{ expression: text.replace(/ *\/ */g, ' OR ').replace(/ {2,}/g, ' ') }] } : {});
/** Licences of npm packages whose package.json names none: from the file LICENSE in them. */
const LICENCE_FILES = { 'svelte-toolbelt': 'MIT' };
const crateReference = ({ name, version: number }) => `pkg:cargo/${name}@${number}`;

/** Crates that the program is compiled from for the target: without those of tests, with those that only build others. */
function crates() {
  const metadata = JSON.parse(execFileSync('cargo', ['metadata', '--locked', '--format-version', '1', '--filter-platform', target],
    { cwd: root, encoding: 'utf8', maxBuffer: 256 << 20 }));
  const packages = new Map(metadata.packages.map((one) => [one.id, one]));
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const program = metadata.packages.find(({ name }) => name === 'glasshouse');
  const checksums = crateChecksums();
  const needs = new Map();
  const waiting = [program.id];
  while (waiting.length > 0) {
    const id = waiting.pop();
    if (needs.has(id)) continue;
    const below = nodes.get(id).deps.filter(({ dep_kinds: kinds }) => kinds.some(({ kind }) => kind !== 'dev')).map(({ pkg }) => pkg);
    needs.set(id, below);
    waiting.push(...below);
  }
  const components = [...needs.keys()].filter((id) => id !== program.id).map((id) => {
    const one = packages.get(id);
    const checksum = checksums.get(`${one.name} ${one.version}`);
    return {
      type: 'library', 'bom-ref': crateReference(one), name: one.name, version: one.version, scope: 'required', ...licencesOf(one.license),
      ...(checksum ? { purl: crateReference(one), hashes: [{ alg: 'SHA-256', content: checksum }] } : {}),
    };
  });
  const dependencies = [...needs].map(([id, below]) => ({
    ref: crateReference(packages.get(id)), dependsOn: [...new Set(below.map((one) => crateReference(packages.get(one))))].sort(),
  }));
  return { components, dependencies, program: crateReference(program) };
}

/** Packages of the dashboard's lock file. Those that only build or test the dashboard are `excluded`: nothing of them is handed out. */
function npmPackages() {
  const { packages } = JSON.parse(read('web/package-lock.json'));
  const components = new Map();
  for (const [where, one] of Object.entries(packages)) {
    if (!where || one.link) continue;
    const name = one.name ?? where.slice(where.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const reference = `pkg:npm/${name.replace(/^@/, '%40')}@${one.version}`;
    const [kind, content] = (one.integrity ?? '').split(' ')[0].split('-');
    const isHandedOut = !one.dev && !one.devOptional;
    // The same package can lie in several folders.
    if (components.has(reference) && !isHandedOut) continue;
    components.set(reference, {
      type: 'library', 'bom-ref': reference, name, version: one.version, scope: isHandedOut ? 'required' : 'excluded', ...licencesOf(one.license ?? LICENCE_FILES[name]),
      // The client is of this repository, as crates without a purl are.
      ...(where.startsWith('../') ? {} : { purl: reference }),
      ...(kind === 'sha512' ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(content, 'base64').toString('hex') }] } : {}),
    });
  }
  return [...components.values()];
}

/** A UUID made from a text, in the form of version 8 (RFC 9562). */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const { components, dependencies, program } = crates();
const bill = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    ...(Number.isFinite(epoch) ? { timestamp: new Date(epoch * 1000).toISOString() } : {}),
    component: { type: 'application', 'bom-ref': program, name: 'glasshouse', version, licenses: [{ license: { id: 'Apache-2.0' } }] },
  },
  components: [...components, ...npmPackages()].sort(byReference),
  dependencies: dependencies.sort((a, b) => (a.ref < b.ref ? -1 : 1)),
};
const content = JSON.stringify(bill);
const { bomFormat, specVersion, ...rest } = bill;
process.stdout.write(`${JSON.stringify({ bomFormat, specVersion, serialNumber: `urn:uuid:${uuidOf(content)}`, ...rest }, null, 1)}\n`);
