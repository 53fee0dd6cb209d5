// Compares the archive with the package: the same files with the same bytes and modes, root's. And reads the bill of materials.
// Called by run.sh.
//
//   node archive.mjs FOLDER
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

const folder = process.argv[2];
const names = fs.readdirSync(folder);
const find = (ending) => path.join(folder, names.find((name) => name.endsWith(ending)));
const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', maxBuffer: 64 << 20 });
const say = (line) => process.stdout.write(`    ${line}\n`);

/** `mode owner name` of every file, without the folder that the archive is packed in. */
function listing(text, prefix) {
  return text.split('\n').filter((line) => line && !line.startsWith('d')).map((line) => {
    const [mode, owner, , , , ...name] = line.split(/ +/);
    return `${mode} ${owner.replace('root/root', '0/0')} ${name.join(' ').replace(prefix, '')}`;
  }).sort();
}

const archive = listing(run('tar', '--list', '--verbose', '--numeric-owner', '--zstd', '--file', find('.tar.zst')), /^glasshouse-[^/]+\//);
const deb = listing(run('dpkg-deb', '--contents', find('.deb')), /^\.\//);
assert.deepEqual(archive, deb);
say(`the archive has the ${deb.length} files of the package, with their modes, all of them root's`);

const text = fs.readFileSync(find('.cdx.json'), 'utf8');
const bill = JSON.parse(text);
const references = bill.components.map((component) => component['bom-ref']);
assert.equal(new Set(references).size, references.length);
const isKnown = new Set([...references, bill.metadata.component['bom-ref']]);
for (const { ref, dependsOn } of bill.dependencies) for (const one of [ref, ...dependsOn]) assert.ok(isKnown.has(one), `${one} is no component`);
for (const name of ['tokio', 'rustls', 'svelte']) {
  const component = bill.components.find((one) => one.name === name);
  assert.equal(component?.scope, 'required', name);
  assert.ok(component.licenses.length === 1 && component.hashes.length === 1 && component.purl, name);
}
const unlicensed = bill.components.filter(({ scope, licenses }) => scope === 'required' && !licenses).map(({ name }) => name);
assert.deepEqual(unlicensed, [], 'handed out without a licence');
// A crate of tests only, and a tool that only checks the dashboard.
assert.ok(!bill.components.some(({ name, scope }) => (name === 'proptest' || name === 'eslint') && scope === 'required'));
const inArchive = (name) => execFileSync('tar', ['--extract', '--to-stdout', '--zstd', '--file', find('.tar.zst'), '--wildcards', `*/${name}`], { maxBuffer: 64 << 20 });
const doc = inArchive('sbom.cdx.json');
assert.equal(createHash('sha256').update(doc).digest('hex'), createHash('sha256').update(text).digest('hex'));
say(`the bill of materials names ${references.length} components, each once, and every dependency is among them`);
const licences = gunzipSync(inArchive('third-party-licences.txt.gz')).toString();
const unnamed = bill.components.filter(({ scope, purl, name, version }) => scope === 'required' && purl && !licences.includes(`${name} ${version}`));
assert.deepEqual(unnamed.map(({ name }) => name), [], 'without a licence text');
for (const text of ['Apache License', 'Mozilla Public License', 'Copyright (c) 20', 'Permission is hereby granted']) assert.ok(licences.includes(text), text);
say('the licence texts name every library that is handed out');
