//! Character references such as `&amp;` and `&#233;` (HTML standard, 13.2.5.72). Used by the scanner. Pure.

use std::borrow::Cow;

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};
use memchr::memchr;

/// Position of a text: in an attribute, a name without its semicolon is often a part of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceContext {
    /// Between tags.
    Text,
    /// In the value of an attribute.
    Attribute,
}

/// Replaces the references of a text by their characters.
pub fn decode(text: &str, context: ReferenceContext) -> Cow<'_, str> {
    let Some(mut at) = memchr(b'&', text.as_bytes()) else { return Cow::Borrowed(text) };
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = reference(rest, context, &mut decoded);
        if length == 0 {
            decoded.push('&');
        }
        rest = &rest[length.max(1)..];
        match memchr(b'&', rest.as_bytes()) {
            Some(next) => at = next,
            None => break,
        }
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// Appends the characters of the reference at the beginning of a text. Returns its length in bytes; 0: it is not a reference.
fn reference(text: &str, context: ReferenceContext, decoded: &mut String) -> usize {
    match text.as_bytes().get(1) {
        Some(b'#') => numeric(text, decoded),
        Some(byte) if byte.is_ascii_alphanumeric() => named(text, context, decoded),
        _ => 0,
    }
}

fn numeric(text: &str, decoded: &mut String) -> usize {
    let is_hexadecimal = matches!(text.as_bytes().get(2), Some(b'x' | b'X'));
    let (start, base) = if is_hexadecimal { (3, 16) } else { (2, 10) };
    let digits = text[start..].bytes().take_while(|byte| char::from(*byte).is_digit(base)).count();
    if digits == 0 {
        return 0;
    }
    let end = start + digits;
    // A number that does not fit is not a character.
    let number = u32::from_str_radix(&text[start..end], base).unwrap_or(u32::MAX);
    decoded.push(character(number));
    end + usize::from(text.as_bytes().get(end) == Some(&b';'))
}

fn character(number: u32) -> char {
    let replacement = match number {
        0 => Some('\u{fffd}'),
        0x80..=0x9F => C1_REPLACEMENTS[(number - 0x80) as usize],
        _ => None,
    };
    replacement.or_else(|| char::from_u32(number)).unwrap_or('\u{fffd}')
}

fn named(text: &str, context: ReferenceContext, decoded: &mut String) -> usize {
    let mut found = None;
    let mut end = 1;
    // The list has every beginning of a name too: the first text that it lacks ends the search.
    while let Some(byte) = text.as_bytes().get(end).filter(|byte| byte.is_ascii()) {
        end += 1;
        match NAMED_ENTITIES.get(&text[1..end]) {
            Some((0, _)) => {}
            Some(characters) => found = Some((end, *characters)),
            None => break,
        }
        if *byte == b';' {
            break;
        }
    }
    let Some((end, (first, second))) = found else { return 0 };
    let is_complete = text.as_bytes()[end - 1] == b';';
    let next = text.as_bytes().get(end);
    let goes_on = next.is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric());
    if context == ReferenceContext::Attribute && !is_complete && goes_on {
        return 0;
    }
    decoded.extend([first, second].into_iter().filter(|code| *code != 0).filter_map(char::from_u32));
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_stand_for_characters() {
        for (text, expected) in [
            ("a &amp; b", "a & b"),
            ("&eacute;t&eacute", "été"),
            ("&notit; &notin;", "¬it; ∉"),
            ("&#233;&#xE9;&#Xe9", "ééé"),
            ("&#0;&#x110000;&#99999999999;&#xD800;", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
            ("&#128;", "€"),
            ("&;&&#;&#x;&unknown; &", "&;&&#;&#x;&unknown; &"),
            ("&NotEqualTilde;", "\u{2242}\u{338}"),
        ] {
            assert_eq!(decode(text, ReferenceContext::Text), expected, "{text}");
        }
    }

    #[test]
    fn a_parameter_of_an_address_is_no_reference() {
        assert_eq!(decode("/a?b=1&copy=2&lt;&copy", ReferenceContext::Attribute), "/a?b=1&copy=2<©");
        assert_eq!(decode("1&copy=2", ReferenceContext::Text), "1©=2");
    }
}
