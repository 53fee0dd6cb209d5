//! Decision records: their form, and the index by feature that is written from them.
//! Used by `tidy::run`, which compares the index, and by `cargo xtask index`, which writes it. Pure.

use super::source::{Finding, SourceFile};
use std::collections::BTreeMap;

/// The page that `cargo xtask index` writes.
pub const INDEX: &str = "docs/decisions/README.md";
const FOLDER: &str = "docs/decisions/";
/// Names records in its tests, which are no links.
const THIS_FILE: &str = "xtask/src/tidy/records.rs";

/// Features that a record may be filed under, in the order of the index.
const FEATURES: &[&str] = &[
    "platform",
    "api",
    "accounts",
    "webhooks",
    "domains",
    "edge",
    "jobs",
    "render",
    "refresh",
    "browser",
    "crawler",
    "audit",
    "analytics",
    "dashboard",
    "mentions",
    "integrations",
    "build",
];
const STATUSES: &[&str] = &["accepted", "superseded", "proposed"];
const MAX_LINES: usize = 40;

/// A decision record's entry in the index.
struct Record<'a> {
    file: &'a SourceFile,
    number: &'a str,
    title: &'a str,
    status: &'a str,
    feature: &'a str,
    supersedes: Option<&'a str>,
}

/// Checks that a record is named `NNNN-title.md` after its title, and has status, feature and three parts in about ten lines.
pub fn records_have_their_form(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut numbers: BTreeMap<&str, &SourceFile> = BTreeMap::new();
    for file in record_files(files) {
        let record = read(file);
        let mut complain = |line, message: String| findings.push(file.finding(line, message));
        if record.number.len() != 4 || !record.number.bytes().all(|byte| byte.is_ascii_digit()) {
            complain(0, "is not named NNNN-title.md".to_owned());
        } else if numbers.insert(record.number, file).is_some() {
            complain(0, format!("number {} is taken", record.number));
        }
        let name = format!("{}-{}.md", record.number, slug(record.title));
        if file.name() != name {
            complain(1, format!("is not named after its title: {name}"));
        }
        if !STATUSES.contains(&record.status) {
            complain(3, format!("needs a line \"Status: \" with one of {}", STATUSES.join(", ")));
        }
        if !FEATURES.contains(&record.feature) {
            complain(4, format!("needs a line \"Feature: \" with one of {}", FEATURES.join(", ")));
        }
        for part in ["Context:", "Decision:", "Consequences:"] {
            if !file.text.lines().any(|line| line.starts_with(part)) {
                complain(0, format!("has no part \"{part}\""));
            }
        }
        if file.text.lines().count() > MAX_LINES {
            complain(0, format!("is longer than {MAX_LINES} lines: a record is about ten"));
        }
    }
    for file in record_files(files) {
        let Some(older) = read(file).supersedes else { continue };
        match numbers.get(older) {
            None => findings.push(file.finding(0, format!("supersedes {older}, which does not exist"))),
            Some(old) if read(old).status != "superseded" => {
                findings.push(
                    old.finding(3, format!("is superseded by {} and does not say so", read(file).number)),
                );
            }
            Some(_) => {}
        }
    }
    findings
}

/// Checks that links of code and documents, `decisions/NNNN` or `decisions/NNNN-title.md`, name a record that exists.
pub fn links_to_records_lead_somewhere(files: &[SourceFile]) -> Vec<Finding> {
    const LINK: &str = "decisions/";
    let records: Vec<(&str, &str)> =
        record_files(files).map(|file| (read(file).number, file.name())).collect();
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| !file.path.starts_with("xtask/")) {
        // Records name each other without the folder; the index is written from them.
        let link = if file.path.starts_with(FOLDER) { "](" } else { LINK };
        for (index, line) in file.text.lines().enumerate() {
            for (at, _) in line.match_indices(link) {
                let is_name = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
                let name: String = line[at + link.len()..].chars().take_while(is_name).collect();
                let number = name.split('-').next().unwrap_or_default();
                if number.len() != 4 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
                    continue;
                }
                if !records.iter().any(|(known, file)| name == *known || format!("{name}.md") == *file) {
                    findings.push(file.finding(index + 1, format!("there is no decision record {name}")));
                }
            }
        }
    }
    findings
}

