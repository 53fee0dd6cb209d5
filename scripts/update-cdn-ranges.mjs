// Fetches the address lists that CDN and proxy providers publish for their edges and writes them into one file.
//   node scripts/update-cdn-ranges.mjs                             refreshes the compiled-in file
//   node scripts/update-cdn-ranges.mjs DATA_DIR/cdn-ranges.json    for a running service, which reads it at its start
// A list that is empty, unreadable or far smaller than before keeps its old entry.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";

const compiledIn = new URL("../crates/domains/data/cdn-ranges.json", import.meta.url);
const target = process.argv[2] ?? compiledIn.pathname;
const providers = JSON.parse(readFileSync(compiledIn, "utf8")).providers;

/** Every text in a JSON document, or every word of another one. */
function textsIn(document) {
  const values = (value) => (typeof value === "object" && value !== null ? Object.values(value).flatMap(values) : [value]);
  try {
    return values(JSON.parse(document)).filter((value) => typeof value === "string");
  } catch {
    return document.split(/[\s,;]+/);
  }
}

/** Networks and addresses that are neither nonsense nor wider than what the program accepts. */
function isNetwork(text) {
  const [address, length] = text.split("/");
  const shortest = { 4: 8, 6: 19 }[isIP(address)];
  return shortest !== undefined && (length === undefined || (/^\d+$/.test(length) && Number(length) >= shortest));
}

/** Amazon publishes all of its networks in one document. */
function onlyCloudFront(document) {
  const { prefixes, ipv6_prefixes } = JSON.parse(document);
  return JSON.stringify([...prefixes, ...ipv6_prefixes].filter((entry) => entry.service === "CLOUDFRONT"));
}

async function read(name, address) {
  // Imperva answers POST only.
  const form = new URLSearchParams({ resp_format: "json" });
  const options = name === "imperva" ? { method: "POST", body: form } : { headers: { accept: "application/json, text/plain" } };
  const answer = await fetch(address, { signal: AbortSignal.timeout(20_000), ...options });
  if (!answer.ok) throw new Error(`${address}: status ${answer.status}`);
  const text = await answer.text();
  return textsIn(name === "cloudfront" ? onlyCloudFront(text) : text).filter(isNetwork);
}

const published = Object.entries(providers).filter(([, provider]) => !provider.byHand);
let failures = 0;
for (const [name, provider] of published) {
  try {
    const lists = await Promise.all(provider.sources.map((address) => read(name, address)));
    const networks = [...new Set(lists.flat())];
    if (lists.some((list) => list.length === 0) || networks.length < provider.networks.length / 2) {
      throw new Error(`${networks.length} entries, ${provider.networks.length} before`);
    }
    Object.assign(provider, { updated: new Date().toISOString().slice(0, 10), networks });
    console.error(`${name}: ${networks.length}`);
  } catch (error) {
    failures += 1;
    console.error(`${name}: kept as it was (${error.message})`);
  }
}

const lines = Object.entries(providers).map(([name, provider]) => `    ${JSON.stringify(name)}: ${JSON.stringify(provider)}`);
const about = "Networks of proxies that hide a domain's own records, as their providers publish them. Written by `node scripts/update-cdn-ranges.mjs`.";
writeFileSync(`${target}.new`, `{\n  "about": ${JSON.stringify(about)},\n  "providers": {\n${lines.join(",\n")}\n  }\n}\n`);
renameSync(`${target}.new`, target);
process.exitCode = failures === published.length ? 1 : 0;
