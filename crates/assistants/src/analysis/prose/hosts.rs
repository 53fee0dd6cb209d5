//! Host names in a text, as a reader recognises them: `lumadocs.io`, `Booking.com`.
//! Used by the prose, the matcher and the citations. Pure.

use std::ops::Range;

use crawler::url::host_name;

/// Names that are reserved for tests and examples and stand in no list of public suffixes.
const RESERVED_SUFFIXES: [&str; 4] = ["test", "example", "invalid", "localhost"];

/// A host that is written in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenHost {
    /// Bytes of the text: host, port and path.
    pub range: Range<usize>,
    /// Bytes of the text: the host alone.
    pub host: Range<usize>,
}

/// Decides whether a text is a host name below a known public suffix, without a port or a path.
pub fn is_host(text: &str) -> bool {
    let mut labels = text.rsplit('.');
    let last = labels.next().unwrap_or_default();
    if text.len() > 253 || labels.next().is_none_or(str::is_empty) || last.len() < 2 {
        return false;
    }
    // "It" of "fast.It works" begins a sentence.
    let is_shouted = || text.chars().all(|c| !c.is_lowercase());
    if last.starts_with(char::is_uppercase) && !is_shouted() {
        return false;
    }
    let lower = text.to_lowercase();
    let suffix = lower.rsplit('.').next().unwrap_or_default();
    let is_known = RESERVED_SUFFIXES.contains(&suffix)
        || psl::suffix(lower.as_bytes())
            .is_some_and(|suffix| suffix.is_known() && suffix.as_bytes().len() < lower.len());
    is_known && host_name(text).is_some()
}

/// Finds the hosts that are written in a text, in order.
pub fn find(text: &str) -> Vec<WrittenHost> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(dot) = text[at..].find('.').map(|dot| at + dot) {
        at = dot + 1;
        let before = text[..dot].chars().next_back().is_some_and(is_label_char);
        if !before || !text[at..].starts_with(is_label_char) {
            continue;
        }
        let floor = found.last().map_or(0, |host: &WrittenHost| host.range.end);
        let start = dot - suffix_length(&text[floor..dot]);
        let end = at + prefix_length(&text[at..]);
        at = end;
        let host = text[start..end].trim_matches(['-', '.']);
        if is_host(host) {
            let start = start + text[start..end].find(host).expect("a trimmed text is part of itself");
            let host = start..start + host.len();
            let path = path_length(&text[host.end..]);
            found.push(WrittenHost { range: start..host.end + path, host });
            at = start + (at - start).max(found.last().map_or(0, |host| host.range.len()));
        }
    }
    found
}

/// Returns true for a character of host names. Letters of scripts without spaces are left out, since a sentence in
/// them goes on directly after a host.
fn is_label_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || ('\u{c0}'..'\u{530}').contains(&c) && c.is_alphanumeric()
}

fn suffix_length(text: &str) -> usize {
    let start = text
        .rfind(|c| !is_label_char(c) && c != '.')
        .map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
    text.len() - start
}

fn prefix_length(text: &str) -> usize {
    text.find(|c| !is_label_char(c) && c != '.').unwrap_or(text.len())
}

/// Returns the length of a port and a path behind a host.
fn path_length(text: &str) -> usize {
    let port = match text.strip_prefix(':') {
        Some(rest) => match rest.bytes().take_while(u8::is_ascii_digit).count() {
            0 => 0,
            digits => digits + 1,
        },
        None => 0,
    };
    if !text[port..].starts_with(['/', '?']) {
        return port;
    }
    let is_path = |c: char| c.is_ascii_graphic() && !matches!(c, ')' | ']' | '>' | '"' | '|' | '`');
    let end = text[port..].find(|c| !is_path(c)).unwrap_or(text.len() - port);
    port + text[port..port + end].trim_end_matches(['.', ',', ';', ':', '!', '?']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|found| &text[found.host]).collect()
    }

    #[test]
    fn hosts_are_found_where_a_reader_sees_them() {
        let text = "See lumadocs.io, www.shop.co.uk/a?b. Booking.com; lumadocs.ioは (müller.de) a.b.evil.example:80/x ASP.NET";

        assert_eq!(
            hosts(text),
            [
                "lumadocs.io",
                "www.shop.co.uk",
                "Booking.com",
                "lumadocs.io",
                "müller.de",
                "a.b.evil.example",
                "ASP.NET"
            ]
        );
    }

    #[test]
    fn sentences_files_and_numbers_are_no_hosts() {
        assert_eq!(
            hosts("It is fast.It works. Node.js 3.5 e.g. main.txt? no... a. b, end.The co.uk .com"),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn a_path_belongs_to_what_is_written() {
        let text = "lumadocs.io:8080/pricing/a.html, next";

        assert_eq!(&text[find(text)[0].range.clone()], "lumadocs.io:8080/pricing/a.html");
    }

    #[test]
    fn many_dots_are_read_in_one_pass() {
        let text = "a.".repeat(100_000) + &"a-.".repeat(50_000);

        assert_eq!(hosts(&text), Vec::<&str>::new());
    }
}
