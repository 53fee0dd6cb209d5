//! Values of attributes, as the collector asks for them. Pure.

/// Returns true when a list of tokens contains a token, in any case.
pub fn has_token(value: Option<&str>, token: &str) -> bool {
    value.is_some_and(|value| value.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(token)))
}

/// Returns true for a value that is not blank.
pub fn is_filled(value: Option<&str>) -> bool {
    value.is_some_and(|value| !value.trim().is_empty())
}
