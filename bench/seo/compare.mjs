// Compares the report of an audit with the faults that were planted in the audited site, check by check.
// usage: glasshouse audit URL --format json --out report.json && node bench/seo/compare.mjs report.json planted.json [--no-js]
// planted.json: { issues: { ID: [path] }, no_js: { ID: [path] }, _sitewide: [ID], robots: { ID: [text] } }.
// Exits with 1 when a check found less or more than was planted.
import { readFileSync } from 'node:fs';

const [reportFile, plantedFile, ...flags] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportFile, 'utf8'));
const planted = JSON.parse(readFileSync(plantedFile, 'utf8'));

const decoded = (path) => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};
const pathOf = (url) => (url.startsWith(report.site) ? '/' + url.slice(report.site.length) : url);

const found = new Map();
const add = (id, path) => found.set(id, (found.get(id) ?? new Set()).add(decoded(path)));
for (const page of report.pages) {
  for (const finding of page.findings) add(finding.issueId, page.path);
}
for (const issue of report.siteIssues) {
  if (issue.examples.length === 0) add(issue.issueId, issue.detail);
  for (const example of issue.examples) add(issue.issueId, pathOf(example.url));
}

const expected = new Map(Object.entries(planted.issues).map(([id, paths]) => [id, new Set(paths.map(decoded))]));
if (flags.includes('--no-js')) {
  for (const [id, paths] of Object.entries(planted.no_js ?? {})) expected.set(id, new Set(paths.map(decoded)));
}
// Of these only the first twenty places are in a report, or they are about lines: they are found or not.
const whole = new Set([...Object.keys(planted.robots ?? {}), ...(planted._sitewide ?? [])]);

let wrong = 0;
const ids = [...new Set([...expected.keys(), ...found.keys()])].filter((id) => !whole.has(id)).sort();
for (const id of ids) {
  const want = expected.get(id) ?? new Set();
  const have = found.get(id) ?? new Set();
  const both = [...want].filter((path) => have.has(path)).length;
  const missed = [...want].filter((path) => !have.has(path));
  const invented = [...have].filter((path) => !want.has(path));
  if (missed.length + invented.length > 0) wrong += 1;
  const share = (part, all) => (all === 0 ? '1.000' : (part / all).toFixed(3));
  const examples = [...missed.slice(0, 2).map((path) => `missed ${path}`), ...invented.slice(0, 2).map((path) => `invented ${path}`)];
  console.log(`${id}\tprecision ${share(both, have.size)}\trecall ${share(both, want.size)}\t${examples.join('; ')}`);
}
for (const id of whole) {
  if (!found.has(id)) wrong += 1;
  console.log(`${id}\t${found.has(id) ? 'found' : 'MISSED'}`);
}
console.log(`${ids.length + whole.size - wrong} of ${ids.length + whole.size} checks agree`);
process.exit(wrong === 0 ? 0 : 1);
