//! The import table of ARCHITECTURE.md: what a file of a given name may mention.
//! Used by `tidy::run`. Pure; test code inside a file is exempt, because a test may build whatever it needs.

use super::source::{CodePath, Finding, SourceFile};

/// Crates of the features, to which the table applies.
const FEATURES: &[&str] = &[
    "accounts",
    "webhooks",
    "domains",
    "audit",
    "analytics",
    "mentions",
    "render",
    "refresh",
    "edge",
    "verify",
    "views",
    "dashboard",
    "mcp",
];

/// Folders of one feature, from the lowest to the highest; a file uses its own and those before it.
const ROOMS: &[(&str, &[&str])] = &[("edge", &["certificates", "proxy", "listener"])];

/// File name, and what a file of that name must not mention.
const TABLE: &[(&str, &[&str])] = &[
    ("model.rs", &["axum", "sqlx", "tokio", "reqwest", "queries", "service"]),
    ("queries.rs", &["axum", "reqwest", "service", "handlers"]),
    ("service.rs", &["axum", "sqlx"]),
    ("handlers.rs", &["sqlx", "queries", "Tx"]),
    ("jobs.rs", &["axum", "sqlx", "queries"]),
];

/// Names that an SEO check must not mention: a check decides about facts and does no I/O.
const CHECKS: &[&str] = &["axum", "sqlx", "tokio", "reqwest", "fs", "net", "process"];

/// Checks that `model.rs`, `queries.rs`, `service.rs`, `handlers.rs`, `jobs.rs` and SEO checks keep to their row of the table.
pub fn each_file_imports_what_its_name_allows(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        let banned = match feature_file(&file.path) {
            Some(_) => TABLE.iter().find(|(name, _)| has_role(&file.path, name)).map(|(_, banned)| *banned),
            None if file.path.contains("/checks/") && !file.path.ends_with("/mod.rs") => Some(CHECKS),
            None => None,
        };
        let Some(banned) = banned else { continue };
        for path in file.rust_facts().paths.iter().filter(|path| !path.in_test) {
            if let Some(word) = banned.iter().find(|word| mentions(path, word)) {
                let message =
                    format!("{} must not mention {word} ({})", file.name(), path.segments.join("::"));
                findings.push(file.finding(path.line, message));
            }
        }
    }
    findings
}

/// Checks that no file of a feature's folder uses a folder above its own in `ROOMS`.
pub fn no_import_climbs(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        let module = module_path(&file.path);
        let [feature, room, ..] = module.as_slice() else { continue };
        let Some((_, rooms)) = ROOMS.iter().find(|(name, _)| name == feature) else { continue };
        let Some(own) = rooms.iter().position(|name| name == room) else { continue };
        for path in file.rust_facts().paths.iter().filter(|path| !path.in_test) {
            if let [used_feature, used_room, ..] = absolute(&module, path).as_slice()
                && used_feature == feature
                && rooms[own + 1..].contains(used_room)
            {
                findings.push(
                    file.finding(path.line, format!("{room} is below {used_room} and must not use it")),
                );
            }
        }
    }
    findings
}

/// Lists the crate and the modules that contain a file of a feature, and its own: `edge`, `proxy`, `forward`.
fn module_path(path: &str) -> Vec<&str> {
    let Some((feature, inside)) = feature_file(path) else { return Vec::new() };
    let module = inside.trim_end_matches(".rs");
    let module = module.strip_suffix("/mod").unwrap_or(module);
    [feature].into_iter().chain(module.split('/')).collect()
}

/// Resolves a path from the crate's root. A path without `crate`, `super` or `self` counts as relative to the module.
fn absolute<'a>(module: &[&'a str], path: &'a CodePath) -> Vec<&'a str> {
    let mut segments = path.segments.iter().map(String::as_str).peekable();
    if segments.next_if(|first| *first == "crate").is_some() {
        return module.iter().take(1).copied().chain(segments).collect();
    }
    let mut found = module.to_vec();
    while let Some(step) = segments.next_if(|step| matches!(*step, "super" | "self")) {
        if step == "super" {
            found.pop();
        }
    }
    found.extend(segments);
    found
}

