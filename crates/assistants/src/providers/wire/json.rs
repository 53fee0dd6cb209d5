//! Lenient reading of providers' JSON: repairs what databases cannot keep, and looks fields up without failing.
//! Used by every reader. Pure; must never panic, whatever the bytes are.

use std::borrow::Cow;

use serde_json::Value;

use crate::providers::connection::ProviderKey;

const REPLACEMENT: char = '\u{FFFD}';

/// Parses a body. NUL, lone surrogates and bytes that are not UTF-8 become U+FFFD. None when the body is not JSON.
pub fn parse(body: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{FEFF}');
    serde_json::from_str(&repaired(text)).ok()
}

/// Replaces NUL and escapes that stand for no character. JSON has backslashes inside strings only.
fn repaired(text: &str) -> Cow<'_, str> {
    let is_suspicious = |text: &str| {
        text.contains('\0') || text.match_indices("\\u").any(|(at, _)| is_bad_escape(text.get(at..at + 6)))
    };
    if !is_suspicious(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '\0']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (piece, length) = escape_at(rest);
        match piece {
            Escape::Keep => out.push_str(&rest[..length]),
            Escape::Replace => out.push(REPLACEMENT),
        }
        rest = &rest[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn is_bad_escape(escape: Option<&str>) -> bool {
    escape.and_then(code_unit).is_none_or(|unit| unit == 0 || is_surrogate(unit))
}

enum Escape {
    Keep,
    Replace,
}

/// Reads the escape or the NUL that a text begins with, and its length in bytes.
fn escape_at(text: &str) -> (Escape, usize) {
    if text.starts_with('\0') {
        return (Escape::Replace, 1);
    }
    let Some(unit) = text.get(..6).and_then(code_unit) else {
        let length = 1 + text[1..].chars().next().map_or(0, char::len_utf8);
        return (Escape::Keep, length);
    };
    if (0xD800..0xDC00).contains(&unit) {
        let low = text.get(6..12).and_then(code_unit);
        let is_pair = low.is_some_and(|low| (0xDC00..0xE000).contains(&low));
        return if is_pair { (Escape::Keep, 12) } else { (Escape::Replace, 6) };
    }
    if unit == 0 || is_surrogate(unit) { (Escape::Replace, 6) } else { (Escape::Keep, 6) }
}

/// Reads `\uXXXX`.
fn code_unit(escape: &str) -> Option<u32> {
    let digits = escape.strip_prefix("\\u")?;
    // `from_str_radix` would take a sign.
    let is_hex = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

fn is_surrogate(unit: u32) -> bool {
    (0xD800..0xE000).contains(&unit)
}

/// Masks a key in every text of a response. Short keys are those of local servers: no secrets, and likely words.
pub fn mask_key(value: &mut Value, key: &ProviderKey) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(masked) = key.masked_in_answer(text) {
                *text = masked;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask_key(item, key)),
        Value::Object(fields) => fields.values_mut().for_each(|field| mask_key(field, key)),
        _ => {}
    }
}

/// Returns a text field; empty when it is missing or no text.
pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Returns a list field; empty when it is missing or no list.
pub fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns a number of things; zero when it is missing, negative or no number.
pub fn count(value: &Value, field: &str) -> u64 {
    value.get(field).and_then(as_count).unwrap_or(0)
}

/// Reads a number of things, which some servers write with a fraction.
pub fn as_count(value: &Value) -> Option<u64> {
    // A cast from a float to an integer saturates, and makes zero of NaN.
    value.as_u64().or_else(|| value.as_f64().map(|number| number as u64))
}

/// Returns a field that is not null.
pub fn found<'a>(value: &'a Value, field: &str) -> Option<&'a Value> {
    value.get(field).filter(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn nul_and_lone_surrogates_become_replacement_characters() {
        let read = |body: &[u8]| parse(body).unwrap();

        assert_eq!(read(br#"["a\u0000b"]"#), json!(["a\u{FFFD}b"]));
        assert_eq!(read(b"[\"a\0b\"]"), json!(["a\u{FFFD}b"]));
        assert_eq!(
            read(br#"["\ud83d","\ude00x","\ud83d\ude00","\ud83d\u0041"]"#),
            json!(["\u{FFFD}", "\u{FFFD}x", "😀", "\u{FFFD}A"])
        );
        assert_eq!(read(b"[\"\xff\"]"), json!(["\u{FFFD}"]));
    }

    #[test]
    fn an_escaped_backslash_before_a_u_is_no_escape() {
        let read = parse(br#"["\\u0000 \\\u0000 \n"]"#).unwrap();

        assert_eq!(read, json!(["\\u0000 \\\u{FFFD} \n"]));
    }

    #[test]
    fn a_mark_at_the_beginning_is_skipped_and_of_equal_keys_the_last_counts() {
        assert_eq!(parse(b"\xef\xbb\xbf{\"a\":1,\"a\":2}"), Some(json!({ "a": 2 })));
    }

    #[test]
    fn what_is_not_json_or_nested_too_deeply_is_nothing() {
        let deep = "[".repeat(200_000);

        for body in
            [&b""[..], b"<html>", b"{", b"data: {}", b"\\", b"\"\\u00", b"\"\\u+123\"", deep.as_bytes()]
        {
            assert_eq!(parse(body), None);
        }
    }

    proptest! {
        #[test]
        fn any_text_survives_being_written_and_read(text in any::<String>()) {
            let written = serde_json::to_vec(&text).unwrap();

            prop_assert_eq!(parse(&written), Some(json!(text.replace('\0', "\u{FFFD}"))));
        }

        #[test]
        fn any_bytes_are_json_or_nothing(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            parse(&body);
        }
    }
}
