//! Amount of visible text of a page, for the guard against renders that are suddenly empty.
//! Pure and approximate on purpose: both sides of a comparison only need the same rule.

/// Counts the characters of a document's visible text, runs of white space as one.
///
/// Leaves out tags, comments, and the content of `script`, `style`, `noscript`, `title` and `template`. A declarative
/// shadow root is visible, so its text counts.
pub fn count_visible_chars(html: &str) -> u64 {
    let bytes = html.as_bytes();
    let mut count = 0;
    let mut after_space = true;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'<' {
            let (next, is_break) = skip_markup(html, at);
            at = next;
            after_space |= is_break;
            continue;
        }
        let is_space = bytes[at].is_ascii_whitespace();
        // Only the first byte of each character counts.
        let starts_character = bytes[at] & 0xC0 != 0x80;
        if starts_character && !(is_space && after_space) {
            count += 1;
        }
        after_space = is_space;
        at += 1;
    }
    count
}

/// Returns the end of the tag, comment or hidden element that starts at `at`, and whether it separates words.
fn skip_markup(html: &str, at: usize) -> (usize, bool) {
    let rest = &html[at..];
    if rest.starts_with("<!--") {
        return (rest.find("-->").map_or(html.len(), |end| at + end + 3), false);
    }
    let Some(end) = rest.find('>').map(|end| at + end + 1) else { return (html.len(), false) };
    let tag = &html[at + 1..end - 1];
    let name_end = tag.find(|c: char| c.is_ascii_whitespace() || c == '/').unwrap_or(tag.len());
    let name = &tag[..name_end];
    let hidden = ["script", "style", "noscript", "title", "template"];
    let Some(hidden) = hidden.into_iter().find(|hidden| name.eq_ignore_ascii_case(hidden)) else {
        return (end, true);
    };
    if hidden == "template" && tag.contains("shadowrootmode") {
        return (end, true);
    }
    (find_end_tag(html, end, hidden), true)
}

/// Returns the end of an element's end tag, searched from `from`; the end of the text when there is none.
fn find_end_tag(html: &str, from: usize, name: &str) -> usize {
    let mut at = from;
    while let Some(found) = html[at..].find("</") {
        let start = at + found + 2;
        let is_it = html.as_bytes()[start..]
            .get(..name.len())
            .is_some_and(|text| text.eq_ignore_ascii_case(name.as_bytes()));
        if is_it {
            return html[start..].find('>').map_or(html.len(), |end| start + end + 1);
        }
        at = start;
    }
    html.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_is_seen_counts() {
        let cases = [
            ("", 0),
            ("<p>Hello</p>", 5),
            ("<p>Hello   \n world</p>", 11),
            ("<title>no</title><style>a{}</style><script>var x = '<p>';</script>yes", 3),
            ("<!-- <p>no</p> -->yes", 3),
            ("<template><p>no</p></template>yes", 3),
            ("<my-card><template shadowrootmode=\"open\"><p>yes</p></template></my-card>", 3),
            ("<NOSCRIPT>no</NoScript>äöü", 3),
            ("<div", 0),
            ("<script>never closed", 0),
        ];

        for (html, count) in cases {
            assert_eq!(count_visible_chars(html), count, "{html}");
        }
    }

    proptest! {
        #[test]
        fn no_document_makes_it_panic(html in "(<[a-z!/-]{0,9}>?|[a-zé ]{0,5}){0,20}") {
            prop_assert!(count_visible_chars(&html) <= html.chars().count() as u64);
        }
    }
}
