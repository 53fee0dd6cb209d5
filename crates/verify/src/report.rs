//! Report of a verification as text for people. Pure.

use super::findings::{NOT_JUDGED, SITE_CHECKS};
use super::model::{SiteCheckResult, SiteReport};

/// Returns the report as text: a line for each check, findings with their remedies.
pub fn as_text(report: &SiteReport) -> String {
    let platform = report.platform.map(|name| format!(", on {name}")).unwrap_or_default();
    let mut text = format!("{} as {} and as a person{platform}\n", report.url, report.crawler);
    for (result, check) in report.checks.iter().zip(SITE_CHECKS.iter().copied().flatten()) {
        let mark = match (result.ok, is_open(result)) {
            (false, _) => "FOUND",
            (true, false) => "ok   ",
            (true, true) => "-    ",
        };
        text.push_str(&format!("{mark} {:<17} {}\n", result.id, result.detail));
        if let Some(remedy) = &result.remedy {
            text.push_str(&format!("      {:<17} Why it matters: {}\n", "", check.why));
            text.push_str(&format!("      {:<17} What to do: {remedy}\n", ""));
        }
    }
    let found = report.checks.iter().filter(|check| !check.ok).count();
    text.push_str(&match found {
        0 => "Nothing was found.".to_owned(),
        1 => "1 check found something; docs/verify.md says more.".to_owned(),
        _ => format!("{found} checks found something; docs/verify.md says more."),
    });
    match report.checks.iter().filter(|check| is_open(check)).count() {
        0 => {}
        1 => text.push_str(" 1 check could not judge."),
        open => text.push_str(&format!(" {open} checks could not judge.")),
    }
    text
}

fn is_open(check: &SiteCheckResult) -> bool {
    check.detail.starts_with(NOT_JUDGED)
}
