// Writes the names of schema.org's types and properties, by which the audit recognises those that do not exist, and which
// types are kinds of those that have a rich result.
//   node scripts/update-schema-terms.mjs             from schema.org
//   node scripts/update-schema-terms.mjs FILE.jsonld from a copy of its vocabulary
// Names that were known stay known: sites keep using terms that were replaced. A vocabulary that is far too small changes nothing.

import { readFileSync, writeFileSync } from "node:fs";

const VOCABULARY = "https://schema.org/version/latest/schemaorg-all-https.jsonld";
const LEAST_TERMS = 500;
const lists = {
  "rdfs:Class": new URL("../crates/audit_engine/data/schema_types.txt", import.meta.url),
  "rdf:Property": new URL("../crates/audit_engine/data/schema_properties.txt", import.meta.url),
};

async function read(place) {
  if (place) return readFileSync(place, "utf8");
  const answer = await fetch(VOCABULARY, { signal: AbortSignal.timeout(60_000) });
  if (!answer.ok) throw new Error(`${VOCABULARY} answers ${answer.status}`);
  return answer.text();
}

const terms = JSON.parse(await read(process.argv[2]))["@graph"];
for (const [kind, list] of Object.entries(lists)) {
  const named = terms.filter((term) => [term["@type"]].flat().includes(kind)).map((term) => term["@id"]);
  const names = named.filter((id) => /^schema:\w+$/.test(id)).map((id) => id.slice("schema:".length));
  if (names.length < LEAST_TERMS) throw new Error(`only ${names.length} terms are a ${kind}`);
  const known = readFileSync(list, "utf8").split("\n").filter(Boolean);
  const all = [...new Set([...known, ...names])].sort();
  writeFileSync(list, `${all.join("\n")}\n`);
  console.log(`${list.pathname}: ${all.length} names, ${all.length - known.length} new`);
}

// Subtypes of the types that have a rich result (checks/structured_data.rs): they need the same properties.
const RICH_RESULTS = [
  "AggregateRating", "Article", "BreadcrumbList", "Event", "FAQPage", "JobPosting", "LocalBusiness", "Product", "Recipe", "Review",
  "VideoObject",
];
const LEAST_SUBTYPES = 100;
const local = (id) => id.slice("schema:".length);
const parents = new Map(
  terms
    .filter((term) => [term["@type"]].flat().includes("rdfs:Class"))
    .map((term) => [local(term["@id"]), [term["rdfs:subClassOf"] ?? []].flat().map((parent) => local(parent["@id"]))]),
);
const ancestors = (name, seen = new Set()) => {
  for (const parent of parents.get(name) ?? []) {
    if (!seen.has(parent)) ancestors(parent, seen.add(parent));
  }
  return seen;
};
const list = new URL("../crates/audit_engine/data/rich_result_subtypes.tsv", import.meta.url);
const known = readFileSync(list, "utf8").split("\n").filter(Boolean);
const found = [...parents.keys()].flatMap((name) => {
  const above = ancestors(name);
  return RICH_RESULTS.filter((kind) => above.has(kind)).map((kind) => `${name}\t${kind}`);
});
if (found.length < LEAST_SUBTYPES) throw new Error(`only ${found.length} subtypes`);
const all = [...new Set([...known, ...found])].sort();
writeFileSync(list, `${all.join("\n")}\n`);
console.log(`${list.pathname}: ${all.length} lines, ${all.length - known.length} new`);
