//! Ends of comments, scripts and elements of text (HTML standard, 13.2.5). Used by the scanner. Pure.
//! Must take time in proportion to the text.

use memchr::{memchr, memchr2, memmem};

use super::names::Name;
use super::tokens::is_space;

/// Returns the bytes from the `<!--` of a comment to its end.
pub fn comment_length(text: &[u8]) -> usize {
    if text.starts_with(b">") {
        return 1;
    }
    if text.starts_with(b"->") {
        return 2;
    }
    let mut at = 0;
    while let Some(found) = memmem::find(&text[at..], b"--") {
        at += found;
        match &text[at + 2..] {
            [b'>', ..] => return at + 3,
            [b'!', b'>', ..] => return at + 4,
            _ => at += 1,
        }
    }
    text.len()
}

/// Finds the beginning of the end tag of an element of text.
pub fn raw_end(text: &str, name: Name) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += memchr(b'<', &bytes[at..])?;
        if bytes.get(at + 1) == Some(&b'/') && is_named(&text[at + 2..], name) {
            return Some(at);
        }
        at += 1;
    }
}

/// Returns true when a text begins with a name and a character that ends the name.
fn is_named(text: &str, name: Name) -> bool {
    // No element of text has a longer name.
    let end = text.bytes().take(17).position(|byte| is_space(byte) || matches!(byte, b'/' | b'>'));
    end.and_then(|end| text.get(..end)).is_some_and(|text| Name::read(text) == name)
}

/// Finds the beginning of the end tag of a script. Between `<!--` and `-->`, a nested script has an end tag of its own.
pub fn script_end(text: &str) -> Option<usize> {
    const SCRIPT: Name = Name::of("script");
    let bytes = text.as_bytes();
    let (mut at, mut is_escaped, mut is_doubly_escaped) = (0, false, false);
    loop {
        let found = if is_escaped { memchr2(b'<', b'>', &bytes[at..])? } else { memchr(b'<', &bytes[at..])? };
        at += found;
        if bytes[at] == b'>' {
            if bytes[..at].ends_with(b"--") {
                (is_escaped, is_doubly_escaped) = (false, false);
            }
            at += 1;
            continue;
        }
        let rest = &text[at + 1..];
        if let Some(rest) = rest.strip_prefix('/') {
            if is_named(rest, SCRIPT) {
                if !is_doubly_escaped {
                    return Some(at);
                }
                is_doubly_escaped = false;
                // What ends the name is a part of the tag, not of a `-->`.
                at += "</script".len();
            }
        } else if is_escaped && !is_doubly_escaped && is_named(rest, SCRIPT) {
            is_doubly_escaped = true;
            at += "<script".len();
        } else if !is_escaped && rest.starts_with("!--") {
            is_escaped = true;
            at += "<!-".len();
        }
        at += 1;
    }
}
