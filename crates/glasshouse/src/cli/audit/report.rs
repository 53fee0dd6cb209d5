//! The audit's report as a table, JSON and CSV.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use audit_engine::checks::CheckId;
use audit_engine::engine::{
    Audit, AuditStatus, CrawlEnd, CrawlStats, Finding, ListedPage, RobotsAnalysis, RowResult, SiteResult,
    SitemapIssue,
};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::cli::table as lay_out;

/// Counts the findings by check, the worst first.
pub fn by_check(audit: &Audit) -> Vec<(CheckId, usize)> {
    let found = audit.issue_breakdown.iter();
    let mut checks: Vec<(CheckId, usize)> =
        found.filter_map(|(id, count)| Some((CheckId::find(id)?, *count))).collect();
    checks.sort_by_key(|(check, count)| {
        (std::cmp::Reverse(check.check().severity), std::cmp::Reverse(*count), check.check().id)
    });
    checks
}

/// Returns the run's status as the API names it.
pub fn status(audit: &Audit) -> &'static str {
    match audit.status {
        AuditStatus::Success => "success",
        AuditStatus::LimitReached => "limit_reached",
        AuditStatus::Partial => "partial",
        AuditStatus::Unreachable => "error",
    }
}

/// Returns the first page with each issue, by the issue's id.
fn examples(audit: &Audit) -> BTreeMap<&'static str, String> {
    let mut examples = BTreeMap::new();
    for ListedPage { path, issues, .. } in audit.rows().map(|row| row.page) {
        for issue in issues {
            examples.entry(issue.issue_id).or_insert_with(|| path.clone());
        }
    }
    examples
}

/// Writes the table for people: health, and findings with one page as an example.
pub fn table(audit: &Audit) -> String {
    let examples = examples(audit);
    let rows = by_check(audit).into_iter().map(|(check, count)| {
        let entry = check.check();
        let example = examples.get(entry.id).map_or("", String::as_str);
        vec![
            entry.severity.as_str().to_owned(),
            entry.id.to_owned(),
            count.to_string(),
            entry.title.to_owned(),
            printable(example),
        ]
    });
    let issues = lay_out(&["SEVERITY", "ISSUE", "PAGES", "WHAT IS WRONG", "EXAMPLE"], rows.collect());
    let total: usize = audit.issue_breakdown.values().sum();
    format!(
        "{}\n{} pages, health {}, {total} issues, {}{}\n\n{issues}\n{}",
        audit.site_url,
        audit.pages,
        audit.health,
        status(audit),
        left_out(audit),
        own_findings(audit)
    )
}

/// Describes the pictures, scripts and links to other hosts that were not tried.
fn left_out(audit: &Audit) -> String {
    match audit.crawl_stats.left_out.probes {
        0 => String::new(),
        left => format!("\n{left} pictures, scripts and links to other hosts were not asked for"),
    }
}

/// Lists the pages that the extractions and searches of the command line found, with one as an example.
fn own_findings(audit: &Audit) -> String {
    let mut found: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for ListedPage { path, extracted, searches, .. } in audit.rows().map(|row| row.page) {
        let pieces =
            extracted.into_iter().filter_map(|(name, pieces)| Some((name, pieces.into_iter().next()?)));
        let pieces = pieces.map(|(name, piece)| (name, format!("{path}: {piece}")));
        for (name, example) in searches.into_iter().map(|name| (name, path.clone())).chain(pieces) {
            found.entry(name).or_insert((0, example)).0 += 1;
        }
    }
    if found.is_empty() {
        return String::new();
    }
    let rows = found
        .into_iter()
        .map(|(name, (pages, example))| vec![printable(&name), pages.to_string(), printable(&example)]);
    format!("\n{}\n", lay_out(&["FOUND", "PAGES", "EXAMPLE"], rows.collect()))
}

