//! `cargo xtask tidy`: the rules of ARCHITECTURE.md and CONTRIBUTING.md that the compiler cannot check.
//! One file per family of rules; each rule is a function from files to findings. Never changes a file.
//! See docs/decisions/0008.

mod files;
mod imports;
mod layout;
mod metrics;
mod names;
mod records;
mod rooms;
mod size;
mod source;
mod wording;

use source::{Finding, SourceFile};
use std::path::Path;

/// One family of rules.
type Rule = fn(&[SourceFile]) -> Vec<Finding>;

/// The rules; a finding of any of them fails the run.
const RULES: &[Rule] = &[
    wording::every_file_opens_with_a_header,
    wording::no_ignored_tests,
    wording::comments_add_to_the_name,
    imports::each_file_imports_what_its_name_allows,
    imports::features_point_to_the_left,
    imports::no_import_climbs,
    imports::shared_modules_know_no_feature,
    layout::crates_point_one_way,
    layout::one_test_binary_per_crate,
    layout::migrations_come_in_pairs,
    metrics::metrics_are_in_the_catalogue,
    names::public_types_do_not_share_a_name,
    records::records_have_their_form,
    records::links_to_records_lead_somewhere,
    records::accepted_records_are_linked_from_code,
    records::the_index_is_up_to_date,
    rooms::modules_with_children_are_folders,
    rooms::the_architecture_names_the_rooms,
    size::no_long_functions,
    size::no_long_files,
];

/// Checks the working tree; prints one line per finding. An error says how many there are.
pub fn run(root: &Path) -> Result<(), String> {
    let files = files::read_all(root)?;

    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&files)).collect();
    findings.sort();
    for finding in &findings {
        println!("{}:{}: {}", finding.path, finding.line, finding.message);
    }

    if findings.is_empty() {
        println!("tidy: {} files, nothing to say", files.len());
        Ok(())
    } else {
        Err(format!("tidy found {} problem(s)", findings.len()))
    }
}

/// Writes the index of decision records.
pub fn write_index(root: &Path) -> Result<(), String> {
    let page = records::index(&files::read_all(root)?);
    std::fs::write(root.join(records::INDEX), page)
        .map_err(|error| format!("{}: {error}", records::INDEX))?;
    println!("wrote {}", records::INDEX);
    Ok(())
}
