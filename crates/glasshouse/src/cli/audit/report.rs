//! The audit's report as a table, JSON and CSV.

use std::collections::BTreeMap;
use std::io::{self, Write};

use audit_engine::checks::{CheckId, Severity};
use audit_engine::engine::{
    Audit, AuditStatus, CrawlEnd, CrawlStats, Finding, RobotsAnalysis, RowResult, SitemapIssue,
};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::cli::table as lay_out;

/// Pages that are named as examples of one check.
pub const MAX_EXAMPLES: usize = 20;

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

/// Returns the run's status in the words of the API.
pub fn status(audit: &Audit) -> &'static str {
    match audit.status {
        AuditStatus::Success => "success",
        AuditStatus::LimitReached => "limit_reached",
        AuditStatus::Partial => "partial",
        AuditStatus::Unreachable => "error",
    }
}

/// Returns a severity in the words of the API.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "notice",
    }
}

/// Returns the first pages on which each check found a problem.
pub fn examples(audit: &Audit) -> BTreeMap<CheckId, Vec<String>> {
    let mut examples: BTreeMap<CheckId, Vec<String>> = BTreeMap::new();
    for row in audit.rows() {
        for found in &row.findings {
            let paths = examples.entry(found.check).or_default();
            if paths.len() < MAX_EXAMPLES {
                paths.push(row.path.clone());
            }
        }
    }
    examples
}

/// Writes the table for people: health, and findings with one page as an example.
pub fn table(audit: &Audit) -> String {
    let examples = examples(audit);
    let rows = by_check(audit).into_iter().map(|(check, count)| {
        let entry = check.check();
        let example = examples.get(&check).and_then(|paths| paths.first()).map_or("", String::as_str);
        vec![
            severity(entry.severity).to_owned(),
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

/// Tells of pictures, scripts and links to other hosts that there was no time or room for.
fn left_out(audit: &Audit) -> String {
    match audit.crawl_stats.left_out.probes {
        0 => String::new(),
        left => format!("\n{left} pictures, scripts and links to other hosts were not asked for"),
    }
}

/// Lists the pages that the extractions and searches of the command line found, with one as an example.
fn own_findings(audit: &Audit) -> String {
    let mut found: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for row in audit.rows() {
        let pieces =
            row.extracted.into_iter().filter_map(|(name, pieces)| Some((name, pieces.into_iter().next()?)));
        let pieces = pieces.map(|(name, piece)| (name, format!("{}: {piece}", row.path)));
        for (name, example) in row.searches.into_iter().map(|name| (name, row.path.clone())).chain(pieces) {
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

/// Removes control characters, which a terminal would obey: strangers write paths and texts.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// For programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonReport<'a> {
    site: &'a str,
    status: AuditStatus,
    close_reason: CrawlEnd,
    pages_crawled: usize,
    health_score: f64,
    issue_count: usize,
    issue_breakdown: &'a BTreeMap<&'static str, usize>,
    site_issues: Vec<Value>,
    sitemap_issues: &'a [SitemapIssue],
    robots_analysis: &'a RobotsAnalysis,
    crawl_stats: &'a CrawlStats,
    pages: PageLines<'a>,
}

/// Rows that become text one by one, while another thread reads those that follow.
struct PageLines<'a>(&'a Audit);

/// Rows that are handed over at once, and how many times as many wait at most.
const ROWS_AT_ONCE: usize = 64;
const HANDFULS: usize = 2;

impl Serialize for PageLines<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (give, take) = std::sync::mpsc::sync_channel(HANDFULS);
        std::thread::scope(|threads| {
            threads.spawn(move || {
                let mut rows = self.0.rows().map(page);
                loop {
                    let handful: Vec<PageReport> = rows.by_ref().take(ROWS_AT_ONCE).collect();
                    // Whoever writes may have failed.
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

/// A row with the number of its issues, as the API counts them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageReport {
    issue_count: usize,
    #[serde(flatten)]
    row: RowResult,
}

fn page(row: RowResult) -> PageReport {
    PageReport { issue_count: row.findings.len(), row }
}

/// Writes the CSV for spreadsheets: one line per finding.
pub fn csv(audit: &Audit) -> String {
    let mut lines = vec!["path,statusCode,issueId,severity,count,example".to_owned()];
    for row in audit.rows() {
        for Finding { check, evidence, .. } in &row.findings {
            let example =
                evidence.examples.first().map(|example| [&example.url, &example.text, &example.detail]);
            let example = example
                .and_then(|texts| texts.into_iter().find(|text| !text.is_empty()))
                .map_or("", String::as_str);
            let entry = check.check();
            let (status, count) = (row.status.to_string(), evidence.count.to_string());
            let cells = [row.path.as_str(), &status, entry.id, severity(entry.severity), &count, example];
            lines.push(cells.map(cell).join(","));
        }
    }
    let site: BTreeMap<&str, usize> =
        audit.site_findings.iter().map(|found| (found.check.check().id, found.findings.len())).collect();
    for (id, count) in site {
        let Some(check) = CheckId::find(id) else { continue };
        let count = count.to_string();
        lines.push(["", "", id, severity(check.check().severity), count.as_str(), ""].map(cell).join(","));
    }
    lines.join("\r\n") + "\r\n"
}

/// Quotes a cell. A formula is made a text: strangers write paths and texts.
fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}
