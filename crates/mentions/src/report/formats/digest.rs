//! A digest by e-mail: the confirmed changes that no earlier digest contained, as text and as HTML. Pure.

use std::fmt::Write;

use super::super::payload::{ReportChange, VisibilityReport};
use super::inert::{escaped, html, line, mail};
use super::{change_sentence, interval, number};

/// Changes that are written out.
const MAX_LINES: usize = 50;

/// Period of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DigestPeriod {
    Day,
    Week,
}

/// Content of a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestMail {
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// Writes the digest of a report. `changes` are confirmed, `link` leads to the report.
pub fn digest(
    report: &VisibilityReport,
    period: DigestPeriod,
    changes: &[ReportChange],
    link: &str,
) -> DigestMail {
    let subject = match period {
        DigestPeriod::Day => format!("{}: AI answers changed on {}", report.domain, report.period.to),
        DigestPeriod::Week => format!("{}: AI visibility, week to {}", report.domain, report.period.to),
    };
    let lines: Vec<String> =
        changes.iter().take(MAX_LINES).map(|change| change_sentence(report, change, mail)).collect();
    let more = changes.len().saturating_sub(MAX_LINES);
    let visibility = &report.stats.visibility_percent;
    let summary = format!(
        "Visibility {} ({} of {} answers, 95 % interval {}), {} to {}.",
        number(visibility.value, "%"),
        report.stats.total_mentions,
        report.coverage.responses,
        if visibility.ci.is_some() { interval(visibility.ci) } else { "–".to_owned() },
        report.period.from,
        report.period.to
    );
    let note = "Each change is confirmed: the answer after it agrees.";
    let mut text = format!("{}\n\n{summary}\n\n", mail(&subject));
    let mut page = format!(
        "<!doctype html><html><body><p><strong>{}</strong></p><p>{}</p>",
        escaped(&mail(&subject)),
        html(&summary)
    );
    if !lines.is_empty() {
        page.push_str("<ul>");
        for line in &lines {
            let _ = writeln!(text, "- {line}");
            let _ = write!(page, "<li>{}</li>", escaped(line));
        }
        page.push_str("</ul>");
        if more > 0 {
            let _ = writeln!(text, "- and {more} more");
            let _ = write!(page, "<p>and {more} more</p>");
        }
        let _ = writeln!(text, "\n{note}");
        let _ = write!(page, "<p>{note}</p>");
    } else {
        text.push_str("No confirmed change.\n");
        page.push_str("<p>No confirmed change.</p>");
    }
    let _ = writeln!(text, "\nThe report: {link}");
    let _ = write!(page, "<p><a href=\"{}\">The report</a></p></body></html>", html(link));
    DigestMail { subject: line(&subject), text, html: page }
}