/// Checks that each accepted record is named by a source file, so that readers of the code find it.
pub fn accepted_records_are_linked_from_code(files: &[SourceFile]) -> Vec<Finding> {
    let is_source = |file: &&SourceFile| {
        let is_code =
            ["rs", "toml", "sql", "sh", "js", "mjs", "ts"].iter().any(|extension| file.is(extension));
        is_code && file.path != THIS_FILE
    };
    let sources: Vec<&SourceFile> = files.iter().filter(is_source).collect();
    record_files(files)
        .map(|file| (file, read(file)))
        .filter(|(_, record)| record.status == "accepted")
        .filter(|(_, record)| {
            let link = format!("{FOLDER}{}", record.number);
            !sources.iter().any(|source| source.text.contains(&link))
        })
        .map(|(file, record)| {
            let link = format!("See {FOLDER}{}.", record.number);
            file.finding(
                0,
                format!("no source file links to it: write \"{link}\" where the decision is carried out"),
            )
        })
        .collect()
}

/// Checks that the index equals the output of `cargo xtask index`.
pub fn the_index_is_up_to_date(files: &[SourceFile]) -> Vec<Finding> {
    let kept = files.iter().find(|file| file.path == INDEX);
    if kept.is_some_and(|file| file.text == index(files)) {
        return Vec::new();
    }
    let message = "is old: cargo xtask index".to_owned();
    vec![Finding { path: INDEX.to_owned(), line: 0, message }]
}

/// Writes the page with every record, by feature.
pub fn index(files: &[SourceFile]) -> String {
    let mut page = String::from(
        "# Decisions\n\nWhy it is the way it is, ten lines each. This page is written by `cargo xtask index`.\n",
    );
    let mut records: Vec<Record> = record_files(files).map(read).collect();
    records.sort_by_key(|record| record.number);
    for feature in FEATURES {
        let of_feature: Vec<_> = records.iter().filter(|record| record.feature == *feature).collect();
        if of_feature.is_empty() {
            continue;
        }
        page.push_str(&format!("\n## {feature}\n\n"));
        for record in of_feature {
            page.push_str(&format!("- [{}]({}) {}", record.number, record.file.name(), record.title));
            if record.status != "accepted" {
                page.push_str(&format!(" ({})", record.status));
            }
            if let Some(older) = record.supersedes {
                page.push_str(&format!(", supersedes {older}"));
            }
            page.push('\n');
        }
    }
    page
}

fn record_files(files: &[SourceFile]) -> impl Iterator<Item = &SourceFile> {
    files.iter().filter(|file| file.path.starts_with(FOLDER) && file.is("md") && file.path != INDEX)
}

fn read(file: &SourceFile) -> Record<'_> {
    let field =
        |name: &str| file.text.lines().take(8).find_map(|line| line.strip_prefix(name)).map(str::trim);
    Record {
        file,
        number: file.name().split('-').next().unwrap_or_default(),
        title: file.text.lines().next().unwrap_or_default().trim_start_matches("# "),
        status: field("Status:").unwrap_or_default(),
        feature: field("Feature:").unwrap_or_default(),
        supersedes: field("Supersedes:"),
    }
}

