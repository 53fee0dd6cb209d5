//! The import table of ARCHITECTURE.md: what a file of a given name may mention, and which feature may see which.
//! Used by `tidy::run`. Pure; test code inside a file is exempt, because a test may build whatever it needs.

use super::source::{CodePath, Finding, SourceFile};

const APP: &str = "crates/glasshouse/src/";

/// Features from left to right; a feature may use those in columns further left.
const COLUMNS: &[&[&str]] = &[
    &["accounts"],
    &["domains"],
    &["audit"],
    &["analytics"],
    &["mentions", "render"],
    &["refresh"],
    &["edge", "verify", "views"],
    &["dashboard"],
];

/// Modules that every feature may use, and the features that each of them may know.
const SHARED: &[(&str, &[&str])] = &[
    ("api", &["accounts"]),
    ("jobs", &[]),
    ("listen", &[]),
    ("config", &["accounts"]),
    ("clock", &[]),
    ("follow", &[]),
    ("networks", &[]),
    ("notify", &[]),
    ("platform", &[]),
    ("secret", &[]),
    ("telemetry", &[]),
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
            // `jobs/jobs.rs` does not exist: the table is about features.
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

/// Checks that a feature uses features to its left only, through their services and models; `queries.rs` uses only their ids.
pub fn features_point_to_the_left(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        let Some(own) = feature_file(&file.path) else { continue };
        for path in file.rust_facts().paths.iter().filter(|path| !path.in_test) {
            let Some((other, inside)) = feature_named(path) else { continue };
            if other == own {
                continue;
            }
            let trouble = if column(other) >= column(own) {
                Some(format!("{own} must not know {other}: features point to the left"))
            } else if has_role(&file.path, "queries.rs") && !names_an_id(path) {
                Some(format!("the queries of {own} must not know another feature ({other})"))
            } else if matches!(inside, Some("queries" | "handlers")) {
                Some(format!("{own} may call the service of {other}, not its {}", inside.unwrap_or_default()))
            } else {
                None
            };
            findings.extend(trouble.map(|message| file.finding(path.line, message)));
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

/// Lists the modules that contain an application file, and its own: `edge`, `proxy`, `forward`.
fn module_path(path: &str) -> Vec<&str> {
    let Some(inside) = path.strip_prefix(APP) else { return Vec::new() };
    let module = inside.trim_end_matches(".rs");
    module.strip_suffix("/mod").unwrap_or(module).split('/').collect()
}

/// Resolves a path from the crate's root. A path without `crate`, `super` or `self` counts as relative to the module.
fn absolute<'a>(module: &[&'a str], path: &'a CodePath) -> Vec<&'a str> {
    let mut segments = path.segments.iter().map(String::as_str).peekable();
    if segments.next_if(|first| matches!(*first, "crate" | "glasshouse")).is_some() {
        return segments.collect();
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

/// Checks that `api`, `jobs`, `config` and the other modules below the features name neither a feature nor `app`.
pub fn shared_modules_know_no_feature(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        let Some((module, known)) = SHARED.iter().find(|(module, _)| top_module(&file.path) == Some(*module))
        else {
            continue;
        };
        for path in file.rust_facts().paths.iter().filter(|path| !path.in_test) {
            let feature = feature_named(path).map(|(feature, _)| feature);
            let above =
                feature.filter(|feature| !known.contains(feature)).or(names_app(path).then_some("app"));
            if let Some(above) = above {
                let message = format!("{module} is below the features and must not know {above}");
                findings.push(file.finding(path.line, message));
            }
        }
    }
    findings
}

/// Returns the first module of an application file: `render` of `…/src/render/cache.rs`, `config` of `…/src/config.rs`.
fn top_module(path: &str) -> Option<&str> {
    let inside = path.strip_prefix(APP)?;
    Some(inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs"))
}

/// Returns true for `ROLE.rs` and its parts: `render/queries.rs` and `render/queries/lease.rs` are both queries.
fn has_role(path: &str, role: &str) -> bool {
    let folder = format!("/{}/", role.trim_end_matches(".rs"));
    let inside = path.strip_prefix(APP).unwrap_or(path);
    inside.ends_with(&format!("/{role}")) || inside.contains(&folder)
}

/// Finds the feature that a file belongs to.
fn feature_file(path: &str) -> Option<&'static str> {
    let module = top_module(path)?;
    COLUMNS.iter().flat_map(|column| column.iter()).find(|feature| **feature == module).copied()
}

/// Finds the feature that `crate::FEATURE::…` names, and the module inside that feature.
fn feature_named(path: &CodePath) -> Option<(&'static str, Option<&str>)> {
    let mut segments = path.segments.iter().map(String::as_str);
    // A path through `super::super` is rare and a matter of taste; a feature's own files are one level deep.
    let first = segments.next()?;
    if first != "crate" && first != "glasshouse" {
        return None;
    }
    let module = segments.next()?;
    let feature = COLUMNS.iter().flat_map(|column| column.iter()).find(|feature| **feature == module)?;
    Some((feature, segments.next()))
}

/// Returns true for a path into `app`, which wires all features.
fn names_app(path: &CodePath) -> bool {
    path.segments.len() > 1
        && matches!(path.segments[0].as_str(), "crate" | "glasshouse")
        && path.segments[1] == "app"
}

/// Returns true for a path that ends in an id type: a column may refer to another feature's row.
fn names_an_id(path: &CodePath) -> bool {
    path.segments.last().is_some_and(|last| last.len() > 2 && last.ends_with("Id"))
}

fn column(feature: &str) -> usize {
    COLUMNS.iter().position(|column| column.contains(&feature)).unwrap_or(COLUMNS.len())
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
        rule(&[SourceFile::new(format!("{APP}{path}"), code)]).len()
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
    fn a_feature_to_the_right_is_unknown() {
        let found =
            check(features_point_to_the_left, "domains/service.rs", "use crate::render::RenderService;");

        assert_eq!(found, 1);
    }

    #[test]
    fn features_in_one_column_do_not_know_each_other() {
        let found =
            check(features_point_to_the_left, "render/service.rs", "use crate::mentions::model::Prompt;");

        assert_eq!(found, 1);
    }

    #[test]
    fn the_queries_of_a_feature_to_the_left_are_its_own() {
        let rule = features_point_to_the_left;

        let found = [
            check(rule, "render/service.rs", "use crate::{domains::queries::find_domain, clock::Clock};"),
            check(rule, "render/queries.rs", "use crate::domains::model::Settings;"),
            check(rule, "render/queries.rs", "use crate::domains::model::DomainId;"),
            check(rule, "render/service.rs", "use crate::domains::service::DomainsService;"),
        ];

        assert_eq!(found, [1, 1, 0, 0]);
    }

    #[test]
    fn a_lower_room_does_not_use_a_higher_one() {
        let found = [
            check(no_import_climbs, "edge/proxy/forward.rs", "use crate::edge::listener::Sockets;"),
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

    #[test]
    fn shared_modules_are_below_the_features() {
        let rule = shared_modules_know_no_feature;

        let found = [
            check(rule, "config.rs", "use crate::render::model::Tier;"),
            check(rule, "api/router.rs", "use crate::render::handlers;"),
            check(rule, "api/caller.rs", "use crate::app::AppState;"),
            check(rule, "api/caller.rs", "use crate::accounts::service::Accounts;"),
        ];

        assert_eq!(found, [1, 1, 1, 0]);
    }
}
