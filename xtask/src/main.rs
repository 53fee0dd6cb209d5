//! The project's own commands: `cargo xtask` lists them.
//! Used by `make test`, `make check` and people. Never part of the product; depends on no crate of it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool talks on its terminal")]

mod tidy;
mod update_data;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask COMMAND

  tidy         checks the rules that the compiler cannot: headers, imports, layers, sizes, migrations, records, metrics, the ratchet
  ratchet      lowers the numbers of xtask/ratchet.toml to those of the tree; never raises one
  docs FOLDER  lists the doc comments below a folder that the ratchet counts
  index        writes docs/decisions/README.md, the index of decision records by feature
  update-data  refreshes the data files that come from packages (npm, pip); read the difference, then run the tests";

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace's folder");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();

    let result = match arguments.as_slice() {
        ["tidy"] => tidy::run(root),
        ["ratchet"] => tidy::lower_ratchet(root),
        ["docs", folder] => tidy::list_docs(root, folder),
        ["index"] => tidy::write_index(root),
        ["update-data"] => update_data::run(root),
        [] | ["help" | "-h" | "--help"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("xtask: unknown command \"{}\"\n{USAGE}", arguments.join(" "));
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
