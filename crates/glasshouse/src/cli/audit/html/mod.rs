//! The audit's report as one HTML file that opens from disk. It has no script, and its policy forbids any: text from the
//! audited pages stays text.

mod charts;
mod contents;
mod findings;

use std::io::{self, Write};

use audit_engine::engine::Audit;

use self::contents::ReportContents;
use super::report::status;

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const STYLE: &str = include_str!("style.css");

/// Writes the report.
pub fn write(audit: &Audit, to: &mut dyn Write) -> io::Result<()> {
    let site = escape(&audit.site_url);
    let contents = ReportContents::from(audit);
    write!(
        to,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Audit of {site}</title>\
         <style>{STYLE}</style></head><body><header><h1>Audit of {site}</h1><p class=\"soft\">{}</p></header><main>",
        course(audit)
    )?;
    charts::write(audit, &contents, to)?;
    findings::write_issues(audit, &contents, to)?;
    findings::write_pages(audit, &contents, to)?;
    writeln!(to, "</main></body></html>")
}

/// Describes the course of the run in a line.
fn course(audit: &Audit) -> String {
    let stats = &audit.crawl_stats;
    let ended = match status(audit) {
        "limit_reached" => "ended by the limit of pages",
        "partial" => "ended early, or more than a tenth of the pages failed",
        _ => "complete",
    };
    format!(
        "{} addresses asked for in {:.1} s, {} pages rendered; {ended}.",
        stats.fetched,
        stats.duration_ms as f64 / 1000.0,
        stats.rendered_pages
    )
}

/// Escapes text for HTML, in attributes too.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
