// Fetches the address lists that crawlers' providers publish and writes them into one file.
//   node scripts/update-crawler-ranges.mjs                  refreshes the compiled-in file
//   node scripts/update-crawler-ranges.mjs DATA_DIR/crawler-ranges.json   for a running service, which reads it at its start
// A list that is empty, unreadable or far smaller than before keeps its old entry.

import { readFileSync, renameSync, writeFileSync } from "node:fs";

const data = new URL("../crates/analytics/data/", import.meta.url);
const compiledIn = new URL("crawler-ranges.json", data);
const out = process.argv[2] ?? compiledIn;

const known = JSON.parse(readFileSync(compiledIn, "utf8"));
const { crawlers } = JSON.parse(readFileSync(new URL("crawlers.json", data), "utf8"));
const addresses = [...new Set(crawlers.flatMap((crawler) => crawler.ipRanges ?? []))].sort();

/** Every network or address in a document, whatever its shape. */
function networksIn(text) {
  const found = text.match(/\b\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?\b|(?<![\w.:])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:\/\d{1,3})?/gi) ?? [];
  const isUsable = (entry) => {
    const length = Number(entry.split("/")[1] ?? 128);
    return entry.includes(":") ? /[0-9a-f]/i.test(entry) && length >= 19 && length <= 128 : length >= 8;
  };
  return [...new Set(found)].filter(isUsable).filter((entry) => !/^\d{1,2}:\d{2}:\d{2}/.test(entry));
}

const feeds = { ...known.feeds };
let failures = 0;
for (const address of addresses) {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(20_000), headers: { accept: "application/json, text/plain" } });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const networks = networksIn(await answer.text());
    const before = feeds[address]?.networks.length ?? 0;
    if (networks.length === 0 || networks.length < before / 2) throw new Error(`${networks.length} entries, ${before} before`);
    feeds[address] = { updated: new Date().toISOString().slice(0, 10), networks };
    console.error(`${address}: ${networks.length}`);
  } catch (error) {
    failures += 1;
    console.error(`${address}: kept as it was (${error.message})`);
  }
}

const lines = Object.entries(feeds).map(([address, feed]) => `    ${JSON.stringify(address)}: ${JSON.stringify(feed)}`);
const about = "Addresses that providers publish for their crawlers, by the address of the list. Written by `node scripts/update-crawler-ranges.mjs`.";
const target = typeof out === "string" ? out : out.pathname;
writeFileSync(`${target}.new`, `{\n  "about": ${JSON.stringify(about)},\n  "feeds": {\n${lines.join(",\n")}\n  }\n}\n`);
renameSync(`${target}.new`, target);
process.exitCode = failures === addresses.length ? 1 : 0;
