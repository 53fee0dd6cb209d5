//! Metrics: what the code counts, the catalogue and the documentation agree.
//! Used by `tidy::run`. Pure.

use super::source::{Finding, SourceFile};
use std::collections::BTreeSet;

const CATALOGUE: &str = "crates/platform/src/telemetry/catalogue.rs";
const PAGE: &str = "docs/logging.md";
const MACROS: &[&str] = &["counter!(", "gauge!(", "histogram!("];

/// Checks that every metric of the code is in the catalogue, and that every entry is used and documented.
pub fn metrics_are_in_the_catalogue(files: &[SourceFile]) -> Vec<Finding> {
    let find = |path: &str| files.iter().find(|file| file.path == path);
    let (Some(catalogue), Some(page)) = (find(CATALOGUE), find(PAGE)) else { return Vec::new() };
    let listed: BTreeSet<&str> = catalogue.text.split('"').filter(|text| is_metric(text)).collect();
    let mut findings = Vec::new();
    let mut counted = BTreeSet::new();
    for file in
        files.iter().filter(|file| file.is("rs") && file.path.contains("/src/") && file.path != CATALOGUE)
    {
        for (line, name) in used_metrics(&file.text) {
            counted.insert(name);
            if !listed.contains(name) {
                findings.push(file.finding(line, format!("{name} is not in {CATALOGUE}")));
            }
        }
    }
    for name in &listed {
        if !counted.contains(name) {
            findings.push(catalogue.finding(0, format!("{name} is counted nowhere")));
        }
        if !page.text.contains(&format!("| `{name}` |")) {
            findings.push(page.finding(0, format!("does not have {name}")));
        }
    }
    findings
}

fn is_metric(text: &str) -> bool {
    text.starts_with("glasshouse_") && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// Names that are the first argument of one of the macros, which may stand on the next line.
fn used_metrics(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for at in MACROS.iter().flat_map(|name| text.match_indices(name).map(|(at, _)| at + name.len())) {
        let Some(literal) = text[at..].trim_start().strip_prefix('"') else { continue };
        if let Some((name, _)) = literal.split_once('"').filter(|(name, _)| is_metric(name)) {
            found.push((text[..at].lines().count(), name));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_catalogue_and_page_are_compared() {
        let files = [
            SourceFile::new(
                "crates/glasshouse/src/a.rs",
                "fn f() {\n  metrics::counter!(\n    \"glasshouse_b_total\", \"x\" => 1);\n}",
            ),
            SourceFile::new(CATALOGUE, "(\"glasshouse_a_total\", \"Things\")"),
            SourceFile::new(PAGE, "nothing"),
        ];

        let found = metrics_are_in_the_catalogue(&files);

        assert_eq!(found.len(), 3, "not listed, not counted, not documented: {found:?}");
    }

    #[test]
    fn what_agrees_is_fine() {
        let files = [
            SourceFile::new("crates/glasshouse/src/a.rs", "metrics::gauge!(\"glasshouse_a\").set(1.0);"),
            SourceFile::new(CATALOGUE, "(\"glasshouse_a\", \"Things\")"),
            SourceFile::new(PAGE, "| `glasshouse_a` | | Things |"),
        ];

        assert_eq!(metrics_are_in_the_catalogue(&files), []);
    }
}
