//! `cargo xtask tidy`: the rules of ARCHITECTURE.md and CONTRIBUTING.md that the compiler cannot check.
//! One file per family of rules; each rule is a function from files to findings. A rule never changes a file.
//! See docs/decisions/0001.

mod docs;
mod files;
mod imports;
mod layout;
mod metrics;
mod names;
mod ratchet;
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
    imports::no_import_climbs,
    layout::crates_point_one_way,
    layout::one_test_binary_per_crate,
    layout::migrations_are_numbered,
    metrics::metrics_are_in_the_catalogue,
    names::public_types_do_not_share_a_name,
    ratchet::numbers_only_fall,
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
    print_findings(&findings);

    if findings.is_empty() {
        let lower = ratchet::lower_numbers(&files);
        if lower > 0 {
            println!("tidy: {lower} number(s) of {} can be lowered: cargo xtask ratchet", ratchet::PATH);
        }
        println!("tidy: {} files, nothing to say", files.len());
        Ok(())
    } else {
        Err(format!("tidy found {} problem(s)", findings.len()))
    }
}

fn print_findings(findings: &[Finding]) {
    for finding in findings {
        println!("{}:{}: {}", finding.path, finding.line, finding.message);
    }
}

/// Lowers the numbers of the ratchet to those of the working tree.
pub fn lower_ratchet(root: &Path) -> Result<(), String> {
    write(root, ratchet::PATH, &ratchet::lowered(&files::read_all(root)?))
}

/// Prints the doc comments below a folder that begin against the rules.
pub fn list_docs(root: &Path, folder: &str) -> Result<(), String> {
    print_findings(&ratchet::list_docs(&files::read_all(root)?, folder));
    Ok(())
}

/// Writes the index of decision records.
pub fn write_index(root: &Path) -> Result<(), String> {
    write(root, records::INDEX, &records::index(&files::read_all(root)?))
}

fn write(root: &Path, path: &str, text: &str) -> Result<(), String> {
    std::fs::write(root.join(path), text).map_err(|error| format!("{path}: {error}"))?;
    println!("wrote {path}");
    Ok(())
}
