//! Recognises scripts that send a visitor elsewhere. Used for `onclick` attributes. Pure.

use std::sync::LazyLock;

use regex::Regex;

static NAVIGATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"\blocation(\.href)?\s*=[^=]|\blocation\.(assign|replace)\(|\bwindow\.open\(|\bhistory\.pushState\(|\brouter\.push\(|\bnavigate\(",
    )
    .expect("the expression is constant and its test runs it")
});

/// Whether a handler navigates.
pub fn navigates(script: &str) -> bool {
    NAVIGATION.is_match(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_that_navigates_is_told_from_one_that_does_not() {
        for script in
            ["location.href='/a'", "window.location = '/a'", "location.assign('/a')", "navigate('/a')"]
        {
            assert!(navigates(script), "{script}");
        }
        for script in ["toggle()", "if (location.href == '/a') open()", "renavigated = 1"] {
            assert!(!navigates(script), "{script}");
        }
    }
}
