// Compares the report of an audit with the faults that were planted in the audited site, check by check.
// usage: glasshouse audit URL --format json --out report.json && node bench/seo/compare.mjs report.json planted.json [--no-js]
// planted.json: { issues: { ID: [path] }, no_js: { ID: [path] }, _sitewide: [ID], _off_by_default: [ID], _only: [ID] (no others are compared), robots: { ID: [text] }, evidence: { ID: text } }.
// Also compares severities with docs/audit-checks.md, evidence with the text that is planted, and rows with what every page must have.
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
// A report has the first twenty places of a finding about the site, and how many there are.
const cut = new Map();
for (const issue of report.siteIssues) {
  if (issue.count > issue.examples.length) cut.set(issue.issueId, (cut.get(issue.issueId) ?? 0) + issue.count);
  if (issue.examples.length === 0) add(issue.issueId, issue.detail);
  for (const example of issue.examples) add(issue.issueId, pathOf(example.url));
}

const expected = new Map(Object.entries(planted.issues).map(([id, paths]) => [id, new Set(paths.map(decoded))]));
if (flags.includes('--no-js')) {
  for (const [id, paths] of Object.entries(planted.no_js ?? {})) expected.set(id, new Set(paths.map(decoded)));
}
// These are about lines or about every page: they are found or not.
const whole = new Set([...Object.keys(planted.robots ?? {}), ...(planted._sitewide ?? [])]);
const off = new Set((planted._off_by_default ?? []).filter((id) => !found.has(id)));

let wrong = 0;
const isCompared = (id) => !whole.has(id) && !off.has(id) && (planted._only?.includes(id) ?? true);
const ids = [...new Set([...expected.keys(), ...found.keys()])].filter(isCompared).sort();
for (const id of ids) {
  const want = expected.get(id) ?? new Set();
  const have = found.get(id) ?? new Set();
  const isCut = cut.get(id) === want.size;
  const both = isCut ? want.size : [...want].filter((path) => have.has(path)).length;
  const missed = isCut ? [] : [...want].filter((path) => !have.has(path));
  const invented = [...have].filter((path) => !want.has(path));
  if (missed.length + invented.length > 0) wrong += 1;
  const share = (part, all) => (all === 0 ? '1.000' : (part / all).toFixed(3));
  const examples = [...missed.slice(0, 2).map((path) => `missed ${path}`), ...invented.slice(0, 2).map((path) => `invented ${path}`)];
  console.log(`${id}\tprecision ${share(both, isCut ? both : have.size)}\trecall ${share(both, want.size)}\t${examples.join('; ')}`);
}
for (const id of whole) {
  if (!found.has(id)) wrong += 1;
  console.log(`${id}\t${found.has(id) ? 'found' : 'MISSED'}`);
}

const documented = new Map();
for (const [, id, severity] of readFileSync(new URL('../../docs/audit-checks.md', import.meta.url), 'utf8').matchAll(/^### (\w+)\n\n.*\((error|warning|notice) about/gm)) documented.set(id, severity);
const complain = (text) => {
  wrong += 1;
  console.log(text);
};
const texts = new Map(Object.entries(planted.evidence ?? {}));
for (const page of report.pages) {
  const problems = [];
  if (page.isPage && !(page.statusCode === 200 && page.crawledAt && page.healthScore >= 0 && page.healthScore <= 100)) problems.push('is a page without status, time or health');
  if (page.issueCount !== page.findings.length) problems.push('counts its findings wrongly');
  for (const finding of page.findings) {
    if (documented.get(finding.issueId) !== finding.severity) problems.push(`${finding.issueId} is not ${documented.get(finding.issueId)}`);
    if (finding.count < 1 || finding.examples.length > Math.min(finding.count, 20)) problems.push(`${finding.issueId} has no sound evidence`);
    const text = texts.get(finding.issueId);
    if (text && expected.get(finding.issueId)?.has(decoded(page.path)) && !JSON.stringify(finding.examples).includes(text)) problems.push(`${finding.issueId} does not name ${text}`);
  }
  problems.forEach((problem) => complain(`${page.path}\t${problem}`));
}
console.log(`${ids.length + whole.size - wrong} of ${ids.length + whole.size} checks agree`);
process.exit(wrong === 0 ? 0 : 1);
