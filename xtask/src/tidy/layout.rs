//! Rules about which files exist: crate direction, test binaries, migrations, decision records, file size.
//! Used by `tidy::run`. Pure.

use super::source::{Finding, SourceFile};
use std::collections::{BTreeMap, BTreeSet};

/// Our crates, and which of our crates each may depend on.
const DIRECTION: &[(&str, &[&str])] = &[
    ("store", &[]),
    ("crawler", &[]),
    ("browser", &["crawler"]),
    ("audit_engine", &["crawler"]),
    ("glasshouse", &["store", "crawler", "browser", "audit_engine"]),
    ("xtask", &[]),
];

/// Lines from which a file is worth a question, unless it is a catalogue or made of tests.
const LONG_FILE_LINES: usize = 600;

/// No manifest names a crate of ours that it may not depend on.
pub fn crates_point_one_way(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.name() == "Cargo.toml") {
        let folder = file.path.trim_end_matches("/Cargo.toml").rsplit('/').next().unwrap_or_default();
        let Some((name, allowed)) = DIRECTION.iter().find(|(name, _)| *name == folder) else { continue };
        let mut in_dependencies = false;
        for (index, line) in file.text.lines().enumerate() {
            if line.starts_with('[') {
                in_dependencies = line.contains("dependencies");
            }
            let key = line.split(['=', '.', ' ']).next().unwrap_or_default();
            let is_ours = DIRECTION.iter().any(|(other, _)| *other == key);
            // A crate's tests may switch on a feature of the crate itself.
            if in_dependencies && is_ours && key != *name && !allowed.contains(&key) {
                findings.push(file.finding(index + 1, format!("{name} must not depend on {key}")));
            }
        }
    }
    findings
}

/// Tests outside the code are linked once per crate: `tests/it/main.rs` and modules below it.
pub fn one_test_binary_per_crate(files: &[SourceFile]) -> Vec<Finding> {
    let mut binaries: BTreeMap<&str, Vec<&SourceFile>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        if let Some((krate, inside)) = file.path.split_once("/tests/")
            && krate.starts_with("crates/")
            && !krate.contains("/src")
            && (!inside.contains('/') || inside.matches('/').count() == 1 && inside.ends_with("/main.rs"))
        {
            binaries.entry(krate).or_default().push(file);
        }
    }
    binaries
        .values()
        .flat_map(|found| found.iter().skip(1))
        .map(|file| {
            file.finding(0, "is a second test binary of its crate: make it a module of tests/it/main.rs")
        })
        .collect()
}

/// `migrations/sqlite` and `migrations/postgres` hold the same `NNNN_name.sql`, each number once.
pub fn migrations_come_in_pairs(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let names = |engine: &str| -> BTreeMap<&str, &SourceFile> {
        let folder = format!("migrations/{engine}/");
        files.iter().filter(|file| file.path.starts_with(&folder)).map(|file| (file.name(), file)).collect()
    };
    let engines = [("sqlite", names("sqlite")), ("postgres", names("postgres"))];
    for (here, there) in [(0, 1), (1, 0)] {
        let mut numbers = BTreeSet::new();
        for (name, file) in &engines[here].1 {
            let number = name.split('_').next().unwrap_or_default();
            if number.len() != 4
                || !number.bytes().all(|byte| byte.is_ascii_digit())
                || !name.ends_with(".sql")
            {
                findings.push(file.finding(0, "is not named NNNN_what.sql"));
            } else if !numbers.insert(number) {
                findings.push(file.finding(0, format!("number {number} is taken")));
            }
            if !engines[there].1.contains_key(name) {
                findings.push(file.finding(0, format!("has no twin in migrations/{}", engines[there].0)));
            }
        }
    }
    findings
}

/// A record in `docs/decisions` is `NNNN-title.md`, has a title and the three parts, and is short.
pub fn decision_records_have_their_form(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut numbers = BTreeSet::new();
    for file in files.iter().filter(|file| file.path.starts_with("docs/decisions/") && file.is("md")) {
        if file.name() == "README.md" {
            continue;
        }
        let (number, title) = file.name().split_at_checked(4).unwrap_or_default();
        if !number.bytes().all(|byte| byte.is_ascii_digit()) || number.is_empty() || !title.starts_with('-') {
            findings.push(file.finding(0, "is not named NNNN-title.md"));
        } else if !numbers.insert(number) {
            findings.push(file.finding(0, format!("number {number} is taken")));
        }
        if !file.text.starts_with("# ") {
            findings.push(file.finding(1, "does not begin with its title (# …)"));
        }
        for part in ["Context", "Decision", "Consequences"] {
            let has_part =
                file.text.lines().any(|line| line.trim_start_matches(['#', '*', '-', ' ']).starts_with(part));
            if !has_part {
                findings.push(file.finding(0, format!("has no part \"{part}\"")));
            }
        }
        if file.text.lines().count() > 40 {
            findings.push(file.finding(0, "is longer than 40 lines: a record is about ten"));
        }
    }
    findings
}

