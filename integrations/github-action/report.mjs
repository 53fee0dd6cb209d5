// What an audit found, as the action tells it: findings and their comparison with a baseline, annotations, job summary.
// Pure. Texts of the audited pages are strangers': none of them may become a workflow command or Markdown.
import { SEVERITIES } from './inputs.mjs';

const MOST_ANNOTATIONS = 10;
const MOST_ISSUES = 50;
const MOST_PAGES = 3;
const MOST_CHARACTERS = 200;

/**
 * @typedef {object} Finding
 * @property {string} issueId
 * @property {string} severity
 * @property {string} path Path of the page; empty for a finding about the site.
 */

/**
 * Lists the findings of a JSON report: those of pages, of the site, of its sitemaps and of robots.txt. Throws when the report has another form.
 * @param {any} report
 * @returns {Finding[]}
 */
export function findingsOf(report) {
  const ofSite = [...report.siteIssues, ...report.sitemapIssues, ...report.robotsAnalysis?.problems ?? []].map((issue) => ({ path: '', issue }));
  const ofPages = report.pages.flatMap((/** @type {any} */ page) => page.issues.map((/** @type {any} */ issue) => ({ path: page.path, issue })));
  const findings = [...ofSite, ...ofPages].map(({ path, issue }) => ({ issueId: String(issue.issueId), severity: String(issue.severity), path: String(path) }));
  return [...new Map(findings.map((finding) => [nameOf(finding), finding])).values()];
}

/** A finding is the same one in another run by its check and its page, as in the comparison of two runs in the service. @param {Finding} finding */
const nameOf = ({ issueId, path }) => `${issueId} ${path}`;

/**
 * Returns the findings that a baseline does not have.
 * @param {Finding[]} findings
 * @param {Finding[]} baseline
 */
export function withoutThoseOf(findings, baseline) {
  const known = new Set(baseline.map(nameOf));
  return findings.filter((finding) => !known.has(nameOf(finding)));
}

/**
 * Returns the findings of a severity or a higher one.
 * @param {Finding[]} findings
 * @param {string} failOn
 */
export const atLeast = (findings, failOn) => findings.filter(({ severity }) => SEVERITIES.indexOf(severity) !== -1 && SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(failOn));

/**
 * Groups findings by check: the highest severity first, then the most pages.
 * @param {Finding[]} findings
 */
export function byIssue(findings) {
  /** @type {Map<string, { issueId: string, severity: string, paths: string[] }>} */
  const issues = new Map();
  for (const { issueId, severity, path } of findings) {
    const issue = issues.get(issueId) ?? { issueId, severity, paths: [] };
    issue.paths.push(path);
    issues.set(issueId, issue);
  }
  const rank = (/** @type {string} */ severity) => (SEVERITIES.indexOf(severity) + SEVERITIES.length + 1) % (SEVERITIES.length + 1);
  return [...issues.values()].sort((one, other) => rank(one.severity) - rank(other.severity) || other.paths.length - one.paths.length || one.issueId.localeCompare(other.issueId));
}

/** Escapes the message of a workflow command. @param {string} text */
const message = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
/** Escapes a property of a workflow command. @param {string} text */
const property = (text) => message(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/**
 * Writes a workflow command that annotates the run.
 * @param {string} level error, warning or notice
 * @param {string} title
 * @param {string} text
 */
export const annotation = (level, title, text) => `::${SEVERITIES.includes(level) ? level : 'notice'} title=${property(title)}::${message(text)}`;

/**
 * Writes the annotations of findings, ten at most: the runner shows no more of a step.
 * @param {Finding[]} findings
 * @param {boolean} isCompared
 */
export const annotations = (findings, isCompared) => byIssue(findings).slice(0, MOST_ANNOTATIONS)
  .map(({ issueId, severity, paths }) => annotation(severity, issueId, `${isCompared ? 'new: ' : ''}${placesOf(paths)}`));

/** @param {string[]} paths */
function placesOf(paths) {
  const pages = paths.filter((path) => path !== '');
  if (pages.length === 0) return 'the site as a whole';
  return `${pages.length} ${pages.length === 1 ? 'page' : 'pages'}: ${pages.slice(0, MOST_PAGES).map(cut).join(' ')}${pages.length > MOST_PAGES ? ' …' : ''}`;
}

/** @param {string} text */
const cut = (text) => ([...text].length > MOST_CHARACTERS ? `${[...text].slice(0, MOST_CHARACTERS).join('')}…` : text);

/**
 * Writes a text as a code span of Markdown, from which nothing in the text leads out.
 * @param {string} text
 */
export function code(text) {
  const line = cut(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '));
  const fence = '`'.repeat(Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  return `${fence} ${line} ${fence}`;
}

/**
 * Writes the job summary, in Markdown.
 * @param {{ report: any, findings: Finding[], news: Finding[] | null, fixed: number }} result `news`: findings that the baseline does not have; null without a baseline.
 */
export function summary({ report, findings, news, fixed }) {
  const count = (/** @type {string} */ severity) => findings.filter((finding) => finding.severity === severity).length;
  const lines = [
    '## Glasshouse audit', '', code(String(report.site)), '',
    '| health | pages | errors | warnings | notices |', '| ---: | ---: | ---: | ---: | ---: |',
    `| ${Number(report.healthScore)} | ${Number(report.pagesCrawled)} | ${count('error')} | ${count('warning')} | ${count('notice')} |`, '',
  ];
  if (report.status !== 'success') lines.push(`The audit did not look everywhere: ${code(String(report.closeReason))}`, '');
  if (news !== null) lines.push(`Compared with the baseline: ${news.length} new, ${fixed} fixed.`, '');
  const issues = byIssue(news ?? findings);
  for (const { issueId, severity, paths } of issues.slice(0, MOST_ISSUES)) {
    const pages = paths.filter((path) => path !== '');
    const places = pages.length === 0 ? 'the site as a whole' : `${pages.length} ${pages.length === 1 ? 'page' : 'pages'}: ${pages.slice(0, MOST_PAGES).map(code).join(' ')}${pages.length > MOST_PAGES ? ' …' : ''}`;
    lines.push(`- ${SEVERITIES.includes(severity) ? severity : 'notice'} ${code(issueId)}, ${places}`);
  }
  if (issues.length > MOST_ISSUES) lines.push(`- and ${issues.length - MOST_ISSUES} more, in the report`);
  return `${lines.join('\n')}\n`;
}
