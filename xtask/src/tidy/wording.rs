//! Rules about what stands in one file: its header, and words that say "not finished".
//! Used by `tidy::run`. Pure.

use super::source::{Finding, SourceFile};

/// Checks that every source file begins with a comment that describes it.
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

/// Checks that no test is ignored. Clippy refuses `todo!`, `dbg!` and `unwrap()`.
pub fn no_ignored_tests(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        for (index, _) in
            file.text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("#[ignore"))
        {
            findings.push(file.finding(index + 1, "#[ignore] hides a test: mend it or delete it"));
        }
    }
    findings
}

/// Words that say nothing by themselves.
const FILLERS: &[&str] = &[
    "a", "all", "an", "and", "at", "by", "each", "for", "from", "has", "how", "in", "is", "it", "its",
    "many", "module", "much", "of", "on", "one", "or", "see", "that", "the", "their", "them", "there",
    "these", "they", "this", "to", "what", "when", "where", "which", "who", "whom", "whose", "why", "with",
];

/// Checks that a doc comment of one to three words adds something to the name below it.
pub fn comments_add_to_the_name(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        let lines: Vec<&str> = file.text.lines().map(str::trim).collect();
        for (at, comment) in
            lines.iter().enumerate().filter_map(|(at, line)| Some((at, line.strip_prefix("/// ")?)))
        {
            let is_longer = [at.checked_sub(1), Some(at + 1)].into_iter().any(|beside| {
                beside.and_then(|at| lines.get(at)).is_some_and(|line| line.starts_with("///"))
            });
            let item =
                lines[at + 1..].iter().find(|line| !line.starts_with("#[")).copied().unwrap_or_default();
            // Without a full stop it is what a command prints about its argument.
            if comment.ends_with('.') && !is_longer && repeats(comment, item) {
                findings
                    .push(file.finding(at + 1, format!("says no more than the name below it: {comment}")));
            }
        }
    }
    findings
}

/// Returns true for a short comment that consists of words of the item's line and of fillers.
fn repeats(comment: &str, item: &str) -> bool {
    let declaration = item.split(['(', '=', '{', '<']).next().unwrap_or_default();
    let names = words(declaration.split(": ").next().unwrap_or_default());
    let is_named = |word: &str| names.iter().any(|name| singular(name) == singular(word));
    let said = words(comment);
    said.len() <= 3 && said.iter().all(|word| FILLERS.contains(&word.as_str()) || is_named(word))
}

/// Splits a text or a name into lower-case words.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(text.len() + 8);
    let mut after_lower = false;
    for letter in text.chars() {
        if letter.is_uppercase() && after_lower {
            spaced.push(' ');
        }
        spaced.push(if letter.is_alphanumeric() { letter } else { ' ' });
        after_lower = letter.is_lowercase() || letter.is_numeric();
    }
    spaced.to_lowercase().split_whitespace().map(str::to_owned).collect()
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
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
    fn an_ignored_test_is_found() {
        let ignored = one("crates/x/src/a.rs", "//! A.\n#[test]\n    #[ignore = \"slow\"]\nfn a() {}\n");
        let run = one("crates/x/src/a.rs", "//! Never #[ignore].\n#[test]\nfn ignore() {}\n");

        let lines: Vec<_> = no_ignored_tests(&ignored).iter().map(|finding| finding.line).collect();
        assert_eq!((lines, no_ignored_tests(&run).len()), (vec![3], 0));
    }

    #[test]
    fn a_comment_that_repeats_the_name_is_found() {
        let repeats = "pub struct Run {\n/// Its id.\npub id: RunId,\n/// The domain.\n#[serde(default)]\npub domain: String,\n/// See the module.\npub struct PageList;\n/// Page lists.\n}";
        let says_more = "/// Its id on the account.\npub id: u8,\n/// Epoch milliseconds.\npub at: i64,\n/// Pages.\n/// Without redirects.\npub pages: u8,";

        let (found, none) = (one("crates/x/src/a.rs", repeats), one("crates/x/src/a.rs", says_more));

        let lines: Vec<_> = comments_add_to_the_name(&found).iter().map(|finding| finding.line).collect();
        assert_eq!((lines, comments_add_to_the_name(&none).len()), (vec![2, 4, 7], 0));
    }
}