/// Returns true for `ROLE.rs` and its parts: `render/queries.rs` and `render/queries/lease.rs` are both queries.
fn has_role(path: &str, role: &str) -> bool {
    let folder = format!("/{}/", role.trim_end_matches(".rs"));
    path.ends_with(&format!("/{role}")) || path.contains(&folder)
}

/// Finds the feature that a file belongs to, and its path below the sources of that crate.
fn feature_file(path: &str) -> Option<(&'static str, &str)> {
    let (name, inside) = path.strip_prefix("crates/")?.split_once("/src/")?;
    FEATURES.iter().find(|feature| **feature == name).map(|feature| (*feature, inside))
}

/// Returns true when a segment of the path is `word`. A single local name does not count.
fn mentions(path: &CodePath, word: &str) -> bool {
    let is_module = matches!(word, "queries" | "service" | "handlers" | "fs" | "net" | "process");
    let is_type = word.starts_with(char::is_uppercase);
    if is_type {
        return path.segments.iter().any(|segment| segment == word);
    }
    if !is_module {
        return path.segments.first().is_some_and(|first| first == word)
            && (path.in_use || path.segments.len() > 1);
    }
    // `service` alone is a variable; `service::X`, `super::service` and `use …::service` are the module.
    (path.segments.len() > 1 || path.in_use) && path.segments.iter().any(|segment| segment == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: fn(&[SourceFile]) -> Vec<Finding>, path: &str, code: &str) -> usize {
        let (feature, inside) = path.split_once('/').unwrap();
        rule(&[SourceFile::new(format!("crates/{feature}/src/{inside}"), code)]).len()
    }

    #[test]
    fn each_row_of_the_table_fires() {
        let rule = each_file_imports_what_its_name_allows;

        let found = [
            check(rule, "render/model.rs", "use axum::Json;"),
            check(rule, "render/queries.rs", "fn f() { super::service::go(); }"),
            check(rule, "render/service.rs", "fn f(row: sqlx::AnyRow) {}"),
            check(rule, "render/handlers.rs", "fn f(tx: &mut Tx) {}"),
            check(rule, "render/jobs.rs", "use super::{model, queries};"),
        ];

        assert_eq!(found, [1, 1, 1, 1, 1]);
    }

    #[test]
    fn the_parts_of_a_large_file_keep_to_its_row() {
        let rule = each_file_imports_what_its_name_allows;

        let found = [
            check(rule, "render/queries/lease.rs", "use axum::Json;"),
            check(rule, "render/handlers/snapshots.rs", "use sqlx::Row;"),
        ];

        assert_eq!(found, [1, 1]);
    }

    #[test]
    fn a_check_does_no_input_or_output() {
        let file = SourceFile::new("crates/audit_engine/src/checks/titles.rs", "use std::fs;");

        let findings = each_file_imports_what_its_name_allows(&[file]);

        assert_eq!(findings.len(), 1);
    }

    #[test]
    fn a_variable_named_service_and_test_code_are_fine() {
        let rule = each_file_imports_what_its_name_allows;

        let found = [
            check(rule, "render/queries.rs", "fn f(service: u8) -> u8 { service }"),
            check(rule, "render/service.rs", "#[cfg(test)]\nmod tests { use sqlx::Row; }"),
        ];

        assert_eq!(found, [0, 0]);
    }

    #[test]
    fn a_lower_room_does_not_use_a_higher_one() {
        let found = [
            check(no_import_climbs, "edge/proxy/forward.rs", "use crate::listener::Sockets;"),
            check(no_import_climbs, "edge/proxy/mod.rs", "use super::listener;"),
            check(
                no_import_climbs,
                "edge/certificates/queries/mod.rs",
                "fn f() { super::super::proxy::go(); }",
            ),
            check(no_import_climbs, "edge/proxy/forward.rs", "use super::super::certificates::Certificates;"),
            check(no_import_climbs, "edge/listener/mod.rs", "use super::proxy::service::Edge;"),
            check(no_import_climbs, "edge/mod.rs", "pub use listener::Sockets;"),
        ];

        assert_eq!(found, [1, 1, 1, 0, 0, 0]);
    }
}
