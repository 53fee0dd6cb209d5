//! Values of attributes, as the collector asks for them. Pure.

/// Whether a list of tokens holds one, in any case.
pub fn has_token(value: Option<&str>, token: &str) -> bool {
    value.is_some_and(|value| value.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(token)))
}

/// Whether there is a value that is not blank.
pub fn is_filled(value: Option<&str>) -> bool {
    value.is_some_and(|value| !value.trim().is_empty())
}
