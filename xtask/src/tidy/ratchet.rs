//! The ratchet: per crate, the lines of code and the doc comments against our rules may only become fewer.
//! `tidy::run` compares the tree with `xtask/ratchet.toml`; `cargo xtask ratchet` lowers its numbers. Pure.

use super::docs::{self, Fault};
use super::source::{Finding, SourceFile};
use std::collections::BTreeMap;

/// The file with the numbers.
pub const PATH: &str = "xtask/ratchet.toml";

const HEAD: &str = "\
# Numbers that may only fall, by crate. `cargo xtask tidy` fails when the tree has more than a number here, and
# `cargo xtask ratchet` writes the numbers of the tree where they are lower. Neither ever raises one: a new crate
# is written only when the sum of its table does not rise. Code that moves between two crates of this file takes its
# share of the number along by hand.
#
# lines: lines of Rust (of the page script: of JavaScript), blank ones and comments included. A file counts up to its
#   first #[cfg(test)]. Not counted: tests/, tests.rs, testing/, testing.rs, examples/, benches/, crates/fakeai and the
#   fake renderer, crates/browser/src/fake.rs.
# riddles: doc comments, file headers included, that begin with What, Who, Whose, How, Whether, Where, When, Those,
#   These, Its, Their, There, The same or Likewise. Tests are counted too.
# forms: docs of functions that do not begin with a verb; docs of types, fields and constants that are no noun phrase.
# `cargo xtask docs FOLDER` lists riddles and forms.
";

/// The script that becomes part of every rendered page.
const PAGE_SCRIPT: &str = "crates/browser/page-script/src";

/// Numbers by table (`lines`, `riddles`, `forms`) and by area, such as `crates/store`.
type Numbers = BTreeMap<String, BTreeMap<String, usize>>;

/// Checks that no number of the tree is above that of the file.
pub fn numbers_only_fall(files: &[SourceFile]) -> Vec<Finding> {
    let limits = kept_numbers(files);
    let mut findings = Vec::new();
    for (table, areas) in measure(files) {
        for (area, number) in areas {
            let limit = limits.get(&table).and_then(|areas| areas.get(&area)).copied().unwrap_or_default();
            if number > limit {
                let advice = if table == "lines" {
                    "delete as much as you add"
                } else {
                    "cargo xtask docs lists them"
                };
                let message = format!("{area} has {number} {table}, more than {limit}: {advice}");
                findings.push(Finding { path: PATH.to_owned(), line: 0, message });
            }
        }
    }
    findings
}

/// Counts the numbers of the file that the tree has undercut.
pub fn lower_numbers(files: &[SourceFile]) -> usize {
    let now = measure(files);
    let is_lower =
        |table: &str, area: &str, limit: usize| now[table].get(area).copied().unwrap_or_default() < limit;
    let limits = kept_numbers(files);
    limits
        .iter()
        .flat_map(|(table, areas)| areas.iter().filter(|(area, limit)| is_lower(table, area, **limit)))
        .count()
}

/// Writes the file anew: the lower of both numbers for each area, and new areas where the sum allows them.
pub fn lowered(files: &[SourceFile]) -> String {
    let limits = kept_numbers(files);
    let mut page = HEAD.to_owned();
    for (table, areas) in measure(files) {
        let old = limits.get(&table);
        let sum_falls = old.is_none_or(|old| areas.values().sum::<usize>() <= old.values().sum());
        page.push_str(&format!("\n[{table}]\n"));
        for (area, number) in areas {
            match old.and_then(|old| old.get(&area)) {
                Some(limit) => page.push_str(&format!("\"{area}\" = {}\n", number.min(*limit))),
                None if sum_falls => page.push_str(&format!("\"{area}\" = {number}\n")),
                None => {}
            }
        }
    }
    page
}

/// Lists every doc comment below a folder that the ratchet counts.
pub fn list_docs(files: &[SourceFile], folder: &str) -> Vec<Finding> {
    let below = files.iter().filter(|file| area_of(file).is_some() && file.path.starts_with(folder));
    below
        .flat_map(|file| {
            let faults = docs::faults(file).into_iter();
            faults.map(|(line, opening, fault)| file.finding(line, format!("{fault:?}: {opening}")))
        })
        .collect()
}

/// Counts lines and docs of the tree.
fn measure(files: &[SourceFile]) -> Numbers {
    let mut numbers: Numbers =
        ["lines", "riddles", "forms"].map(|table| (table.to_owned(), BTreeMap::new())).into();
    for file in files {
        let Some(area) = area_of(file) else { continue };
        let faults = docs::faults(file);
        let count = |wanted| faults.iter().filter(|(_, _, fault)| *fault == wanted).count();
        let mut add = |table: &str, count: usize| {
            *numbers.entry(table.to_owned()).or_default().entry(area.to_owned()).or_default() += count;
        };
        add("riddles", count(Fault::Riddle));
        add("forms", count(Fault::Form));
        if area != "web" {
            add("lines", lines(file));
        }
    }
    numbers
}

