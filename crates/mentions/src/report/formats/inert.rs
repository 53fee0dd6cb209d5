//! Strangers' words as plain text in Markdown, HTML and e-mail. Pure.
//! See docs/decisions/0398.

/// Decides whether a character changes how others are shown: control characters and marks of direction.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{61c}' | '\u{feff}')
}

/// Returns a text in one line, without characters that change how others are shown.
pub(super) fn line(text: &str) -> String {
    let shown: String = text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text as it stands in Markdown: no mark means anything.
pub(super) fn markdown(text: &str) -> String {
    let mut escaped = String::new();
    for c in line(text).chars() {
        if c.is_ascii_punctuation() && !matches!(c, ',' | '\'' | '%' | '?' | ';' | '=') {
            escaped.push('\\');
        }
        escaped.push(c);
        if c == '@' {
            // Some readers link addresses even where the sign is escaped.
            escaped.push('\u{2060}');
        }
    }
    escaped
}

/// Returns a text as it stands in HTML, in an attribute too.
pub(super) fn html(text: &str) -> String {
    escaped(&line(text))
}

/// Escapes a text for HTML as it is.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns a text as it stands in an e-mail: readers of mail make links of what looks like an address, so that a word joiner
/// stands in it.
pub(super) fn mail(text: &str) -> String {
    let text = line(text);
    let mut broken = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        broken.push(c);
        if matches!(c, '.' | ':' | '/' | '@') && chars.peek().is_some_and(|next| !next.is_whitespace()) {
            broken.push('\u{2060}');
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_line_without_hidden_characters() {
        assert_eq!(line(" a\r\nb\u{202e}c\u{0}d\u{2028}e "), "a b c d e");
    }

    #[test]
    fn a_text_in_mail_has_nothing_that_becomes_a_link() {
        let text = mail("https://evil.example/x me@evil.example Dr. No.");

        assert!(!text.contains("evil.example") && !text.contains("://") && !text.contains("me@e"), "{text}");
        assert!(text.ends_with("No."));
    }
}
