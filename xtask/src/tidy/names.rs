//! The rule about names of types: whoever searches for one finds the right one.
//! Used by `tidy::run`. Pure.

use super::source::{Finding, SourceFile};
use std::collections::BTreeMap;

const APP: &str = "crates/glasshouse/src/";

/// Names that several places may have: conventions of the house, and `Visit`, of a browser and of a crawler.
const HOUSE_NAMES: &[&str] = &["Args", "Command", "Row", "State", "Visit"];

/// Checks that public types of two features or libraries do not share a name.
pub fn public_types_do_not_share_a_name(files: &[SourceFile]) -> Vec<Finding> {
    let mut owners: BTreeMap<&str, Vec<(&str, Finding)>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        let Some(place) = place_of(&file.path) else { continue };
        for (index, name) in
            file.text.lines().enumerate().filter_map(|(at, line)| Some((at, public_type(line)?)))
        {
            let message = format!("{name} is also a type of");
            owners.entry(name).or_default().push((place, file.finding(index + 1, message)));
        }
    }
    owners.retain(|name, _| !HOUSE_NAMES.contains(name));
    let mut findings = Vec::new();
    for mut types in owners.into_values() {
        let (first_place, first) = types.remove(0);
        for (_, mut finding) in types.into_iter().filter(|(place, _)| *place != first_place) {
            finding.message += &format!(" {first_place} ({}): give one of them its own name", first.path);
            findings.push(finding);
        }
    }
    findings
}

/// Finds the feature or library that a file belongs to. Returns `None` for tests and test helpers.
fn place_of(path: &str) -> Option<&str> {
    let is_test = ["/tests/", "/testing", "/tests.rs"].iter().any(|part| path.contains(part));
    let inside = path.strip_prefix("crates/").filter(|_| !is_test && path.contains("/src/"))?;
    let place = path.strip_prefix(APP).unwrap_or(inside).split('/').next()?;
    Some(place.trim_end_matches(".rs"))
}

/// Reads the name of the public type that an unindented line declares.
fn public_type(line: &str) -> Option<&str> {
    let item = line.strip_prefix("pub ").or_else(|| line.strip_prefix("pub(crate) "))?;
    let (keyword, rest) = item.split_once(' ')?;
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    matches!(keyword, "struct" | "enum" | "trait" | "type").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)]) -> Vec<Finding> {
        let files: Vec<_> = files.iter().map(|(path, text)| SourceFile::new(*path, *text)).collect();
        public_types_do_not_share_a_name(&files)
    }

    #[test]
    fn a_name_that_two_features_have_is_found_at_the_second() {
        let found = check(&[
            ("crates/domains/src/requested.rs", "//! A.\npub enum Purpose {}\n"),
            ("crates/render/src/model.rs", "//! A.\n\npub(crate) struct Purpose<'a>(&'a str);\n"),
        ]);

        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((finding.path.as_str(), finding.line), ("crates/render/src/model.rs", 3));
        assert!(finding.message.contains("domains/src/requested.rs"), "{}", finding.message);
    }

    #[test]
    fn a_library_and_a_feature_do_not_share_a_name_either() {
        let found = check(&[
            ("crates/crawler/src/connector.rs", "pub struct Connector {"),
            ("crates/edge/src/proxy/upstream.rs", "pub struct Connector {"),
        ]);

        assert_eq!(found.len(), 1);
    }

    #[test]
    fn house_names_private_types_tests_and_one_feature_s_own_files_are_fine() {
        let found = check(&[
            ("crates/glasshouse/src/cli/key.rs", "pub enum Command {\n"),
            ("crates/domains/src/a.rs", "pub struct Rule;\npub enum Command {}\n"),
            ("crates/domains/src/b.rs", "pub struct Rule;\n"),
            ("crates/render/src/c.rs", "struct Rule;\n    pub struct Rule;\n"),
            ("crates/edge/src/tests/world.rs", "pub struct Rule;\n"),
        ]);

        assert_eq!(found, []);
    }
}