/// Files over 600 lines: worth a question, no failure.
pub fn long_files(files: &[SourceFile]) -> Vec<Finding> {
    let is_exempt = |path: &str| {
        ["/tests/", "/checks/", "/data/", "/assets/"].iter().any(|part| path.contains(part))
            || path.ends_with("tests.rs")
    };
    files
        .iter()
        .filter(|file| ["rs", "ts", "tsx", "js", "mjs", "sh"].iter().any(|extension| file.is(extension)))
        .filter(|file| !is_exempt(&file.path))
        .map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| *lines > LONG_FILE_LINES)
        .map(|(file, lines)| file.finding(0, format!("has {lines} lines: could it be two files?")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[(&str, &str)]) -> Vec<SourceFile> {
        paths.iter().map(|(path, text)| SourceFile::new(*path, *text)).collect()
    }

    #[test]
    fn a_library_does_not_depend_on_the_store() {
        let manifest = "[package]\nname = \"crawler\"\n[dependencies]\nstore.workspace = true\n";

        let findings = crates_point_one_way(&files(&[("crates/crawler/Cargo.toml", manifest)]));

        assert_eq!(findings.iter().map(|f| f.line).collect::<Vec<_>>(), [4]);
    }

    #[test]
    fn the_browser_may_use_the_crawler() {
        let manifest = "[dependencies]\ncrawler = { workspace = true }\n[dev-dependencies]\nbrowser = { path = \".\" }\n";

        let findings = crates_point_one_way(&files(&[("crates/browser/Cargo.toml", manifest)]));

        assert!(findings.is_empty());
    }

    #[test]
    fn a_second_test_binary_is_found() {
        let tree = files(&[
            ("crates/x/tests/it/main.rs", ""),
            ("crates/x/tests/it/pages.rs", ""),
            ("crates/x/tests/other.rs", ""),
        ]);

        let findings = one_test_binary_per_crate(&tree);

        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].path, "crates/x/tests/other.rs");
    }

    #[test]
    fn a_migration_for_one_engine_only_is_found() {
        let tree = files(&[
            ("migrations/sqlite/0001_a.sql", ""),
            ("migrations/postgres/0001_a.sql", ""),
            ("migrations/sqlite/0002_b.sql", ""),
        ]);

        let findings = migrations_come_in_pairs(&tree);

        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].path, "migrations/sqlite/0002_b.sql");
    }

    #[test]
    fn a_migration_number_is_used_once() {
        let tree = files(&[
            ("migrations/sqlite/0001_a.sql", ""),
            ("migrations/sqlite/0001_b.sql", ""),
            ("migrations/postgres/0001_a.sql", ""),
            ("migrations/postgres/0001_b.sql", ""),
        ]);

        let findings = migrations_come_in_pairs(&tree);

        assert_eq!(findings.len(), 2);
    }

    #[test]
    fn a_decision_record_needs_its_three_parts() {
        let good = "# Two databases\n\nContext: a.\nDecision: b.\nConsequences: c.\n";
        let bad = "# Two databases\n\nContext: a.\n";

        let on_good =
            decision_records_have_their_form(&files(&[("docs/decisions/0002-two-databases.md", good)]));
        let on_bad =
            decision_records_have_their_form(&files(&[("docs/decisions/0002-two-databases.md", bad)]));

        assert_eq!((on_good.len(), on_bad.len()), (0, 2));
    }

    #[test]
    fn two_records_do_not_share_a_number() {
        let text = "# T\nContext: a.\nDecision: b.\nConsequences: c.\n";

        let findings = decision_records_have_their_form(&files(&[
            ("docs/decisions/0002-a.md", text),
            ("docs/decisions/0002-b.md", text),
        ]));

        assert_eq!(findings.len(), 1);
    }

    #[test]
    fn a_long_file_is_a_question_and_a_catalogue_is_not() {
        let text = "//! A.\n".repeat(601);

        let findings =
            long_files(&files(&[("crates/x/src/a.rs", &text), ("crates/x/src/checks/a.rs", &text)]));

        assert_eq!(findings.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["crates/x/src/a.rs"]);
    }
}
