//! The report's lists: findings with their evidence, and the worst pages.

use std::io::{self, Write};

use audit_engine::checks::Example;
use audit_engine::engine::{Audit, Finding, ListedIssue};
use audit_engine::site::SiteFinding;

use super::contents::ReportContents;
use super::escape;
use crate::cli::audit::report::by_check;

/// Form that filters the findings. Style sheets apply the filter, since the report has no script.
const FILTER: &str = "<fieldset class=\"filter\"><legend class=\"soft\">Show</legend>\
    <label><input type=\"radio\" name=\"only\" id=\"only-all\" checked>all</label>\
    <label><input type=\"radio\" name=\"only\" id=\"only-error\">errors</label>\
    <label><input type=\"radio\" name=\"only\" id=\"only-warning\">warnings</label>\
    <label><input type=\"radio\" name=\"only\" id=\"only-notice\">notices</label></fieldset>";

/// Writes the findings by check, each with pages and evidence.
pub fn write_issues(audit: &Audit, contents: &ReportContents, to: &mut dyn Write) -> io::Result<()> {
    let checks = by_check(audit);
    if checks.is_empty() {
        return write!(to, "<h2>Issues</h2><p>Nothing was found.</p>");
    }
    write!(to, "<h2>Issues</h2>{FILTER}")?;
    for (check, count) in checks {
        let entry = check.check();
        let class = entry.severity.as_str();
        write!(
            to,
            "<details class=\"issue is-{class}\" id=\"{}\"><summary><span class=\"badge {class}\">{class}</span>\
             <span class=\"title\">{} <small>{}</small></span><span>{count}</span></summary><div class=\"inside\">\
             <p>{} {} <a href=\"{}\" rel=\"noreferrer\">Source</a></p>",
            entry.id,
            escape(entry.title),
            entry.id,
            escape(entry.why),
            escape(entry.fix),
            escape(entry.source)
        )?;
        if let Some(pages) = contents.examples.get(entry.id) {
            write_found_pages(audit, pages, count, to)?;
        }
        for found in audit.site_findings.iter().filter(|result| result.check == check) {
            found.findings.iter().try_for_each(|found| write_site_finding(found, to))?;
        }
        write!(to, "</div></details>")?;
    }
    Ok(())
}

fn write_found_pages(
    audit: &Audit,
    pages: &[(String, Finding)],
    count: usize,
    to: &mut dyn Write,
) -> io::Result<()> {
    write!(to, "<table><tr><th>Page</th><th class=\"number\">Found</th><th>What</th></tr>")?;
    for (path, Finding { count: number, examples: first, .. }) in pages {
        write!(
            to,
            "<tr><td>{}</td><td class=\"number\">{number}</td><td>{}</td></tr>",
            link(audit, path),
            examples(*number, first)
        )?;
    }
    write!(to, "</table>")?;
    if count > pages.len() {
        write!(to, "<p class=\"soft\">The first {} of {count}.</p>", pages.len())?;
    }
    Ok(())
}

fn write_site_finding(found: &SiteFinding, to: &mut dyn Write) -> io::Result<()> {
    let line = found.line.map(|line| format!("line {line}")).unwrap_or_default();
    let suggestion =
        found.suggestion.as_ref().map(|text| format!("probably meant: {text}")).unwrap_or_default();
    let parts = [found.file.clone().unwrap_or_default(), line, found.detail.clone(), suggestion];
    let parts: Vec<String> = parts.iter().filter(|part| !part.is_empty()).map(|part| escape(part)).collect();
    write!(to, "<p>{}</p>{}", parts.join(" · "), examples(found.evidence.count, &found.evidence.examples))
}

/// Lists the first of `count` elements and targets at fault, a line each.
fn examples(count: u32, first: &[Example]) -> String {
    if first.is_empty() {
        return String::new();
    }
    let lines: String = first.iter().map(example).collect();
    let rest = (count as usize).saturating_sub(first.len());
    let rest = if rest > 0 { format!("<li class=\"soft\">and {rest} more</li>") } else { String::new() };
    format!("<ul>{lines}{rest}</ul>")
}

fn example(example: &Example) -> String {
    let url = (!example.url.is_empty()).then(|| format!("<code>{}</code>", escape(&example.url)));
    let texts = [&example.text, &example.detail].into_iter().filter(|text| !text.is_empty());
    let parts: Vec<String> = url.into_iter().chain(texts.map(|text| escape(text))).collect();
    format!("<li>{}</li>", parts.join(" · "))
}

/// Writes the pages with the lowest health and links their issues.
pub fn write_pages(audit: &Audit, contents: &ReportContents, to: &mut dyn Write) -> io::Result<()> {
    if contents.worst.is_empty() {
        return Ok(());
    }
    write!(
        to,
        "<h2>Pages with issues, the worst first</h2><div class=\"scroll\"><table><tr><th class=\"number\">Health</th>\
         <th class=\"number\">Status</th><th>Page</th><th>Issues</th></tr>"
    )?;
    for page in &contents.worst {
        let issue = |issue: &ListedIssue| format!("<a href=\"#{0}\">{0}</a>", issue.issue_id);
        let issues: Vec<String> = page.issues.iter().map(issue).collect();
        write!(
            to,
            "<tr><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td><td><small>{}</small></td></tr>",
            page.health,
            page.status,
            link(audit, &page.path),
            issues.join(" ")
        )?;
    }
    write!(to, "</table></div>")
}

/// Writes a link to a page of the audited site. The path begins with a slash, so that the link cannot lead to another host.
fn link(audit: &Audit, path: &str) -> String {
    let (site, path) = (escape(audit.site_url.trim_end_matches('/')), escape(path));
    format!("<a href=\"{site}{path}\" rel=\"noreferrer\"><code>{path}</code></a>")
}