/// Removes control characters, which a terminal would obey: paths and texts come from the audited site.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// Report for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonReport<'a> {
    site: &'a str,
    status: AuditStatus,
    close_reason: CrawlEnd,
    pages_crawled: usize,
    health_score: f64,
    issue_count: usize,
    issue_breakdown: &'a BTreeMap<Cow<'static, str>, usize>,
    site_issues: Vec<Value>,
    sitemap_issues: &'a [SitemapIssue],
    robots_analysis: &'a RobotsAnalysis,
    crawl_stats: &'a CrawlStats,
    pages: PageLines<'a>,
}

/// Rows that are serialized one by one, while another thread reads the next ones.
struct PageLines<'a>(&'a Audit);

/// Rows per batch; at most [`HANDFULS`] batches wait for the serializer.
const ROWS_AT_ONCE: usize = 64;
const HANDFULS: usize = 2;

impl Serialize for PageLines<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (give, take) = std::sync::mpsc::sync_channel(HANDFULS);
        std::thread::scope(|threads| {
            threads.spawn(move || {
                let mut rows = self.0.rows();
                loop {
                    let handful: Vec<RowResult> = rows.by_ref().take(ROWS_AT_ONCE).collect();
                    // The serializer may have failed.
                    if handful.is_empty() || give.send(handful).is_err() {
                        return;
                    }
                }
            });
            serializer.collect_seq(take.into_iter().flatten())
        })
    }
}

/// Writes the report for programs.
pub fn write_json(audit: &Audit, to: &mut dyn Write) -> io::Result<()> {
    let report = JsonReport {
        site: &audit.site_url,
        status: audit.status,
        close_reason: audit.close_reason,
        pages_crawled: audit.pages,
        health_score: audit.health,
        issue_count: audit.issue_breakdown.values().sum(),
        issue_breakdown: &audit.issue_breakdown,
        site_issues: site_issues(audit),
        sitemap_issues: &audit.sitemap_issues,
        robots_analysis: &audit.robots_analysis,
        crawl_stats: &audit.crawl_stats,
        pages: PageLines(audit),
    };
    serde_json::to_writer(&mut *to, &report)?;
    to.write_all(b"\n")
}

fn site_issues(audit: &Audit) -> Vec<Value> {
    audit
        .site_findings
        .iter()
        .flat_map(|result| result.findings.iter().map(move |found| (result.check.check(), found)))
        .map(|(check, found)| {
            json!({
                "issueId": check.id, "severity": check.severity, "scope": check.scope, "detail": found.detail, "line": found.line,
                "suggestion": found.suggestion, "sitemap": found.file, "count": found.evidence.count,
                "examples": found.evidence.examples,
            })
        })
        .collect()
}

/// Writes the CSV for spreadsheets: one line per finding.
pub fn csv(audit: &Audit) -> String {
    let mut lines = vec!["path,statusCode,issueId,severity,count,example".to_owned()];
    for RowResult { page, details, .. } in audit.rows() {
        for Finding { issue_id, severity, count, examples, .. } in &details.findings {
            let example = examples.first().map(|example| [&example.url, &example.text, &example.detail]);
            let example = example
                .and_then(|texts| texts.into_iter().find(|text| !text.is_empty()))
                .map_or("", String::as_str);
            let (status, count) = (page.status_code.to_string(), count.to_string());
            let cells = [page.path.as_str(), &status, issue_id, severity.as_str(), &count, example];
            lines.push(cells.map(cell).join(","));
        }
    }
    let mut site: Vec<&SiteResult> = audit.site_findings.iter().collect();
    site.sort_by_key(|found| found.check.check().id);
    for found in site {
        let (check, count) = (found.check.check(), found.findings.len().to_string());
        lines.push(["", "", check.id, check.severity.as_str(), &count, ""].map(cell).join(","));
    }
    lines.join("\r\n") + "\r\n"
}

/// Quotes a cell. Turns a formula into text: paths and texts come from the audited site.
fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}
