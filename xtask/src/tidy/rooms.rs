//! Rules about where modules live and what ARCHITECTURE.md says of them.
//! Used by `tidy::run`. Pure.

use super::source::{Finding, SourceFile};
use std::collections::BTreeSet;

const ARCHITECTURE: &str = "ARCHITECTURE.md";
/// Folders whose entries are named without the crate's name.
const BARE: &[&str] = &["crates/glasshouse/src/", "crates/platform/src/"];

/// Checks that a module with children is `x/mod.rs`, never `x.rs` beside `x/`.
pub fn modules_with_children_are_folders(files: &[SourceFile]) -> Vec<Finding> {
    let folders: BTreeSet<&str> = files
        .iter()
        .filter(|file| file.is("rs") && file.path.contains("/src/"))
        .filter_map(|file| file.path.rsplit_once('/').map(|(folder, _)| folder))
        .collect();
    files
        .iter()
        .filter(|file| file.path.contains("/src/"))
        .filter_map(|file| file.path.strip_suffix(".rs").map(|stem| (file, stem)))
        .filter(|(_, stem)| folders.contains(stem))
        .map(|(file, stem)| file.finding(0, format!("stands beside its folder: move it to {stem}/mod.rs")))
        .collect()
}

/// Checks that ARCHITECTURE.md names every crate, and only files and folders that exist.
pub fn the_architecture_names_the_rooms(files: &[SourceFile]) -> Vec<Finding> {
    let Some(page) = files.iter().find(|file| file.path == ARCHITECTURE) else { return Vec::new() };
    let mut findings = Vec::new();
    let named: BTreeSet<&str> = quoted(&page.text).map(|(_, word)| word).collect();
    let crates: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.path.strip_prefix("crates/")?.split_once('/').map(|(top, _)| top))
        .collect();
    let folders =
        BARE.iter().flat_map(|bare| files.iter().filter_map(move |file| file.path.strip_prefix(bare)));
    let tops: BTreeSet<&str> = folders
        .filter_map(|path| path.split_once('/').map(|(top, _)| top))
        .chain(crates.iter().copied())
        .collect();
    for name in crates.iter().filter(|top| !named.iter().any(|name| name.split('/').next() == Some(top))) {
        findings.push(page.finding(0, format!("does not say what is in `{name}`")));
    }
    for (line, word) in quoted(&page.text) {
        let (top, inside) = word.split_once('/').unwrap_or((word, ""));
        let in_crate = format!("crates/{top}/src/{inside}");
        let exists = BARE.iter().map(|bare| format!("{bare}{word}")).chain([in_crate]).any(|place| {
            let (file, folder) = (format!("{place}.rs"), format!("{place}/"));
            files.iter().any(|f| f.path == file || f.path.starts_with(&folder))
        });
        if !inside.is_empty() && tops.contains(top) && !exists {
            findings.push(page.finding(line, format!("names `{word}`, which does not exist")));
        }
    }
    findings
}

/// Finds the texts between backticks, with their line numbers.
fn quoted(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().flat_map(|(index, line)| {
        line.split('`').skip(1).step_by(2).map(move |word| (index + 1, word.trim_end_matches('/')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Vec<SourceFile> {
        paths.iter().map(|path| SourceFile::new(*path, "//! A.\n")).collect()
    }

    #[test]
    fn a_module_file_beside_its_folder_is_found() {
        let tree = files(&[
            "crates/x/src/a.rs",
            "crates/x/src/a/b.rs",
            "crates/x/src/c/mod.rs",
            "crates/x/src/d.rs",
        ]);

        let found = modules_with_children_are_folders(&tree);

        assert_eq!(found.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["crates/x/src/a.rs"]);
    }

    #[test]
    fn a_folder_without_a_word_and_a_place_that_is_gone_are_found() {
        let mut tree = files(&["crates/render/src/decide.rs", "crates/edge/src/lib.rs"]);
        tree.push(SourceFile::new(
            ARCHITECTURE,
            "`render/decide` decides.\n`render/gone` is gone. `page/` is elsewhere.\n",
        ));

        let found = the_architecture_names_the_rooms(&tree);

        let messages: Vec<_> = found.iter().map(|f| (f.line, f.message.as_str())).collect();
        assert_eq!(
            messages,
            [(0, "does not say what is in `edge`"), (2, "names `render/gone`, which does not exist")]
        );
    }
}