/// Decides to which area a file belongs. Returns `None` for what is not ours to write, such as generated files.
fn area_of(file: &SourceFile) -> Option<&str> {
    if file.path.starts_with(PAGE_SCRIPT) {
        return Some(PAGE_SCRIPT);
    }
    if file.path.starts_with("web/src/") {
        return (file.is("ts") || file.is("svelte")).then_some("web");
    }
    if !file.is("rs") {
        return None;
    }
    if file.path.starts_with("xtask/") {
        return Some("xtask");
    }
    let name = file.path.strip_prefix("crates/")?.split('/').next()?;
    Some(&file.path[.."crates/".len() + name.len()])
}

/// Counts the lines of a file before its first test. Returns 0 for tests, test builders and stand-ins.
fn lines(file: &SourceFile) -> usize {
    const TESTS: &[&str] = &[
        "/tests/",
        "/tests.rs",
        "/testing/",
        "/testing.rs",
        "/examples/",
        "/benches/",
        "crates/fakeai/",
        "crates/browser/src/fake.rs",
    ];
    if TESTS.iter().any(|part| file.path.contains(part)) {
        return 0;
    }
    file.text.lines().take_while(|line| !line.trim_start().starts_with("#[cfg(test)]")).count()
}

/// Reads the numbers of the file. A line that is neither a table nor a number is a comment.
fn kept_numbers(files: &[SourceFile]) -> Numbers {
    let text = files.iter().find(|file| file.path == PATH).map_or("", |file| file.text.as_str());
    let mut numbers = Numbers::new();
    let mut table = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[') {
            table = name.trim_end_matches(']').to_owned();
        } else if let Some((area, number)) = line.split_once(" = ")
            && let Ok(number) = number.parse()
        {
            numbers.entry(table.clone()).or_default().insert(area.trim_matches('"').to_owned(), number);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a tree of one crate with four lines and one riddle, and a ratchet with these numbers of lines and riddles.
    fn tree(lines: usize, riddles: usize) -> Vec<SourceFile> {
        let text = "//! A.\n/// What it is.\nmod a {}\n\n#[cfg(test)]\nmod tests {}\n";
        let numbers = format!("[lines]\n\"crates/x\" = {lines}\n\n[riddles]\n\"crates/x\" = {riddles}\n");
        vec![SourceFile::new("crates/x/src/a.rs", text), SourceFile::new(PATH, numbers)]
    }

    fn messages(files: &[SourceFile]) -> Vec<String> {
        numbers_only_fall(files).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn more_lines_or_riddles_than_the_file_says_are_found() {
        assert_eq!(messages(&tree(4, 1)), Vec::<String>::new());
        assert_eq!(messages(&tree(3, 1)), ["crates/x has 4 lines, more than 3: delete as much as you add"]);
        assert_eq!(
            messages(&tree(4, 0)),
            ["crates/x has 1 riddles, more than 0: cargo xtask docs lists them"]
        );
    }

    #[test]
    fn lower_numbers_are_counted_and_written_and_higher_ones_never() {
        let files = tree(9, 0);

        assert_eq!(lower_numbers(&files), 1);
        let page = lowered(&files);
        assert!(page.contains("[lines]\n\"crates/x\" = 4\n"), "{page}");
        assert!(page.contains("[riddles]\n\"crates/x\" = 0\n"), "{page}");
    }

    #[test]
    fn a_new_crate_is_written_when_the_sum_does_not_rise() {
        let new = SourceFile::new("crates/y/src/lib.rs", "//! A.\n//! B.\n");
        let (mut divided, mut grown) = (tree(6, 1), tree(5, 1));
        divided.push(SourceFile::new(new.path.clone(), new.text.clone()));
        grown.push(new);

        assert!(lowered(&divided).contains("[lines]\n\"crates/x\" = 4\n\"crates/y\" = 2\n"));
        assert!(lowered(&grown).contains("[lines]\n\"crates/x\" = 4\n\n"));
        assert_eq!(messages(&grown), ["crates/y has 2 lines, more than 0: delete as much as you add"]);
    }

    #[test]
    fn tests_builders_and_stand_ins_are_no_lines_and_generated_files_have_no_area() {
        for path in [
            "crates/x/src/a/tests/b.rs",
            "crates/x/tests/it/main.rs",
            "crates/x/src/testing/app.rs",
            "crates/fakeai/src/lib.rs",
        ] {
            assert_eq!(lines(&SourceFile::new(path, "//! A.\n")), 0, "{path}");
        }
        assert_eq!(lines(&SourceFile::new("crates/x/src/a.rs", "//! A.\n")), 1);
        assert_eq!(area_of(&SourceFile::new("crates/browser/page-script/bundle.js", "")), None);
    }

    #[test]
    fn docs_below_a_folder_are_listed() {
        let files = tree(4, 1);

        assert_eq!(list_docs(&files, "crates/x").iter().map(|found| found.line).collect::<Vec<_>>(), [2]);
        assert_eq!(list_docs(&files, "crates/y"), []);
    }
}