/// Turns a title into a file name: lower-case letters and digits, all else hyphens.
fn slug(title: &str) -> String {
    let plain = title.to_ascii_lowercase().replace(['\'', '`'], "");
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, title: &str, fields: &str) -> SourceFile {
        let text = format!("# {title}\n\n{fields}\n\nContext: a.\nDecision: b.\nConsequences: c.\n");
        SourceFile::new(format!("{FOLDER}{name}"), text)
    }

    const FIELDS: &str = "Status: accepted\nFeature: edge";

    #[test]
    fn a_record_with_status_feature_and_three_parts_is_fine() {
        let files = [record("0002-lists-expire-after-30-days.md", "Lists expire after 30 days", FIELDS)];

        assert_eq!(records_have_their_form(&files), []);
    }

    #[test]
    fn each_part_of_the_form_is_demanded() {
        let title = "Lists expire";
        let wrong = [
            record("lists-expire.md", title, FIELDS),
            record("0002-a-riddle.md", title, FIELDS),
            record("0002-lists-expire.md", title, "Feature: edge"),
            record("0002-lists-expire.md", title, "Status: accepted\nFeature: kitchen"),
            record("0002-lists-expire.md", title, &format!("{FIELDS}\nSupersedes: 0001")),
            SourceFile::new(
                format!("{FOLDER}0002-lists-expire.md"),
                format!("# {title}\n\n{FIELDS}\n\nContext: a.\nDecision: b.\n"),
            ),
        ];

        for file in wrong {
            let path = file.path.clone();
            assert!(!records_have_their_form(&[file]).is_empty(), "{path}");
        }
    }

    #[test]
    fn two_records_do_not_share_a_number() {
        let files = [record("0002-a.md", "A", FIELDS), record("0002-b.md", "B", FIELDS)];

        assert_eq!(records_have_their_form(&files).len(), 1);
    }

    #[test]
    fn a_superseded_record_says_so() {
        let newer = record("0003-b.md", "B", &format!("{FIELDS}\nSupersedes: 0002"));
        let old = record("0002-a.md", "A", FIELDS);
        let marked = record("0002-a.md", "A", "Status: superseded\nFeature: edge");

        let found =
            records_have_their_form(&[old, record("0003-b.md", "B", &format!("{FIELDS}\nSupersedes: 0002"))]);

        assert_eq!(found.len(), 1);
        assert_eq!(records_have_their_form(&[marked, newer]), []);
    }

    #[test]
    fn a_link_to_a_record_that_is_gone_is_found() {
        let code = "//! docs/decisions/0002 and docs/decisions/0009\n//! docs/decisions/0002.\n//! docs/decisions/NNNN\n";
        let page = "[2](decisions/0002-a.md#why)\n[2](decisions/0002-b.md)\n";
        let files = [
            record("0002-a.md", "A", FIELDS),
            record("0003-b.md", "B", "See [0002](0002-c.md) and [0002](0002-a.md)."),
            SourceFile::new("crates/x/src/a.rs", code),
            SourceFile::new("docs/jobs.md", page),
        ];

        let found = links_to_records_lead_somewhere(&files);

        let messages: Vec<_> =
            found.iter().map(|f| (f.line, f.message.rsplit(' ').next().unwrap())).collect();
        assert_eq!(messages, [(3, "0002-c"), (1, "0009"), (2, "0002-b")]);
    }

    #[test]
    fn an_accepted_record_without_a_link_in_code_is_found() {
        let superseded = record("0003-b.md", "B", "Status: superseded\nFeature: edge");
        let mut files = vec![record("0002-a.md", "A", FIELDS), superseded];

        let before = accepted_records_are_linked_from_code(&files);
        files.push(SourceFile::new("docs/jobs.md", "docs/decisions/0002"));
        let by_a_document = accepted_records_are_linked_from_code(&files);
        files.push(SourceFile::new("crates/x/src/a.rs", "//! See docs/decisions/0002.\n"));
        let by_code = accepted_records_are_linked_from_code(&files);

        assert_eq!((before.len(), by_a_document.len(), by_code.len()), (1, 1, 0));
    }

    #[test]
    fn an_old_index_is_found() {
        let mut files = vec![record("0002-a.md", "A", FIELDS)];
        let current = SourceFile::new(INDEX, index(&files));
        assert!(current.text.contains("## edge\n\n- [0002](0002-a.md) A\n"));

        files.push(current);
        let on_current = the_index_is_up_to_date(&files);
        files.push(record("0003-b.md", "B", FIELDS));
        let on_old = the_index_is_up_to_date(&files);

        assert_eq!((on_current.len(), on_old.len()), (0, 1));
    }
}
