// Prints rows of a crawler list (tags, a tab, an expression) that match the user agent of a person's browser: the row, a tab, the browser.
// Called by `cargo xtask update-data`.
//   node clashes.mjs LIST.tsv
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const read = (name) => readFileSync(new URL(name, import.meta.url));
const entries = (text) => text.split("\n").filter((line) => line && !line.startsWith("#"));
const browsers = entries(read("browsers.txt").toString()).concat(entries(gunzipSync(read("browsers-seen.txt.gz")).toString()));

for (const row of entries(readFileSync(process.argv[2], "utf8"))) {
  const pattern = row.slice(row.indexOf("\t") + 1);
  const expression = new RegExp(pattern);
  const browser = browsers.find((agent) => expression.test(agent));
  if (browser) console.log(`${pattern}\t${browser}`);
}
