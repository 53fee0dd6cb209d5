#!/bin/sh
# Writes browsers-seen.txt.gz anew: user agents of people's browsers and in-app browsers as they were seen on the web, from the npm
# package user-agents (BSD-2-Clause), versions of several years, and the fixtures of isbot (Unlicense). Needs npm, node and git.
# Called by `cargo xtask update-data`; read what it names, and run the tests. ISBOT: another address of that repository.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for version in latest 2.1.100 1.1.600 1.1.550 1.0.300; do
  mkdir "$work/$version"
  package=$(cd "$work/$version" && npm pack --silent "user-agents@$version")
  tar -xzf "$work/$version/$package" -C "$work/$version"
done
cp "$work/latest/package/LICENSE" browsers-seen.LICENSE
git clone --quiet --depth 1 "${ISBOT:-https://github.com/omrilotan/isbot}" "$work/isbot"

node - "$work" <<'JS' > browsers-seen.txt.gz
const { existsSync, readdirSync, readFileSync } = require("node:fs");
const { gunzipSync, gzipSync } = require("node:zlib");
const [, , folder] = process.argv;

/** Machines that the sources count among people: they test, watch or copy pages. */
const MACHINES = /GTmetrix|YLT Chrome|Miniature\.io|TSM-turingos|Slurp|splash Version|HeadlessChrome/;
const isPersons = (agent) => /^Mozilla\/5\.0 \(/.test(agent) && !/https?:|www\.|\.com\b|@/.test(agent) && !MACHINES.test(agent);

function seenBy(version) {
  const base = `${folder}/${version}/package`;
  const packed = `${base}/src/user-agents.json.gz`;
  const text = existsSync(packed) ? gunzipSync(readFileSync(packed)) : readFileSync(`${base}/dist/user-agents.json`);
  return JSON.parse(text).map(({ userAgent }) => userAgent);
}

const versions = readdirSync(folder).filter((name) => name !== "isbot").sort();
const fixtures = readFileSync(`${folder}/isbot/fixtures/browsers.yml`, "utf8").split("\n");
const ofIsbot = fixtures.filter((line) => line.startsWith("  - ")).map((line) => line.slice(4).trim().replace(/^(['"])(.*)\1$/, "$2"));
const agents = [...new Set([...versions.flatMap(seenBy), ...ofIsbot].filter(isPersons))].sort();
if (agents.length < 10_000) throw new Error(`only ${agents.length} user agents`);

const numbers = versions.map((version) => JSON.parse(readFileSync(`${folder}/${version}/package/package.json`, "utf8")).version);
const head = `# User agents of people's browsers, as they were seen. Sources: npm user-agents ${numbers.join(", ")} (BSD-2-Clause), fixtures of isbot
# (Unlicense). ${new Date().toISOString().slice(0, 10)}. Written by refresh-browsers.sh; not edited by hand.
`;
process.stdout.write(gzipSync(head + agents.join("\n") + "\n", { level: 9 }));
console.error(`refreshed browsers-seen.txt.gz: ${agents.length} user agents`);
JS
