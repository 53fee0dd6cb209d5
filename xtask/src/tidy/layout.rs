//! Rules about which files exist: crate direction, test binaries, migrations.
//! Used by `tidy::run`. Pure.

use super::source::{Finding, SourceFile};
use std::collections::{BTreeMap, BTreeSet};

/// Libraries, and which of our crates each may depend on.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("store", &[]),
    ("cache", &[]),
    ("crawler", &[]),
    ("browser", &["crawler"]),
    ("assistants", &["crawler"]),
    ("fakeai", &[]),
    ("audit_engine", &["crawler"]),
    ("markdown", &[]),
    ("xtask", &[]),
];

/// Crates of the application from the bottom up: each may depend on libraries and on crates of lines above its own.
const LEVELS: &[&[&str]] = &[
    &["platform"],
    &["accounts"],
    &["webhooks"],
    &["domains"],
    &["audit"],
    &["analytics"],
    &["mentions", "render"],
    &["refresh"],
    &["edge", "verify", "views"],
    &["dashboard"],
    &["mcp"],
    &["glasshouse"],
];

/// Crates that only tests may depend on, of whatever crate.
const FOR_TESTS: &[&str] = &["fakeai"];

/// Checks that no manifest names a crate of the workspace that it may not depend on.
pub fn crates_point_one_way(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.name() == "Cargo.toml") {
        let folder = file.path.trim_end_matches("/Cargo.toml").rsplit('/').next().unwrap_or_default();
        if !is_ours(folder) {
            continue;
        }
        let (mut in_dependencies, mut for_tests) = (false, false);
        for (index, line) in file.text.lines().enumerate() {
            if line.starts_with('[') {
                in_dependencies = line.contains("dependencies");
                for_tests = line.contains("dev-dependencies");
            }
            let key = line.split(['=', '.', ' ']).next().unwrap_or_default();
            // A crate's tests may switch on a feature of the crate itself.
            let is_allowed =
                key == folder || may_depend(folder, key) || (for_tests && FOR_TESTS.contains(&key));
            if in_dependencies && is_ours(key) && !is_allowed {
                findings.push(file.finding(index + 1, format!("{folder} must not depend on {key}")));
            }
        }
    }
    findings
}

fn is_ours(name: &str) -> bool {
    level(name).is_some() || LIBRARIES.iter().any(|(library, _)| *library == name)
}

fn may_depend(name: &str, on: &str) -> bool {
    match (level(name), level(on)) {
        (Some(own), Some(other)) => other < own,
        (Some(_), None) => !FOR_TESTS.contains(&on) && on != "xtask",
        (None, _) => LIBRARIES.iter().any(|(library, allowed)| *library == name && allowed.contains(&on)),
    }
}

fn level(name: &str) -> Option<usize> {
    LEVELS.iter().position(|level| level.contains(&name))
}

/// Checks that each crate has one binary of integration tests: `tests/it/main.rs` and modules below it.
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

/// Checks that files of `migrations` are named `NNNN_name.sql`, each number once.
pub fn migrations_are_numbered(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut numbers = BTreeSet::new();
    for file in files.iter().filter(|file| file.path.starts_with("migrations/")) {
        let number = file.name().split('_').next().unwrap_or_default();
        if number.len() != 4
            || !number.bytes().all(|byte| byte.is_ascii_digit())
            || !file.name().ends_with(".sql")
        {
            findings.push(file.finding(0, "is not named NNNN_what.sql"));
        } else if !numbers.insert(number) {
            findings.push(file.finding(0, format!("number {number} is taken")));
        }
    }
    findings
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
    fn a_stand_in_of_vendors_is_for_tests_only() {
        let check = |section: &str| {
            let manifest = format!("[{section}]\nfakeai.workspace = true\n");
            crates_point_one_way(&files(&[("crates/glasshouse/Cargo.toml", &manifest)])).len()
        };

        assert_eq!(
            (check("dependencies"), check("dev-dependencies"), check("build-dependencies")),
            (1, 0, 1)
        );
    }

    #[test]
    fn a_feature_depends_on_those_below_it() {
        let check = |on: &str| {
            let manifest = format!("[dependencies]\n{on}.workspace = true\n");
            crates_point_one_way(&files(&[("crates/render/Cargo.toml", &manifest)])).len()
        };

        assert_eq!((check("domains"), check("store"), check("mentions"), check("edge")), (0, 0, 1, 1));
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
    fn a_migration_number_is_used_once() {
        let tree = files(&[
            ("migrations/1001_a.sql", ""),
            ("migrations/1001_b.sql", ""),
            ("migrations/1002_c.sql", ""),
        ]);

        let findings = migrations_are_numbered(&tree);

        assert_eq!(findings.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["migrations/1001_b.sql"]);
    }
}
