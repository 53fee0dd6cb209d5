//! Rules about how long things are: functions and files. Tests may be as long as they like.
//! Used by `tidy::run`. Pure.

use super::source::{Finding, SourceFile};

/// Lines of one function, signature and braces included.
const MAX_FUNCTION_LINES: usize = 80;
/// Lines of one file, without the tests inside it.
const MAX_FILE_LINES: usize = 400;
/// Files that are one long list, which nobody reads from top to bottom.
const CATALOGUES: &[&str] = &[
    "/checks/",
    "/data/",
    "/assets/",
    // Core, adapter and settings in one file to paste.
    "/snippet.",
    "integrations/nextjs/middleware.ts",
];

/// Checks that no function is longer than a screen and a half.
pub fn no_long_functions(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        for function in file.rust_facts().functions.iter().filter(|function| !function.in_test) {
            if function.lines > MAX_FUNCTION_LINES {
                let message = format!(
                    "{} has {} lines, more than {MAX_FUNCTION_LINES}: name its parts",
                    function.name, function.lines
                );
                findings.push(file.finding(function.line, message));
            }
        }
    }
    findings
}

/// Checks that no file is too long to be about one subject.
pub fn no_long_files(files: &[SourceFile]) -> Vec<Finding> {
    let is_exempt = |path: &str| {
        path.contains("/tests/")
            || path.ends_with("tests.rs")
            || CATALOGUES.iter().any(|part| path.contains(part))
    };
    files
        .iter()
        .filter(|file| ["rs", "ts", "tsx", "js", "mjs", "sh"].iter().any(|extension| file.is(extension)))
        .filter(|file| !is_exempt(&file.path))
        .map(|file| (file, lines_before_tests(&file.text)))
        .filter(|(_, lines)| *lines > MAX_FILE_LINES)
        .map(|(file, lines)| {
            file.finding(0, format!("has {lines} lines beside its tests, more than {MAX_FILE_LINES}: which two subjects are in it?"))
        })
        .collect()
}

/// Counts the lines of a file before its tests, which are last in the file.
fn lines_before_tests(text: &str) -> usize {
    let end = text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..end].lines().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function_of(lines: usize) -> String {
        format!("fn long() {{\n{}}}\n", "    step();\n".repeat(lines - 2))
    }

    #[test]
    fn a_function_over_80_lines_is_found_and_one_of_80_is_not() {
        let files = [
            SourceFile::new("crates/x/src/a.rs", function_of(81)),
            SourceFile::new("crates/x/src/b.rs", function_of(80)),
            SourceFile::new(
                "crates/x/src/c.rs",
                format!("#[cfg(test)]\nmod tests {{ {} }}", function_of(200)),
            ),
        ];

        let found = no_long_functions(&files);

        assert_eq!(found.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["crates/x/src/a.rs"]);
    }

    #[test]
    fn a_method_with_a_where_clause_is_measured_too() {
        let body = "    step();\n".repeat(90);
        let code = format!(
            "impl<T> A<T> {{ pub async fn run<F>(&self, f: F) -> [u8; 2]\nwhere F: Fn() {{\n{body}}} }}"
        );

        assert_eq!(no_long_functions(&[SourceFile::new("crates/x/src/a.rs", code)]).len(), 1);
    }

    #[test]
    fn a_long_file_is_found_and_a_catalogue_or_long_tests_are_not() {
        let (long, short) = ("//! A.\n".repeat(401), "//! A.\n".repeat(400));
        let files = [
            SourceFile::new("crates/x/src/a.rs", &*long),
            SourceFile::new("crates/x/src/checks/a.rs", &*long),
            SourceFile::new("crates/x/src/b/tests.rs", &*long),
            SourceFile::new("integrations/x/snippet.js", &*long),
            SourceFile::new("crates/x/src/c.rs", format!("{short}\n#[cfg(test)]\nmod tests {{\n{long}}}\n")),
        ];

        let found = no_long_files(&files);

        assert_eq!(found.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["crates/x/src/a.rs"]);
    }
}
