// Reads the key directories of the agents that sign their requests (Web Bot Auth) and writes the day of each that has a usable key.
//   node scripts/update-signers.mjs                       refreshes the compiled-in file
//   node scripts/update-signers.mjs DATA_DIR/signers.json  for a running service, which reads it at its start
// Rows are added by hand, from the agents' own documents. A directory that does not answer keeps its row and its day: judge such rows.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const compiledIn = fileURLToPath(new URL("../crates/analytics/data/signers.json", import.meta.url));
const target = process.argv[2] ?? compiledIn;
const list = JSON.parse(readFileSync(existsSync(target) ? target : compiledIn, "utf8"));
const today = new Date().toISOString().slice(0, 10);

/** Keys of a directory by which signatures can be checked. */
async function usableKeys(host) {
  const address = `https://${host}/.well-known/http-message-signatures-directory`;
  const answer = await fetch(address, { signal: AbortSignal.timeout(20_000), redirect: "error" });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const { keys } = await answer.json();
  return keys.filter((key) => key.kty === "OKP" && key.crv === "Ed25519" && key.x);
}

let failures = 0;
for (const signer of list.signers) {
  try {
    const keys = await usableKeys(signer.host);
    if (keys.length === 0) throw new Error("no Ed25519 key");
    signer.answered = today;
    console.error(`${signer.host}: ${keys.length}`);
  } catch (error) {
    failures += 1;
    console.error(`${signer.host}: kept as it was (${error.cause?.code ?? error.message})`);
  }
}

const rows = list.signers.map((signer) => `    ${JSON.stringify(signer)}`).join(",\n");
const text = `{\n  "about": ${JSON.stringify(list.about)},\n  "updated": ${JSON.stringify(today)},\n  "signers": [\n${rows}\n  ]\n}\n`;
writeFileSync(`${target}.new`, text);
renameSync(`${target}.new`, target);
process.exitCode = failures === list.signers.length ? 1 : 0;
