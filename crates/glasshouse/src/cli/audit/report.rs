//! The audit's report as a table, JSON and CSV.

use std::collections::BTreeMap;

use audit_engine::checks::{CheckId, Severity};
use audit_engine::engine::{Audit, AuditStatus, Finding, RowResult};
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::table as lay_out;

/// What was found, by check: the worst first.
pub fn by_check(audit: &Audit) -> Vec<(CheckId, usize)> {
    let found = audit.issue_breakdown.iter();
    let mut checks: Vec<(CheckId, usize)> =
        found.filter_map(|(id, count)| Some((CheckId::find(id)?, *count))).collect();
    checks.sort_by_key(|(check, count)| {
        (std::cmp::Reverse(check.check().severity), std::cmp::Reverse(*count), check.check().id)
    });
    checks
}

/// How the run ended, as the API says it.
pub fn status(audit: &Audit) -> &'static str {
    match audit.status {
        AuditStatus::Success => "success",
        AuditStatus::LimitReached => "limit_reached",
        AuditStatus::Partial => "partial",
        AuditStatus::Unreachable => "error",
    }
}

/// A severity, as the API says it.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "notice",
    }
}

/// The first pages that a check found something on.
pub fn examples(audit: &Audit, check: CheckId) -> Vec<&str> {
    let has = |row: &&RowResult| row.findings.iter().any(|found| found.check == check);
    audit.rows.iter().filter(has).map(|row| row.path.as_str()).take(20).collect()
}

/// For people: health, and what was found with one page as an example.
pub fn table(audit: &Audit) -> String {
    let rows = by_check(audit).into_iter().map(|(check, count)| {
        let entry = check.check();
        let example = examples(audit, check).first().copied().unwrap_or_default();
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
        "{}\n{} pages, health {}, {total} issues, {}\n\n{issues}\n",
        audit.site_url,
        audit.pages,
        audit.health,
        status(audit)
    )
}

/// Without what a terminal would obey: strangers write paths and texts.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// For programs.
pub fn json(audit: &Audit) -> anyhow::Result<String> {
    let site_issues: Vec<Value> = audit
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
        .collect();
    let report = json!({
        "site": audit.site_url,
        "status": audit.status,
        "closeReason": audit.close_reason,
        "pagesCrawled": audit.pages,
        "healthScore": audit.health,
        "issueCount": audit.issue_breakdown.values().sum::<usize>(),
        "issueBreakdown": audit.issue_breakdown,
        "siteIssues": site_issues,
        "sitemapIssues": audit.sitemap_issues,
        "robotsAnalysis": audit.robots_analysis,
        "crawlStats": audit.crawl_stats,
        "pages": audit.rows.iter().map(page).collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

/// A row with the number of its issues, as the API counts them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageReport<'a> {
    issue_count: usize,
    #[serde(flatten)]
    row: &'a RowResult,
}

fn page(row: &RowResult) -> PageReport<'_> {
    PageReport { issue_count: row.findings.len(), row }
}

/// For spreadsheets: one line per finding.
pub fn csv(audit: &Audit) -> String {
    let mut lines = vec!["path,statusCode,issueId,severity,count,example".to_owned()];
    for row in &audit.rows {
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

/// A quoted cell. One that a spreadsheet would compute is made a text: strangers write paths and texts.
fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}
