//! The catalogue as a document for people: `glasshouse audit --describe`, kept as `docs/audit-checks.md`.

use std::fmt::Write as _;

use super::thresholds::{THRESHOLDS, Threshold};
use super::{CATEGORIES, Check, CheckId, FindingScope};

/// Characters of an example that are shown.
const MAX_EXAMPLE_CHARS: usize = 300;

/// Writes every check with its reason, fix and source, and an example on which it fires.
pub fn document() -> String {
    let mut text = format!(
        "# Audit checks\n\nWritten by `glasshouse audit --describe`; do not edit.\n\n\
         {} checks. An example is a document, or the answers of a small site: `GET /path 404` with headers and body, `RENDER` what a browser makes\n\
         of it, `SNAPSHOT` what crawlers get, `PERSON` what browsers get, `{{word *30}}` thirty copies. Ids are never renamed.\n",
        CheckId::all().count()
    );
    let mut last = "";
    for category in CATEGORIES {
        if category.name != last {
            let _ = write!(text, "\n## {}\n", category.name);
        }
        last = category.name;
        category.checks.iter().for_each(|check| describe(check, &mut text));
    }
    text + &thresholds()
}

/// Writes the table of thresholds that can be changed.
fn thresholds() -> String {
    let lines = THRESHOLDS.iter().map(|known| {
        let Threshold { name, about, default, min, max, .. } = known;
        let checks: Vec<&str> = known.checks().map(|id| id.check().id).collect();
        format!("| `{name}` | {default} | {min} to {max} | {about} | {} |\n", checks.join(", "))
    });
    let head = "\n## Thresholds\n\nNumbers that an audit can have otherwise, by their names in its settings.\n\n\
                | name | usual | from, to | meaning | checks |\n| --- | --- | --- | --- | --- |\n";
    lines.fold(head.to_owned(), |text, line| text + &line)
}

fn describe(check: &Check, text: &mut String) {
    let severity = check.severity.as_str();
    let about = match check.scope {
        FindingScope::Page => "a page",
        FindingScope::Site => "the site",
        FindingScope::Robots => "robots.txt",
        FindingScope::Sitemap => "the sitemap",
    };
    let default = if check.is_default { "" } else { ", off by default" };
    // An element that a text names must be no HTML of the page.
    let [title, why, fix] = [check.title, check.why, check.fix].map(|text| text.replace('<', "\\<"));
    let _ = write!(
        text,
        "\n### {}\n\n{title} ({severity} about {about}, weight {}{default}).\n\n- Why: {why}\n- How to fix: {fix}\n- Source: <{}>\n- Fires on:\n\n{}\n",
        check.id,
        check.weight,
        check.source,
        example(check.bad)
    );
}

/// Writes an example as a block of code, without invisible characters.
fn example(text: &str) -> String {
    let shown: String = text.chars().take(MAX_EXAMPLE_CHARS).collect();
    let cut = if shown.len() < text.len() { "…" } else { "" };
    let lines = shown.lines().map(|line| {
        let line: String = line.chars().map(|c| if c.is_control() { '·' } else { c }).collect();
        if line.is_empty() { line } else { format!("      {}", line.trim_end()) }
    });
    lines.collect::<Vec<_>>().join("\n") + cut
}
