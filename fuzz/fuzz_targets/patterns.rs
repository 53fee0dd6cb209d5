//! Fuzzes path patterns: a match and its captures agree, and there is one capture per wildcard.
#![no_main]

use domains::patterns::{Grammar, PathPattern, SplitPath};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, &str)| {
    let (pattern, path, query) = input;
    let path = SplitPath::new(path, query);
    for grammar in [Grammar::Redirect, Grammar::Path] {
        let Ok(pattern) = PathPattern::parse(pattern, grammar) else { continue };
        let captures = pattern.captures(&path);
        assert_eq!(captures.is_some(), pattern.matches(&path));
        if let Some(captures) = captures {
            assert_eq!(captures.len(), pattern.wildcards());
        }
    }
});
