//! Rules about what stands in one file: its header, and words that say "not finished".
//! Used by `tidy::run`. Pure.

use super::source::{Finding, SourceFile};

/// Every source file says in its first lines what it is.
pub fn every_file_opens_with_a_header(files: &[SourceFile]) -> Vec<Finding> {
    let opens_badly = |file: &&SourceFile| {
        let mut lines =
            file.text.lines().skip_while(|line| line.starts_with("#!/") || line.trim().is_empty());
        let first = lines.next().unwrap_or_default();
        if file.is("rs") {
            return !first.starts_with("//!");
        }
        if file.is("sh") {
            return !first.starts_with("# ");
        }
        let is_script = ["js", "mjs", "jsx", "ts", "tsx"].iter().any(|extension| file.is(extension));
        is_script && !(first.starts_with("//") || first.starts_with("/*"))
    };
    let needs = |file: &SourceFile| if file.is("rs") { "//!" } else { "comment" };
    files
        .iter()
        .filter(opens_badly)
        .map(|file| {
            file.finding(
                1,
                format!(
                    "opens without a {} header: what it is, who uses it, what it must never do",
                    needs(file)
                ),
            )
        })
        .collect()
}

/// No `todo!`, `unimplemented!`, `dbg!`, `#[ignore]`, and no `unwrap()` outside tests.
pub fn no_unfinished_code(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        for mark in file.rust_facts().marks {
            let message = match mark.text.as_str() {
                "todo!" | "unimplemented!" | "dbg!" => "is for unfinished code",
                "#[ignore]" => "hides a test: mend it or delete it",
                ".unwrap()" if !mark.in_test => {
                    "does not say why it cannot fail: use expect(\"why\") or return the error"
                }
                _ => continue,
            };
            findings.push(file.finding(mark.line, format!("{} {message}", mark.text)));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(path: &str, text: &str) -> Vec<SourceFile> {
        vec![SourceFile::new(path, text)]
    }

    #[test]
    fn a_rust_file_without_a_header_is_found() {
        let files = one("crates/x/src/a.rs", "use std::fmt;\n");

        let findings = every_file_opens_with_a_header(&files);

        assert_eq!(findings.len(), 1);
    }

    #[test]
    fn a_script_says_what_it_is_below_its_first_line() {
        let bad = one("scripts/a.sh", "#!/usr/bin/env bash\nset -e\n");
        let good = one("scripts/a.sh", "#!/usr/bin/env bash\n# Starts the thing.\nset -e\n");

        let (on_bad, on_good) = (every_file_opens_with_a_header(&bad), every_file_opens_with_a_header(&good));

        assert_eq!((on_bad.len(), on_good.len()), (1, 0));
    }

    #[test]
    fn unfinished_code_is_found_in_tests_too() {
        let files = one(
            "crates/x/src/a.rs",
            "//! A.\n#[cfg(test)]\nmod tests {\n#[test]\n#[ignore = \"slow\"]\nfn a() { todo!() } }",
        );

        let findings = no_unfinished_code(&files);

        assert_eq!(findings.iter().map(|f| f.line).collect::<Vec<_>>(), [5, 6]);
    }

    #[test]
    fn unwrap_is_allowed_in_tests_only() {
        let files = one(
            "crates/x/src/a.rs",
            "//! A.\nfn a() { b.unwrap(); }\n#[cfg(test)]\nmod tests { fn c() { d.unwrap(); } }",
        );

        let findings = no_unfinished_code(&files);

        assert_eq!(findings.iter().map(|f| f.line).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn a_word_in_a_comment_is_not_code() {
        let files = one("crates/x/src/a.rs", "//! Says todo!() and .unwrap() in words.\n");

        let findings = no_unfinished_code(&files);

        assert!(findings.is_empty());
    }
}
